package workloads

// cholesky is right-looking (see dense.Machine.cholesky): the diagonal block is
// factorised and broadcast, the panel below it solved and broadcast, and the lower
// triangle behind it updated; with overlap the other thread broadcasts the panel
// meanwhile. A process has left / sqrt(p/c) of left blocks of a panel; each layer makes
// 1/c of the updates.
func cholesky(d *denseOps, step int) bool {
	columns := d.Blocks * d.Side
	if step >= columns {
		return false
	}
	panel := float64(columns-1-step) / float64(d.Side)
	d.compute(d.potrf, 1)
	d.meet()
	d.broadcast(d.Side, d.words(), 1, d.layer(), true)
	d.meet()
	d.compute(d.trsm, panel)
	d.meet()
	d.broadcast(d.Side, panel*d.words(), d.Side, d.layer(), false)
	d.compute(d.gemm, panel*panel/2/float64(d.Layers))
	d.meet()
	return true
}
