package dense

// cannon is T_Cannon of section V-A. A layer of the 2.5D algorithm makes sqrt(p/c^3) of
// the sqrt(p/c) shifts, and synchronises its own p/c processes.
func (m *Machine) cannon(g Grid, v Variant) float64 {
	layer := g.layer()
	shifts := m.synchronised(layer, g.words(), 1) + m.synchronised(layer, g.words(), g.Side)
	multiply := m.dgemm(g.Block, m.Threads)
	step := shifts + multiply
	if v.Overlap {
		step = max(shifts, multiply)
	}
	steps := float64(g.Side / g.Layers)
	if !v.Replicated {
		return shifts + (steps-1)*step + multiply
	}
	return m.replicate(g.Processes, g.words(), g.Layers) + (steps-1)*step + multiply + m.reduce(g.Processes, g.Layers, g.words(), layer)
}
