package topology

import "errors"

// Rails says at which end points of a topology the NICs of nodes are, if the end points are
// NICs: those of a node one after the other, or each on a router of its own.
type Rails struct {
	number int
	each   int // NICs on a router, each of another node; 0: those of a node follow each other
	nodes  int
}

// NewRails puts n NICs of each node on a topology.
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

// Nodes returns how many nodes there is room for.
func (r Rails) Nodes() int { return r.nodes }

// Point returns the end point of a NIC. With a router each, as many nodes as a router has
// ends share as many neighbouring routers as a node has NICs.
func (r Rails) Point(node, nic int) int {
	if r.each == 0 {
		return node*r.number + nic
	}
	return (node/r.each*r.number+nic)*r.each + node%r.each
}
