package dense

// cannon is T_Cannon of section V-A. A layer of the 2.5D algorithm makes
// sqrt(p/c^3) of the sqrt(p/c) shifts, and synchronises its own p/c processes.
func (m *Machine) cannon(g grid, v Variant) float64 {
	layer := g.p / g.c
	shifts := m.synchronised(layer, g.words(), 1) + m.synchronised(layer, g.words(), g.side)
	multiply := m.dgemm(g.b, m.Threads)
	step := shifts + multiply
	if v.Overlap {
		step = max(shifts, multiply)
	}
	steps := float64(g.side / g.c)
	if !v.Replicated {
		return shifts + (steps-1)*step + multiply
	}
	return m.replicate(g.p, g.words(), g.c) + (steps-1)*step + multiply + m.reduce(g.p, g.c, g.words(), layer)
}
