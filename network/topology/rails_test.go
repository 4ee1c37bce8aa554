package topology

import (
	"errors"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

// Every NIC has its own end point. The end points of a node are on one router, or each on another.
// All nodes have room, except a remainder that does not divide.
func TestRails(t *testing.T) {
	torus, err1 := NewTorus(Grid{Sizes: []int{4, 3}, PerRouter: 4})
	odd, err2 := NewTorus(Grid{Sizes: []int{5}, PerRouter: 3})
	tree, err3 := NewFatTree(Tree{Down: []int{4, 8}, Up: []int{2}})
	dragonfly, err4 := NewDragonfly(Groups{Number: 3, Routers: 4, PerRouter: 4, Global: 1})
	crossbar, err5 := NewCrossbar(12)
	must.Do(t, errors.Join(err1, err2, err3, err4, err5))
	for _, shape := range []Topology{torus, tree, dragonfly, crossbar} {
		for _, number := range []int{1, 2, 4} {
			for _, own := range []bool{false, true} {
				r, err := NewRails(shape, number, own)
				if shape.Routers() == 1 && own && number > 1 {
					if err == nil || !strings.Contains(err.Error(), "several routers") {
						t.Errorf("%v: %v", shape, err)
					}
					continue
				}
				if err != nil || r.Nodes() != shape.Nodes()/number {
					t.Fatalf("%v, %d NICs: room for %d nodes, %v", shape, number, r.Nodes(), err)
				}
				checkRails(t, shape, r, number, own)
			}
		}
	}
	if r, err := NewRails(odd, 2, true); err != nil || r.Nodes() != 6 {
		t.Errorf("two routers of five are pairs for three nodes each: %d, %v", r.Nodes(), err)
	}
}

func checkRails(t *testing.T, shape Topology, r Rails, number int, own bool) {
	taken := map[int]bool{}
	for node := range r.Nodes() {
		routers := map[int]bool{}
		for nic := range number {
			at := r.Point(node, nic)
			if at < 0 || at >= shape.Nodes() || taken[at] {
				t.Fatalf("%v: NIC %d of node %d is at %d", shape, nic, node, at)
			}
			taken[at], routers[shape.Router(at)] = true, true
		}
		if want := map[bool]int{true: number, false: 1}[own]; len(routers) != want {
			t.Fatalf("%v: the %d NICs of node %d are on %d routers, own: %v", shape, number, node, len(routers), own)
		}
	}
}
