// Package topology says how the routers of a network are connected and which routes messages
// take. It knows only shapes and routes, not time or bytes. Routes are computed, not stored, so
// that a topology of a hundred thousand routers takes no memory.
//
// Messages go from node to node. A node is an end point; it is attached to one router.
// Links connect routers, each in one direction. The connections between a node and its
// router are not links: the fabrics limit injection and ejection per node.
package topology

import "fmt"

// Topology is a network of routers. Nodes, routers and links are numbered from
// 0. Implementations are immutable: safe for concurrent use.
type Topology interface {
	// String names the shape: "torus 8x8x8".
	String() string

	Nodes() int
	Routers() int
	// Links counts directed links: a cable is two.
	Links() int
	// Classes names the kinds of links that may differ in capacity: the
	// dimensions of a torus, the levels of a tree.
	Classes() []string

	// Router returns the router to which a node is attached.
	Router(node int) int
	Link(id int) Link
	// LinkName says where a link is: "(3, 0, 1) +x", "router 4 to 9, local".
	LinkName(id int) string

	// Route appends to path the links from one node to another in the order of travel; none if
	// they share a router. The route is always the same. It is minimal, and each of its links is
	// the first of the Choices, except with Valiant routing.
	Route(from, to int, path []int32) []int32
	// Choices appends to out the links of router at that lead closer to node to; none if the
	// node is at that router. The first of them is the one that Route takes. An adaptive
	// router may take any: every choice leads one link closer.
	Choices(at, to int, out []int32) []int32

	// Hops is the length of the route between two nodes.
	Hops(from, to int) int
	// Diameter is the largest Hops.
	Diameter() int
}

// Averaged is a topology that knows how far messages go in the mean.
type Averaged interface {
	Topology
	// MeanHops returns how many links of each class a message takes in the mean, if it may go from any node to any, itself included, by the
	// routing of the topology; if that chooses as the load says, by minimal routes.
	MeanHops() []float64
}

// Skewed is a topology whose routes load links of a class unevenly if all nodes send to all others alike.
type Skewed interface {
	// Skew returns how many times the load of the mean link of each class the most loaded one has, at least.
	Skew() []float64
}

// Acyclic is a topology on whose routes messages that hold a link while they wait for the next one
// never wait for each other in a circle (Dally and Seitz, "Deadlock-free message routing in
// multiprocessor interconnection networks", IEEE Trans. Computers C-36(5), 1987). Packets with
// finite buffers follow its routes without virtual channels. The routes here are the first of the
// Choices from any router that a route along any of the Choices visits.
type Acyclic interface {
	Topology
	// Acyclic does nothing: it says that the routes are so.
	Acyclic()
}

// Link is a directed link between two routers.
type Link struct {
	From, To int32
	// Class is an index into Classes.
	Class int16
	// Direction is +1 or -1 along a dimension of a torus, +1 up and -1 down a tree, and 0 on
	// other topologies.
	Direction int8
	// Wrap marks the links of a ring between its last and its first router. Each ring has one in
	// either direction, and breaking the cycle there avoids deadlock.
	Wrap bool
}

// Sign writes the direction of a link along a dimension.
func (l Link) Sign() string {
	if l.Direction < 0 {
		return "-"
	}
	return "+"
}

// between names a link by the routers at its ends, and its kind.
func between(l Link, kind string) string {
	return fmt.Sprintf("router %d to %d, %s", l.From, l.To, kind)
}
