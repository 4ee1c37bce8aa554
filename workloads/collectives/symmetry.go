package collectives

import "math/bits"

// symmetry is the grid on which an algorithm looks the same from every member, for some groups
// (package programs has the exact meaning).
type symmetry struct {
	grid   func(g *Group) []int // nil: there is none for this group
	blocks bool                 // only if all blocks have the same size
}

// Grid returns a grid on which the algorithm looks the same from every member; nil if none is
// known.
func (a *Algorithm) Grid(g *Group) []int {
	s := &a.symmetry
	if s.grid == nil || g.Sizes != nil || g.Between != nil || g.Rank != nil || s.blocks && g.Bytes%int64(g.Ranks) != 0 {
		return nil
	}
	return s.grid(g)
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

func init() {
	for _, a := range []*Algorithm{BarrierDissemination, AllreduceGather, AlltoallLinear, AlltoallAtOnce, AlltoallPairwise,
		AlltoallWindow, AlltoallBruck} {
		a.symmetry = symmetry{ring, false}
	}
	for _, a := range []*Algorithm{AllreduceRing, AllreduceSegmentedRing, ReduceScatterPairwise, ReduceScatterRing, AllgatherBruck,
		AllgatherSparbit, AllgatherLinear, AllgatherRing} {
		a.symmetry = symmetry{ring, true}
	}
	for _, a := range []*Algorithm{BarrierDoubling, AllreduceDoubling} {
		a.symmetry = symmetry{hypercube, false}
	}
	for _, a := range []*Algorithm{AllreduceRabenseifner, ReduceScatterHalving, AllgatherDoubling} {
		a.symmetry = symmetry{hypercube, true}
	}
	for _, a := range []*Algorithm{NeighbourGatherLinear, NeighbourExchangeLinear} {
		a.symmetry = symmetry{grid, false}
	}
}
