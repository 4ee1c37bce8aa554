package dense

// cholesky is derived, in the same way as the printed models, from the right-looking
// algorithm on block-cyclic blocks. In step i the diagonal block is factorised. A process
// has k = (r sqrt(p/c) - i - 1) / sqrt(p/c) blocks of the panel below it, solves them,
// and broadcasts them, and all processes wait for them; then it updates k (k + 1) / 2
// blocks of the lower triangle. With overlap a thread broadcasts meanwhile.
//
// In the 2.5D algorithm the lower half of the matrix is broadcast to all layers, and each
// layer makes 1/c of the updates.
func (m *Machine) cholesky(g Grid, v Variant) (t float64) {
	factor := m.dpotrf(g.Block, choleskyLacks.threads(v, "dpotrf", m.Threads))
	solve := m.dtrsm(g.Block, choleskyLacks.threads(v, "dtrsm", m.Threads))
	update := m.dgemm(g.Block, choleskyLacks.threads(v, "dgemm", m.Threads)) / float64(g.Layers)
	panel := m.panel(g, 1)
	if g.Layers > 1 {
		t = m.broadcast(g.Processes, g.Layers, g.owned()/2, g.layer())
	}
	for left := range g.Blocks * g.Side {
		k := float64(left) / float64(g.Side)
		communication, computation := panel.blocks(k), k*(k+1)/2*update
		t += factor + k*solve
		if v.Overlap {
			t += max(communication, computation)
		} else {
			t += communication + computation
		}
	}
	return t
}
