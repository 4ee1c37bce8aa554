package dense

// Memory returns the bytes that a process needs: its part of the matrices, of which every
// layer has a copy, and with overlap the buffers for the blocks that arrive meanwhile.
func (a *Algorithm) Memory(v Variant, g Grid) float64 {
	blocks := a.matrices * float64(g.Blocks*g.Blocks)
	if v.Overlap {
		blocks += a.buffers * float64(g.Blocks)
	}
	return word * g.words() * blocks
}
