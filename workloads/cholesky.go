package workloads

// cholesky is right-looking (see dense.Machine.cholesky): the diagonal block is
// factorised, the panel below it solved and broadcast down the columns, and the lower
// triangle behind it updated; with overlap the other thread broadcasts meanwhile. A
// process has left / sqrt(p/c) of left blocks of a panel; each layer makes 1/c of the
// updates of the half of the matrix that it gets first.
func cholesky(d *denseOps, step int) bool {
	columns := d.Blocks * d.Side
	if step > columns {
		return false
	}
	if step == 0 {
		if d.Layers > 1 {
			d.broadcast(d.Layers, d.owned()/2, d.layer(), d.Processes, false)
		}
		d.meet()
		return true
	}
	panel := float64(columns-step) / float64(d.Side)
	d.compute(d.potrf, 1)
	d.compute(d.trsm, panel)
	d.meet()
	d.broadcast(d.Side, panel*d.words(), d.Side, d.layer(), true)
	d.compute(d.gemm, panel*(panel+1)/2/float64(d.Layers))
	d.meet()
	return true
}
