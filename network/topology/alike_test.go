package topology

import (
	"testing"

	"overlapsim/sim/must"
)

// built returns a topology, which must be possible.
func built(t *testing.T, build func() (Topology, error)) Topology {
	t.Helper()
	return must.Get(build())(t)
}

// Where two families have the same shape they have the same nodes, links and distances.
func TestFamiliesCoincide(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b func() (Topology, error)
	}{
		{"XGFT as a k-ary tree", keyed(&fatTreeKeys{Levels: 3, Arity: 4, Taper: 2}, 0),
			keyed(&fatTreeKeys{Taper: 1, Children: []int{4, 4, 4}, Parents: []int{2, 2}}, 0)},
		{"a taper in three digits", keyed(&fatTreeKeys{Levels: 2, Arity: 26, Taper: 1.86}, 0), tree([]int{26, 26}, []int{14})},
		{"HyperX of one dimension as a group of a dragonfly", hyperX(2, 5), groups(1, 5, 2, 0)},
		{"HyperX of lone groups", hyperX(3, 6), groups(6, 1, 3, 5)},
		{"HyperX of twos as a hypercube", hyperX(1, 2, 2, 2), grid(Mesh(2, 2, 2))},
		{"a group of a dragonfly+ as a fat tree", plus(Plus{Groups: 1, Leaves: 4, Spines: 3, PerLeaf: 2}), tree([]int{2, 4}, []int{3})},
		{"Tofu of one unit as mesh, ring and mesh", keyed(&tofuKeys{Units: []int{1, 1, 1}, Wrap: []bool{true}, Tie: "plus"}, 0),
			grid(Grid{Sizes: []int{2, 3, 2}, Open: []bool{true, false, true}})},
	} {
		t.Run(c.name, func(t *testing.T) { checkAlike(t, built(t, c.a), built(t, c.b)) })
	}
}

func checkAlike(t *testing.T, a, b Topology) {
	t.Helper()
	if a.Nodes() != b.Nodes() || a.Routers() != b.Routers() || a.Links() != b.Links() {
		t.Fatalf("%v has %d nodes, %d routers, %d links; %v %d, %d, %d",
			a, a.Nodes(), a.Routers(), a.Links(), b, b.Nodes(), b.Routers(), b.Links())
	}
	for from := range a.Nodes() {
		for to := range a.Nodes() {
			if x, y := a.Hops(from, to), b.Hops(from, to); x != y {
				t.Fatalf("%v has %d hops from %d to %d, %v has %d", a, x, from, to, b, y)
			}
		}
	}
}
