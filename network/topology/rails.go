package topology

import "errors"

// Rails maps the NICs of nodes to the end points of a topology when the end points are NICs. The
// NICs of a node are next to each other, or each is on its own router.
type Rails struct {
	number int
	each   int // NICs on a router, each of another node; 0: the NICs of a node are next to each other
	nodes  int
}

// NewRails puts a number of NICs for each node on a topology. With own, each NIC of a node is on
// another router.
func NewRails(shape Topology, number int, own bool) (Rails, error) {
	r := Rails{number: number, nodes: shape.Nodes() / number}
	if !own || number == 1 {
		return r, nil
	}
	for r.each < shape.Nodes() && shape.Router(r.each) == shape.Router(0) {
		r.each++
	}
	if r.each == shape.Nodes() {
		return r, errors.New("nics.routers: own needs a topology of several routers, this one has one with nodes; give topology, or one")
	}
	r.nodes = shape.Nodes() / r.each / number * r.each
	return r, nil
}

// Nodes returns the number of nodes that fit.
func (r Rails) Nodes() int { return r.nodes }

// Point returns the end point of a NIC. If each NIC has its own router, neighbouring routers form
// sets of as many routers as a node has NICs. A set serves as many nodes as a router has end
// points.
func (r Rails) Point(node, nic int) int {
	if r.each == 0 {
		return node*r.number + nic
	}
	return (node/r.each*r.number+nic)*r.each + node%r.each
}
