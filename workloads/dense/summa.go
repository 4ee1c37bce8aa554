package dense

// summa is derived. In each step a block of A is broadcast along the rows of a layer and
// a block of B along its columns; the next step cannot start before all processes have
// them. Then they are multiplied. With overlap a thread broadcasts the blocks of the next
// step meanwhile. With layers, A and B are broadcast to all of them, each layer makes 1/c
// of the steps, and the products are reduced.
func (m *Machine) summa(g Grid, v Variant) (t float64) {
	layer := g.layer()
	broadcasts := m.broadcast(layer, g.Side, g.words(), 1) + m.broadcastSync(layer, g.Side, g.words(), g.Side)
	steps := float64(g.Side / g.Layers)
	if g.Layers > 1 {
		t = 2*m.broadcast(g.Processes, g.Layers, g.words(), layer) + m.reduce(g.Processes, g.Layers, g.words(), layer)
	}
	if !v.Overlap {
		return t + steps*(broadcasts+m.dgemm(g.Block, m.Threads))
	}
	multiply := m.dgemm(g.Block, summaLacks.threads(v, "dgemm", m.Threads))
	return t + broadcasts + (steps-1)*max(broadcasts, multiply) + multiply
}
