package dense

// trsm is T_TRSM of section V-B, except that the broadcast of X synchronises and not that
// of U (see docs/cray.md).
func (m *Machine) trsm(g Grid, v Variant) float64 {
	side, r := float64(g.Side), float64(g.Blocks)
	steps := r * side
	// Sums over the steps i of (r sqrt(p/c) - i) / sqrt(p/c), and of the same less one.
	all, left := steps*(steps+1)/2/side, steps*(steps-1)/2/side
	rows := r / float64(g.Layers) // of square blocks of X in a layer
	u := m.broadcast(g.Processes, g.Side, g.words(), g.Side)
	x := m.broadcastSync(g.Processes, g.Side, g.words(), 1)
	t := m.layers(g)
	if !v.Overlap {
		solve, update := m.dtrsm(g.Block, m.Threads), m.dgemm(g.Block, m.Threads)
		return t + all*u + steps*rows*(solve+x) + left*rows*update + u + rows*solve
	}
	solve, update := m.dtrsm(g.Block, m.Threads-1), m.dgemm(g.Block, m.Threads-1)
	return t + r*u + steps*rows*(solve+x) + left*max(u, rows*update) + rows*solve
}

// layers is the communication of 2.5D TRSM before and after: U goes to all layers (three
// quarters of its blocks), and the rows of X are spread over the layers and collected
// again.
func (m *Machine) layers(g Grid) float64 {
	if g.Layers == 1 {
		return 0
	}
	layer, w := g.layer(), g.words()
	r := float64(g.Blocks * g.Blocks)
	return r * (0.75*m.broadcast(g.Processes, g.Layers, w, layer) + m.reduceScatter(g.Processes, g.Layers, w/float64(g.Layers),
		layer) + m.gather(g.Layers, w, layer))
}
