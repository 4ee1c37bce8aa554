package topology

import (
	"slices"
	"testing"

	"overlapsim/sim/must"
)

// Hopper's node list is the serpentine order of its torus.
func TestSerpentineIsHopper(t *testing.T) {
	top, listed := hopper(t)
	if got := top.Serpentine(); !slices.Equal(got, listed) {
		t.Errorf("%d nodes, the list has %d; they differ", len(got), len(listed))
	}
}

// Every node comes once, and neighbours in the order are neighbours in space.
func TestSerpentineSteps(t *testing.T) {
	for _, g := range []Grid{
		{Sizes: []int{5}}, {Sizes: []int{1, 1}}, {Sizes: []int{2, 3, 4}, PerRouter: 2},
		{Sizes: []int{4, 1, 3}}, {Sizes: []int{3, 2, 2, 3}, PerRouter: 3},
	} {
		torus := must.Get(NewTorus(g))(t)
		order := torus.Serpentine()
		seen := make([]bool, torus.Nodes())
		for i, n := range order {
			if seen[n] {
				t.Fatalf("%v: node %d comes twice", torus, n)
			}
			seen[n] = true
			if i > 0 {
				if hops := torus.Hops(int(order[i-1]), int(n)); hops > 1 {
					t.Errorf("%v: %d hops from place %d to the next", torus, hops, i-1)
				}
			}
		}
		if len(order) != torus.Nodes() {
			t.Errorf("%v: %d of %d nodes", torus, len(order), torus.Nodes())
		}
	}
}
