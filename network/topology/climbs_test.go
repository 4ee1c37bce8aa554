package topology

import (
	"slices"
	"testing"

	"overlapsim/sim/must"
)

// Routes of ECMP are connected, as short as the routes of the tree, the same each time, and take all cables between levels alike.
func TestECMP(t *testing.T) {
	build := keyed(&fatTreeKeys{Taper: 1, Children: []int{8, 4, 4}, Parents: []int{4, 4}, Multipath: "ecmp"}, 0)
	e := built(t, build)
	load := make([]int, e.Links())
	for from := range e.Nodes() {
		for to := range e.Nodes() {
			path := e.Route(from, to, nil)
			if len(path) != e.Hops(from, to) || !slices.Equal(path, built(t, build).Route(from, to, nil)) {
				t.Fatalf("%d to %d: %v, %d hops", from, to, path, e.Hops(from, to))
			}
			at := e.Router(from)
			for _, l := range path {
				if int(e.Link(int(l)).From) != at {
					t.Fatalf("%d to %d: %v is not connected", from, to, path)
				}
				at = int(e.Link(int(l)).To)
				load[l]++
			}
			if at != e.Router(to) {
				t.Fatalf("%d to %d: %v ends at router %d", from, to, path, at)
			}
		}
	}
	// Of 8 x 120 pairs a switch of the lowest level sends 240 over each of 4 cables, and so on: binomial, 6 deviations.
	for l, n := range load {
		mean := 240.0
		if e.Link(l).Class == 1 {
			mean = 32 * 96 / 16
		}
		if d := float64(n) - mean; d*d > 36*mean {
			t.Errorf("%s carries %d routes, the mean is %.0f", e.LinkName(l), n, mean)
		}
	}
}

// A link of a sprayed tree stands for all cables of the tree between a subtree and the next level: together as many as before.
func TestSprayed(t *testing.T) {
	shape := Tree{Down: []int{8, 4, 4}, Up: []int{3, 2}}
	s := must.Get(NewSprayed(shape))(t)
	full := must.Get(NewFatTree(shape))(t)
	cables := 0
	for l := range s.Links() {
		cables += s.Cables(int(s.Link(l).Class))
	}
	if cables != full.Links() || s.Nodes() != full.Nodes() || s.Diameter() != full.Diameter() {
		t.Errorf("%d cables, the tree has %d", cables, full.Links())
	}
	if got := s.Shape(); !slices.Equal(got.Down, shape.Down) || !slices.Equal(got.Up, shape.Up) {
		t.Errorf("shape %v, want %v", got, shape)
	}
}
