package dense

// cholesky is derived, in the same way as the printed models, from the right-looking
// algorithm on block-cyclic blocks. In step i the diagonal block is factorised. A process
// has k = (r sqrt(p/c) - i - 1) / sqrt(p/c) blocks of the panel below it, solves them,
// and broadcasts them down its column, where all wait for them; then it updates k (k + 1)
// / 2 blocks of the lower triangle. With overlap a thread broadcasts meanwhile.
//
// In the 2.5D algorithm the lower half of the matrix is broadcast to all layers, and each
// layer makes 1/c of the updates.
func (m *Machine) cholesky(g Grid, v Variant) (t float64) {
	threads := m.Threads
	if v.Overlap {
		threads--
	}
	factor, solve := m.dpotrf(g.Block, threads), m.dtrsm(g.Block, threads)
	update := m.dgemm(g.Block, threads) / float64(g.Layers)
	panel := m.broadcastSync(g.layer(), g.Side, g.words(), g.Side)
	if g.Layers > 1 {
		t = float64(g.Blocks*g.Blocks) / 2 * m.broadcast(g.Processes, g.Layers, g.words(), g.layer())
	}
	for left := range g.Blocks * g.Side {
		k := float64(left) / float64(g.Side)
		communication, computation := k*panel, k*(k+1)/2*update
		t += factor + k*solve
		if v.Overlap {
			t += max(communication, computation)
		} else {
			t += communication + computation
		}
	}
	return t
}
