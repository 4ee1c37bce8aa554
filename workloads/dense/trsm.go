package dense

// trsm is T_TRSM of section V-B.
func (m *Machine) trsm(g grid, v Variant) float64 {
	side, r := float64(g.side), float64(g.blocks)
	steps := r * side
	// Sums over the steps i of (r sqrt(p/c) - i) / sqrt(p/c) and of the same less one.
	all, left := steps*(steps+1)/2/side, steps*(steps-1)/2/side
	rows := r / float64(g.c) // of blocks of X in a layer, as many square ones
	u := m.broadcastSync(g.p, g.side, g.words(), g.side)
	x := m.broadcast(g.p, g.side, g.words(), 1)
	t := m.layers(g, v)
	if !v.Overlap {
		solve, update := m.dtrsm(g.b, m.Threads), m.dgemm(g.b, m.Threads)
		return t + all*u + steps*rows*(solve+x) + left*rows*update + u + rows*solve
	}
	solve, update := m.dtrsm(g.b, m.Threads-1), m.dgemm(g.b, m.Threads-1)
	return t + r*u + steps*rows*(solve+x) + left*max(u, rows*update) + rows*solve
}

// layers is what 2.5D TRSM does before and after: U to all layers (three quarters
// of its blocks), the rows of X apart, and together again.
func (m *Machine) layers(g grid, v Variant) float64 {
	if !v.Replicated {
		return 0
	}
	layer, w := g.p/g.c, g.words()
	r := float64(g.blocks * g.blocks)
	return r * (0.75*m.broadcast(g.p, g.c, w, layer) + m.reduceScatter(g.p, g.c, w/float64(g.c), layer) + m.gather(g.c, w, layer))
}
