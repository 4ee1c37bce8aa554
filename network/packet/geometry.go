package packet

import (
	"fmt"
	"slices"

	"overlapsim/network/topology"
)

// geometry is a topology as its routers see it. All routers have as many ports as the largest. The
// link that leaves router r by port p has number r*ports + p.
type geometry struct {
	shape     topology.Topology
	switched  bool    // nodes are on cables of switches, not in routers
	ports     int     // ways out of a router
	inputs    int     // ports at which links come in
	perRouter int     // most nodes of a router
	rings     []bool  // by port: belongs to a dimension that wraps
	into      []int32 // by link: router*inputs + port at its end; -1: a node, or nothing
	from      []int32 // the links by router*inputs + port at their end, -1: none
	links     []int32 // numbers of the links of the topology, then of the cables to its nodes
	before    []int32 // by router: nodes of the routers before it; one entry more for all
	place     []int32 // by node: its number in the order of routers
	path      []int32 // scratch
}

func newGeometry(t topology.Topology) (*geometry, error) {
	switch shape := t.(type) {
	case *topology.Torus:
		return newGrid(shape)
	case topology.Acyclic:
		return newSwitches(shape)
	}
	return nil, CanRoute(t)
}

// CanRoute returns an error if routers with finite buffers could wait for each other for ever on a topology.
func CanRoute(t topology.Topology) error {
	switch t.(type) {
	case *topology.Torus, topology.Acyclic:
		return nil
	}
	return fmt.Errorf("packet: must be a torus or mesh, or a topology whose routes never wait for each other in a circle: "+
		"crossbar, fat-tree, hyperx or dragonfly-plus with minimal routing; packets on %v could deadlock; flow and backlog run on it", t)
}

// size makes the tables of links for routers with these numbers of ports.
func (g *geometry) size(ports, inputs int) {
	g.ports, g.inputs = ports, inputs
	g.rings = make([]bool, ports)
	g.into, g.from = none(g.shape.Routers()*ports), none(g.shape.Routers()*inputs)
	g.links = make([]int32, g.shape.Links())
}

// seat gives each node its place, and counts the nodes of routers.
func (g *geometry) seat() {
	g.before = make([]int32, g.shape.Routers()+1)
	for node := range g.shape.Nodes() {
		g.before[g.shape.Router(node)+1]++
	}
	next := make([]int32, len(g.before))
	for r, n := range g.before {
		g.perRouter = max(g.perRouter, int(n))
		if r > 0 {
			g.before[r] += g.before[r-1]
		}
		next[r] = g.before[r]
	}
	g.place = make([]int32, g.shape.Nodes())
	for node := range g.place {
		r := g.shape.Router(node)
		g.place[node] = next[r]
		next[r]++
	}
}

// none returns n times no number.
func none(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = -1
	}
	return all
}

// connect records a link of the topology, which leaves by one port and comes in at another.
func (g *geometry) connect(id, out, in int) {
	l := g.shape.Link(id)
	n, end := int(l.From)*g.ports+out, int(l.To)*g.inputs+in
	g.links[id], g.into[n], g.from[end] = int32(n), int32(end), int32(n)
}

// bubble returns the smallest bubble: routes that never wait for each other in a circle need none.
func (g *geometry) bubble() int {
	if slices.Contains(g.rings, true) {
		return 1
	}
	return 0
}

// way is the part of a packet's static route that is left.
//
// On a torus, byte i of steps is the number of steps along dimension i, bit i of minus says that
// they go in the negative direction. Dimensions are numbered in the order in which static routes
// correct them. On switches, the bytes of steps are the ports that follow, each plus one, the next
// one first.
type way struct {
	steps uint64
	minus uint8
}

// way returns the static route between two nodes.
func (g *geometry) way(from, to int32) way {
	if from == to {
		return way{}
	}
	g.path = g.shape.Route(int(from), int(to), g.path[:0])
	if g.switched {
		return g.listed(to)
	}
	return g.stepped()
}

// port returns the next port of a way, which must have one.
func (g *geometry) port(w way) int {
	if g.switched {
		return int(uint8(w.steps)) - 1
	}
	return w.port()
}
