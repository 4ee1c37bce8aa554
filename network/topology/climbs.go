package topology

import (
	"errors"
	"fmt"
	"math"

	"overlapsim/sim"
)

// The ways of messages up a fat tree.
const (
	byTarget = iota
	byPair
	byPacket
)

// climbs are their names.
var climbs = []string{"d-mod-k", "ecmp", "spray"}

// ECMP is a fat tree in which the parents that a message takes are drawn from the numbers of its two nodes, as switches do that
// hash the addresses of a flow (equal-cost multipath). All shortest routes are equally likely, and messages of a pair of nodes
// take the same one. Choices are as in the tree.
type ECMP struct{ *FatTree }

// String adds the routing to the shape.
func (e *ECMP) String() string { return e.FatTree.String() + ", ECMP" }

// Route implements Topology.
func (e *ECMP) Route(from, to int, path []int32) []int32 {
	return e.routeBy(from, to, sim.NewStream(uint64(from), uint64(to)).Intn(math.MaxInt32), path)
}

// Trunked is a topology some of whose links represent several cables, on which messages are spread evenly.
type Trunked interface {
	Topology
	// Cables is how many cables a link of a class represents.
	Cables(class int) int
}

// Sprayed is a fat tree in which the packets of each message take all parents alike. Therefore all cables between a
// subtree and the level
// above it carry the same, and are one link with the bandwidth of all: the tree in which every switch has one parent.
type Sprayed struct {
	*FatTree
	full *FatTree // with all its cables
}

// NewSprayed returns the fat tree with spraying.
func NewSprayed(shape Tree) (*Sprayed, error) {
	full, err := NewFatTree(shape)
	if err != nil {
		return nil, err
	}
	one := Tree{Down: shape.Down, Up: make([]int, len(shape.Up))}
	for i := range one.Up {
		one.Up[i] = 1
	}
	trunks, err := NewFatTree(one)
	return &Sprayed{trunks, full}, err
}

// String adds the routing to the shape.
func (s *Sprayed) String() string { return s.full.String() + ", sprayed" }

// Cables implements Trunked.
func (s *Sprayed) Cables(class int) int {
	l := &s.full.levels[class]
	return l.wide * l.parents
}

// Shape is the shape of the tree with all its cables.
func (s *Sprayed) Shape() Tree { return s.full.Shape() }

// LinkName says how many cables a link represents.
func (s *Sprayed) LinkName(id int) string {
	return fmt.Sprintf("%d cables, %s", s.Cables(int(s.Link(id).Class)), s.FatTree.LinkName(id))
}

// Untrunked returns an error if messages are spread over cables, for fabrics that do not know that.
func Untrunked(t Topology) error {
	if _, ok := t.(Trunked); ok {
		return errors.New("topology.multipath: spray is for the flow fabric, on others a message takes one way; use ecmp or d-mod-k")
	}
	return nil
}
