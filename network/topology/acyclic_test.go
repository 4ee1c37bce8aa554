package topology

import (
	"testing"

	"overlapsim/sim/must"
)

// checkAcyclic fails if a topology says that nothing waits in a circle on its routes, and links do.
func checkAcyclic(t *testing.T, top Topology) {
	if _, says := top.(Acyclic); says && circle(top) {
		t.Errorf("%v: links wait for each other in a circle", top)
	}
}

// The check finds circles: on rings, and between the groups of a dragonfly.
func TestCircle(t *testing.T) {
	for name, build := range map[string]func() (Topology, error){"ring": grid(Grid{Sizes: []int{5}}), "dragonfly": groups(9, 4, 2, 2)} {
		top := must.Get(build())(t)
		if !circle(top) {
			t.Errorf("%s: no circle found", name)
		}
	}
}

// circle tells whether links wait for each other in a circle: a packet that came over the first choice towards
// a node waits for the next first choice. A packet on its way may be at any router that choices lead to.
func circle(top Topology) bool {
	waits := make([]map[int32]bool, top.Links())
	for to := range top.Nodes() {
		seen := make([]bool, top.Routers())
		for from := range top.Nodes() {
			visit(top, top.Router(from), to, seen, waits)
		}
	}
	state := make([]int8, top.Links())
	for l := range waits {
		if closes(waits, int32(l), state) {
			return true
		}
	}
	return false
}

// visit notes what waits for what at a router and at those that its choices lead to.
func visit(top Topology, at, to int, seen []bool, waits []map[int32]bool) {
	if seen[at] {
		return
	}
	seen[at] = true
	for i, l := range top.Choices(at, to, nil) {
		next := int(top.Link(int(l)).To)
		visit(top, next, to, seen, waits)
		if after := top.Choices(next, to, nil); i == 0 && len(after) > 0 {
			if waits[l] == nil {
				waits[l] = map[int32]bool{}
			}
			waits[l][after[0]] = true
		}
	}
}

// closes tells whether a circle is reached from a link. A link is 1 while it is followed, and 2 afterwards.
func closes(waits []map[int32]bool, l int32, state []int8) bool {
	if state[l] != 0 {
		return state[l] == 1
	}
	state[l] = 1
	for after := range waits[l] {
		if closes(waits, after, state) {
			return true
		}
	}
	state[l] = 2
	return false
}
