package workloads

// trsm solves X U = B block column by block column (section V-B). The blocks of a row of
// U go to the other processes of a group of neighbours. The blocks of the column of X are
// solved and go over the distance of such a group, and the rest of B is updated. With overlap the other thread moves the
// next row of U meanwhile. If a row has n blocks left, a process has n / sqrt(p/c) of
// them, as in the model. With layers, U is broadcast to all of them, each solves 1/c of
// the rows of B, and X is gathered.
func trsm(d *denseOps, step int) bool {
	columns := d.Blocks * d.Side
	switch {
	case step == 0:
		d.spread()
		if d.overlap {
			d.moveU(float64(d.Blocks))
			d.meet()
		}
	case step <= columns:
		d.solveColumn(columns - step)
	case step == columns+1:
		if !d.overlap {
			d.moveU(1)
		}
		d.compute(d.trsm, d.rows())
		d.meet()
	case step == columns+2 && d.Layers > 1:
		if d.communicates {
			d.gather(d.Layers, d.owned(), d.layer(), nobody)
			d.exchanged()
		}
	default:
		return false
	}
	return true
}

// solveColumn solves a block column that has the given number of columns behind it, and
// updates those columns.
func (d *denseOps) solveColumn(behind int) {
	next := float64(behind) / float64(d.Side)
	if !d.overlap {
		d.moveU(float64(behind+1) / float64(d.Side))
	}
	d.compute(d.trsm, d.rows())
	d.meet()
	d.broadcast(d.Side, d.rows()*d.words(), d.Side, d.Processes, true)
	d.meet()
	if d.overlap {
		d.moveU(next)
	}
	d.compute(d.gemm, next*d.rows())
	d.meet()
}

// moveU broadcasts the given number of blocks of U.
func (d *denseOps) moveU(blocks float64) {
	d.broadcast(d.Side, blocks*d.words(), 1, d.Processes, true)
}

// rows is the number of blocks of a column of X that a process has.
func (d *denseOps) rows() float64 { return float64(d.Blocks) / float64(d.Layers) }

// owned is the number of words of a matrix that a process of a layer has.
func (d *denseOps) owned() float64 { return float64(d.Blocks*d.Blocks) * d.words() }

// spread copies U to all layers and distributes the rows of B over them. Three quarters
// of the blocks of U are not zero.
func (d *denseOps) spread() {
	if d.Layers > 1 && d.communicates {
		d.broadcast(d.Layers, 0.75*d.owned(), d.layer(), d.Processes, false)
		d.scatter(d.Layers, d.owned()/float64(d.Layers), d.layer(), d.Processes)
		d.exchanged()
	}
}
