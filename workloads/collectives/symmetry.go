package collectives

import "math/bits"

// Symmetry is the grid on which an algorithm looks the same from every member, for some groups
// (package programs has the exact meaning).
type Symmetry struct {
	Dims  func(g *Group) []int // nil: there is none for this group
	Equal bool                 // only if all blocks have the same size
}

// The symmetries of the algorithms here.
var (
	aRing  = Symmetry{ring, false}
	aCube  = Symmetry{hypercube, false}
	ofGrid = Symmetry{grid, false}
	// of blocks
	blockRing = Symmetry{ring, true}
	blockCube = Symmetry{hypercube, true}
)

// Grid returns a grid on which the algorithm looks the same from every member; nil if none is
// known.
func (a *Algorithm) Grid(g *Group) []int {
	s := &a.Symmetry
	if s.Dims == nil || g.Sizes != nil || g.Between != nil || g.Rank != nil || s.Equal && g.Bytes%int64(g.Ranks) != 0 {
		return nil
	}
	return s.Dims(g)
}

// ring: all members move by the same number.
func ring(g *Group) []int { return []int{g.Ranks} }

// hypercube: all members change the same bits of their numbers.
func hypercube(g *Group) (dims []int) {
	if powerOfTwo(g) != "" {
		return nil
	}
	for range max(1, bits.Len(uint(g.Ranks))-1) {
		dims = append(dims, min(2, g.Ranks))
	}
	return dims
}

// grid: all members move along the group's own grid.
func grid(g *Group) []int { return g.Dims }
