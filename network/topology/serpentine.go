package topology

// Serpentine returns the nodes of the torus in the order of a cable that visits them all, for
// machines that number their nodes along it. The cable runs to and fro along the last dimension,
// to and fro along the dimensions before it, and once round the first, downward from 0.
// Neighbours in this order are on the same router or on adjacent ones. Hopper (Cray XE6, 17x8x24)
// is numbered in this way: the order is the order of ReadPlaces on its node list.
func (t *Torus) Serpentine() []int32 {
	nodes := make([]int32, 0, t.Nodes())
	at := make([]int, len(t.dims))
	back := make([]bool, len(t.dims))
	for range t.routers {
		router := t.dims[0].stride * ((t.dims[0].size - at[0]) % t.dims[0].size)
		for d := 1; d < len(t.dims); d++ {
			router += t.dims[d].stride * at[d]
		}
		for port := range t.perRouter {
			nodes = append(nodes, int32(router*t.perRouter+port))
		}
		t.advance(at, back)
	}
	return nodes
}

// advance takes one step along the last dimension that has a step left, and reverses the
// direction of the dimensions after it. This is a reflected mixed-radix Gray code.
func (t *Torus) advance(at []int, back []bool) {
	for d := len(at) - 1; d >= 0; d-- {
		switch {
		case back[d] && at[d] > 0:
			at[d]--
			return
		case !back[d] && at[d] < t.dims[d].size-1:
			at[d]++
			return
		}
		back[d] = !back[d]
	}
}
