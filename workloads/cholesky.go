package workloads

// cholesky is right-looking (see dense.Machine.cholesky): it factorises the diagonal
// block, solves the panel below it, broadcasts the panel, and updates
// the lower triangle behind it. With overlap the other thread broadcasts meanwhile. If a
// panel has n blocks left, a process has n / sqrt(p/c) of them. Each layer first gets
// half of the matrix and makes 1/c of the updates.
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
	d.broadcast(d.Side, panel*d.words(), 1, d.Processes, true)
	d.compute(d.gemm, panel*(panel+1)/2/float64(d.Layers))
	d.meet()
	return true
}
