package workloads

// cannon is the algorithm of section V-A: a shift of A along the rows and of B along the
// columns, then the product of the blocks, repeated sqrt(p/c^3) times. In the 2D
// algorithm the first shift moves a block by up to a whole row or column; here it moves
// it by one process, as in the model. In 2.5D each layer gets the blocks that it begins
// with.
func cannon(d *denseOps, step int) bool {
	steps := d.Side / d.Layers
	switch {
	case step == 0 && d.Layers > 1:
		d.copyBlocks()
	case step == 0:
		d.shift()
		d.shifted()
	case step < steps && d.overlap:
		d.shift()
		d.compute(d.gemm, 1)
		d.shifted()
	case step < steps:
		d.compute(d.gemm, 1)
		d.shift()
		d.shifted()
	case step == steps:
		d.compute(d.gemm, 1)
		d.reduce(d.words())
	default:
		return false
	}
	return true
}

// shift starts to move both blocks to the next process.
func (d *denseOps) shift() {
	layer := d.layer()
	first := d.me - d.me%layer
	at := d.me - first
	row, column := at-at%d.Side, at%d.Side
	d.do.Phase(1)
	d.pattern(1, layer)
	d.send(first+row+(column+d.Side-1)%d.Side, first+row+(column+1)%d.Side, d.words(), 0)
	d.pattern(d.Side, layer)
	d.send(first+(at+layer-d.Side)%layer, first+(at+d.Side)%layer, d.words(), 1)
}

// shifted waits for both blocks.
func (d *denseOps) shifted() {
	d.do.Phase(1)
	d.sent(0)
	d.sent(1)
}

// pieces is how many messages carry a block from layer to layer. With this number the last
// layer has it (c-2)/pieces later than if the first had sent it there alone.
const pieces = 64

// copyBlocks replicates A and B: each layer passes on what it gets, piece by piece, so
// that no process sends more than it has. All wait until all layers have both.
func (d *denseOps) copyBlocks() {
	d.do.Phase(1)
	layer := d.layer()
	d.pattern((d.Layers-1)*layer, d.Processes)
	size, passes := d.size(2*d.words()/pieces), d.me+layer < d.Processes
	for piece := range pieces {
		if d.me >= layer {
			d.do.Recv(d.me-layer, size, piece)
		}
		if passes {
			d.do.Signal(d.me+layer, size, piece, piece)
		}
	}
	for piece := range pieces {
		if passes {
			d.do.Wait(piece)
		}
	}
	d.do.Barrier()
}
