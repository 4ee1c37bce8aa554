package dense

// Memory returns the bytes of a process: its part of the matrices, of which every layer
// has a copy, and with overlap what arrives meanwhile.
func (a *Algorithm) Memory(v Variant, g Grid) float64 {
	blocks := a.matrices * float64(g.Blocks*g.Blocks)
	if v.Overlap {
		blocks += a.buffers * float64(g.Blocks)
	}
	return word * g.words() * blocks
}
