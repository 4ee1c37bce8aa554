package dense

// summa is derived: in each step a block of A is broadcast along the rows and one
// of B along the columns of the grid, where the next step cannot start before all
// have it; then they are multiplied. With overlap a thread broadcasts the blocks of
// the next step meanwhile. A layer of the 2.5D algorithm makes 1/c of the steps;
// replication and reduction are those of Cannon's algorithm.
func (m *Machine) summa(g grid, v Variant) float64 {
	layer := g.p / g.c
	broadcasts := m.broadcast(layer, g.side, g.words(), 1) + m.broadcastSync(layer, g.side, g.words(), g.side)
	steps := float64(g.side / g.c)
	var t float64
	if v.Replicated {
		t = m.replicate(g.p, g.words(), g.c) + m.reduce(g.p, g.c, g.words(), layer)
	}
	if !v.Overlap {
		return t + steps*(broadcasts+m.dgemm(g.b, m.Threads))
	}
	multiply := m.dgemm(g.b, m.Threads-1)
	return t + broadcasts + (steps-1)*max(broadcasts, multiply) + multiply
}
