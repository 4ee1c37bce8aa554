package topology

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"overlapsim/sim"
)

// Mapping holds the node of each rank. Several ranks may share a node.
type Mapping []int32

// Block puts the first perNode ranks on node 0, the next perNode on node 1, ...
func Block(nodes, perNode, ranks int) (Mapping, error) {
	if err := room(nodes, perNode, ranks); err != nil {
		return nil, err
	}
	m := make(Mapping, ranks)
	for r := range m {
		m[r] = int32(r / perNode)
	}
	return m, nil
}

// Cyclic deals the ranks out to the nodes, together consecutive ranks at a time. Every node gets
// one share before any node gets a second.
func Cyclic(nodes, perNode, ranks, together int) (Mapping, error) {
	if err := room(nodes, perNode, ranks); err != nil {
		return nil, err
	}
	if together < 1 || perNode%together != 0 {
		return nil, fmt.Errorf("mapping: %d processes per node cannot be dealt out %d at a time", perNode, together)
	}
	m := make(Mapping, ranks)
	for r := range m {
		m[r] = int32(r / together % nodes)
	}
	return m, nil
}

// Cells fills the nodes with cells of a grid of ranks, one cell after the other, as the text says: "8x8/4x2" has cells of 4 x 2 ranks in a grid
// of 8 x 8. The first dimension varies fastest, of ranks, of the ranks of a cell and of cells: HPE's grid_order(1), -C -g 8,8 -c 4,2.
func Cells(text string, nodes, perNode, ranks int) (Mapping, error) {
	if err := room(nodes, perNode, ranks); err != nil {
		return nil, err
	}
	of, in, _ := strings.Cut(text, "/")
	sides, parts := strings.Split(of, "x"), strings.Split(in, "x")
	grid, cell, all, size := make([]int, len(sides)), make([]int, len(sides)), 1, 1
	for i := range sides {
		grid[i], _ = strconv.Atoi(sides[i])
		if len(parts) == len(sides) {
			cell[i], _ = strconv.Atoi(parts[i])
		}
		if grid[i] < 1 || grid[i] > ranks || cell[i] < 1 || grid[i]%cell[i] != 0 {
			return nil, fmt.Errorf("must be a grid of ranks and cells that divide it, such as 8x8/4x2, got %s", text)
		}
		if all, size = all*grid[i], size*cell[i]; all > ranks {
			break
		}
	}
	if all != ranks {
		return nil, fmt.Errorf("must be a grid of the %d ranks, got %s", ranks, of)
	}
	m := make(Mapping, ranks)
	for r := range m {
		rest, place, inside, outside := r, 0, 1, size // ranks for a step inside a cell and to the next cell
		for i := range grid {
			x := rest % grid[i]
			rest /= grid[i]
			place += x%cell[i]*inside + x/cell[i]*outside
			inside, outside = inside*cell[i], outside*(grid[i]/cell[i])
		}
		m[r] = int32(place / perNode)
	}
	return m, nil
}

// Spread uses as few nodes as Block and fills each with consecutive ranks, but spaces these nodes
// evenly over the numbers of all nodes.
func Spread(nodes, perNode, ranks int) (Mapping, error) {
	m, err := Block(nodes, perNode, ranks)
	if err != nil {
		return nil, err
	}
	used := int64(m[ranks-1]) + 1
	for r, node := range m {
		m[r] = int32(int64(node) * int64(nodes) / used)
	}
	return m, nil
}

// Random puts each rank into a random slot. Each node has perNode slots, all slots are equally
// likely, and a slot takes one rank.
func Random(nodes, perNode, ranks int, seed uint64) (Mapping, error) {
	if err := room(nodes, perNode, ranks); err != nil {
		return nil, err
	}
	slots := make(Mapping, nodes*perNode)
	for i := range slots {
		slots[i] = int32(i / perNode)
	}
	stream := sim.NewStream(seed)
	for r := range ranks {
		other := r + stream.Intn(len(slots)-r)
		slots[r], slots[other] = slots[other], slots[r]
	}
	return slices.Clone(slots[:ranks]), nil
}

// Order puts ranks on a torus in an order written as on BlueGene. Each dimension has a letter (X,
// Y, Z, W, or A, B, C, ... if there are more than four), and T stands for the processes of a
// router. The first letter varies fastest: "XYZT" gives each router one process before any gets a
// second, "TXYZ" fills one router at a time. The processes of a router fill its first node before
// its second.
func (t *Torus) Order(letters string, perNode, ranks int) (Mapping, error) {
	if err := room(t.Nodes(), perNode, ranks); err != nil {
		return nil, err
	}
	order, err := t.parseOrder(letters)
	if err != nil {
		return nil, err
	}
	m := make(Mapping, ranks)
	for r := range m {
		rest, router, slot := r, 0, 0
		for _, c := range order {
			if c == len(t.dims) {
				slot = rest % (t.perRouter * perNode)
				rest /= t.perRouter * perNode
				continue
			}
			d := &t.dims[c]
			router += rest % d.size * d.stride
			rest /= d.size
		}
		m[r] = int32(router*t.perRouter + slot/perNode)
	}
	return m, nil
}

// parseOrder returns the dimensions that the letters name, len(dims) for T.
func (t *Torus) parseOrder(order string) ([]int, error) {
	known := letters(len(t.dims)) + "T"
	var dims []int
	for _, letter := range strings.ToUpper(order) {
		c := strings.IndexRune(known, letter)
		if c < 0 || slices.Contains(dims, c) {
			dims = nil
			break
		}
		dims = append(dims, c)
	}
	if len(dims) != len(known) {
		return nil, fmt.Errorf("mapping: an order of this torus has each of the letters %s once, got %q", known, order)
	}
	return dims, nil
}

// Consecutive puts ranks on the nodes of a list, perNode on each, beginning with entry first. If
// the list comes from ReadPlaces, these are nodes with consecutive numbers, as a scheduler
// assigns them.
func Consecutive(places []int32, first, perNode, ranks int) (Mapping, error) {
	if first < 0 || first > len(places) {
		return nil, fmt.Errorf("first node: must be 0 to %d, got %d", len(places)-1, first)
	}
	if err := room(len(places)-first, perNode, ranks); err != nil {
		return nil, err
	}
	m := make(Mapping, ranks)
	for r := range m {
		m[r] = places[first+r/perNode]
	}
	return m, nil
}

// room checks that the ranks fit.
func room(nodes, perNode, ranks int) error {
	var f faults
	f.atLeast("nodes", nodes, 0)
	f.atLeast("processes per node", perNode, 1)
	f.atLeast("ranks", ranks, 1)
	if len(f) > 0 {
		return f.err()
	}
	if f.product("processes", max(nodes, 1), perNode); len(f) == 0 && ranks > nodes*perNode {
		f.add("ranks: %d do not fit on %d nodes with %d processes each", ranks, nodes, perNode)
	}
	return f.err()
}
