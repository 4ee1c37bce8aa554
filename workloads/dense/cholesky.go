package dense

// cholesky is derived from the right-looking algorithm on block-cyclic blocks, as the
// models that are printed. In step i the diagonal block is factorised and broadcast to
// those that have a part of the panel below it, which wait for it; a process has
// k = (r sqrt(p/c) - i - 1) / sqrt(p/c) blocks of the panel, solves and broadcasts them,
// and updates k^2/2 blocks of the lower triangle. With overlap a thread broadcasts the
// panel meanwhile.
//
// The layers of the 2.5D algorithm make 1/c of the updates each.
func (m *Machine) cholesky(g Grid, v Variant) (t float64) {
	threads := m.Threads
	if v.Overlap {
		threads--
	}
	factor, solve := m.dpotrf(g.Block, threads), m.dtrsm(g.Block, threads)
	update := m.dgemm(g.Block, threads) / float64(g.Layers)
	diagonal := m.broadcastSync(g.layer(), g.Side, g.words(), 1)
	panel := m.broadcast(g.layer(), g.Side, g.words(), g.Side)
	for i := range g.Blocks * g.Side {
		k := float64(i) / float64(g.Side)
		t += factor + diagonal + k*solve
		if v.Overlap {
			t += max(k*panel, k*k/2*update)
		} else {
			t += k*panel + k*k/2*update
		}
	}
	return t
}
