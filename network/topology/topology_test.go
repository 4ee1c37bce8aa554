package topology

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"overlapsim/sim"
	"overlapsim/sim/must"
)

// TestBadShapes checks the messages for impossible shapes.
func TestBadShapes(t *testing.T) {
	_, taper := kAryTree(3, 8, 3)
	_, idle := kAryTree(3, 8, 0)
	_, arity := kAryTree(0, 0, 1)
	for _, c := range []struct {
		name  string
		build func() (Topology, error)
		want  string
	}{
		{"crossbar 0", crossbar(0), "nodes: must be at least 1, got 0"},
		{"crossbar -3", crossbar(-3), "nodes: must be at least 1, got -3"},
		{"huge crossbar", crossbar(math.MaxInt), "nodes: more than 2147483647 nodes"},
		{"no dimensions", grid(Grid{}), "dims: a torus needs at least one dimension"},
		{"too many dimensions", grid(Grid{Sizes: slices.Repeat([]int{1}, 26)}), "dims: at most 25 dimensions, got 26"},
		{"sizes", grid(Grid{Sizes: []int{4, 0, -1}, PerRouter: -1}),
			"dims[1]: must be at least 1, got 0\ndims[2]: must be at least 1, got -1\nnodes_per_router: must be at least 0, got -1"},
		{"open", grid(Grid{Sizes: []int{4, 4}, Open: []bool{true}}), "wrap: 1 entries for 2 dimensions"},
		{"order twice", grid(Grid{Sizes: []int{4, 4}, Order: []int{1, 1}}), "order: must name each of the dimensions 0 to 1 once, got [1 1]"},
		{"order short", grid(Grid{Sizes: []int{4, 4}, Order: []int{0}}), "order: must name each of the dimensions 0 to 1 once, got [0]"},
		{"tie", grid(Grid{Sizes: []int{4}, Tie: 9}), "tie: unknown rule 9"},
		{"overflow", grid(Grid{Sizes: []int{1 << 20, 1 << 20, 1 << 20, 1 << 20}}),
			"nodes: more than 2147483647 nodes\nlinks: more than 2147483647 links"},
		{"many links", grid(Grid{Sizes: []int{1 << 10, 1 << 10, 1 << 10}}), "links: more than 2147483647 links"},
		{"no levels", tree(nil, nil), "down: a fat tree needs at least one level"},
		{"levels", tree([]int{4, 4}, []int{4, 4}), "up: a tree of 2 levels needs 1 entries, got 2"},
		{"arities", tree([]int{4, 0}, []int{-1}), "down[1]: must be at least 1, got 0\nup[0]: must be at least 1, got -1"},
		{"huge tree", tree([]int{1 << 20, 1 << 20}, []int{1}), "nodes: more than 2147483647 nodes"},
		{"bushy tree", tree([]int{1, 1 << 20}, []int{1 << 20}), "links: more than 2147483647 links"},
		{"taper", func() (Topology, error) { return nil, taper },
			"taper: 8 children with a taper of 3 have 2.667 parents, which is not a whole number; 3 parents have a taper of 2.667"},
		{"no taper", func() (Topology, error) { return nil, idle }, "taper: must be positive, got 0"},
		{"two ways", keyed(&fatTreeKeys{Levels: 2, Taper: 1, Children: []int{2}}, 0),
			"children: a tree is given by children and parents, or by levels, arity and taper, not by both"},
		{"parents", keyed(&fatTreeKeys{Taper: 1, Children: []int{2, 2, 2}, Parents: []int{2}}, 0),
			"parents: 3 levels of children need the parents of 2 levels (or of 3, with the parents of a node first), got 1"},
		{"two NICs", keyed(&fatTreeKeys{Taper: 1, Children: []int{2, 2}, Parents: []int{2, 2}}, 0),
			"parents[0]: a node has one parent, got 2; several NICs of a node are network.channels"},
		{"k-ary", func() (Topology, error) { return nil, arity }, "levels: must be at least 1, got 0\narity: must be at least 1, got 0"},
		{"no groups", groups(0, 0, -1, -1), "nodes_per_router: must be at least 0, got -1\n" +
			"groups: must be at least 1, got 0\nrouters: must be at least 1, got 0\nglobal: must be at least 0, got -1"},
		{"cables", cabled(3, 2, 1, 3), "cables: 2 routers with 1 global links each have room for 1 to each of 2 other groups, got 3"},
		{"no leaves", plus(Plus{Groups: 2, Spines: 1, PerLeaf: -1, Cables: 1}),
			"leaves: must be at least 1, got 0\nnodes_per_router: must be at least 0, got -1"},
		{"few spines", plus(Plus{Groups: 4, Leaves: 1, Spines: 1, Global: 2}),
			"global: 4 groups need at least 3 global links per group, got 1 spines with 2 each"},
		{"HyperX", hyperX(0, 0), "dims[0]: must be at least 1, got 0\nnodes_per_router: must be at least 1, got 0"},
		{"huge HyperX", hyperX(1, 1<<20), "links: more than 2147483647 links"},
		{"HyperX of nothing", keyed(&hyperXKeys{PerRouter: 1}, 0), "a HyperX needs dims"},
		{"two units", keyed(&tofuKeys{Units: []int{1, 1}, Wrap: []bool{true}}, 0),
			"units: a Tofu needs three numbers of units, got 2"},
		{"wraps of units", keyed(&tofuKeys{Units: []int{1, 1, 1}, Wrap: []bool{true, false}}, 0),
			"wrap: one entry, or three for x, y and z, got 2"},
		{"few global links", groups(10, 4, 1, 2),
			"global: 10 groups need at least 9 global links per group, got 4 routers with 2 each"},
		{"huge dragonfly", groups(1<<20, 1<<20, 1, 1), "nodes: more than 2147483647 nodes\nlinks: more than 2147483647 links"},
	} {
		if c.name == "huge crossbar" && math.MaxInt == math.MaxInt32 {
			continue // no int is too many nodes
		}
		_, err := c.build()
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: error\n%v, want\n%s", c.name, err, c.want)
		}
	}
}

// TestTies follows messages over exactly half of a ring of 8.
func TestTies(t *testing.T) {
	for _, c := range []struct {
		tie  Tie
		plus string // for each source: whether it goes +
	}{
		{TiePlus, "++++++++"},
		{TieParity, "+-+-+-+-"},
		{TieSimGrid, "++++-+++"},
	} {
		ring := must.Get(NewTorus(Grid{Sizes: []int{8}, Tie: c.tie}))(t)
		got := ""
		for from := range 8 {
			first := ring.Link(int(ring.Route(from, (from+4)%8, nil)[0]))
			got += map[int8]string{1: "+", -1: "-"}[first.Direction]
		}
		if got != c.plus {
			t.Errorf("tie rule %d: directions %s, want %s", c.tie, got, c.plus)
		}
	}
}

// TestWrapBreaksRings checks that each ring has one wrapping link in each direction, and
// an open dimension none.
func TestWrapBreaksRings(t *testing.T) {
	top := must.Get(NewTorus(Grid{Sizes: []int{4, 3, 2, 1}, Open: []bool{false, true, false, false}}))(t)
	count := map[[2]int]int{}
	for id := range top.Links() {
		if l := top.Link(id); l.Wrap {
			count[[2]int{int(l.Class), int(l.Direction)}]++
			at, next := top.Coordinates(int(l.From), nil), top.Coordinates(int(l.To), nil)
			a, b := at[l.Class], next[l.Class]
			if l.Direction < 0 {
				a, b = b, a
			}
			if a != top.Size(int(l.Class))-1 || b != 0 {
				t.Errorf("link %+v wraps from %v to %v", l, at, next)
			}
		}
	}
	want := map[[2]int]int{{0, 1}: 6, {0, -1}: 6, {2, 1}: 12, {2, -1}: 12}
	if fmt.Sprint(count) != fmt.Sprint(want) {
		t.Errorf("wrapping links by class and direction %v, want %v", count, want)
	}
}

// loads counts the routes through each link.
func loads(top Topology, pairs func(yield func(from, to int))) []int {
	load := make([]int, top.Links())
	pairs(func(from, to int) {
		for _, id := range top.Route(from, to, nil) {
			load[id]++
		}
	})
	return load
}

// TestShiftsOnFatTree: d-mod-k routes any shift without sharing a link where
// there are as many parents as children (Zahavi 2010, theorem 1).
func TestShiftsOnFatTree(t *testing.T) {
	for _, shape := range []Tree{{[]int{4, 4}, []int{4}}, {[]int{2, 2, 2}, []int{2, 2}}, {[]int{4, 4, 8}, []int{4, 4}}} {
		top := must.Get(NewFatTree(shape))(t)
		n := top.Nodes()
		for shift := range n {
			load := loads(top, func(yield func(from, to int)) {
				for r := range n {
					yield(r, (r+shift)%n)
				}
			})
			if most := slices.Max(load); most > 1 {
				t.Errorf("%v: %d routes of shift %d share a link", top, most, shift)
			}
		}
	}
}

// TestAllToAllLoads: all pairs of an odd torus of side k load every link with
// (k²-1)/8·kᵈ⁻¹ routes; on an even one the parity rule balances as well, k²/8·kᵈ⁻¹.
func TestAllToAllLoads(t *testing.T) {
	for _, c := range []struct {
		g    Grid
		want int
	}{
		{Grid{Sizes: []int{5, 5, 5}}, 3 * 25},
		{Grid{Sizes: []int{8, 8}, Tie: TieParity}, 8 * 8},
	} {
		top := must.Get(NewTorus(c.g))(t)
		load := loads(top, func(yield func(from, to int)) {
			for from := range top.Nodes() {
				for to := range top.Nodes() {
					yield(from, to)
				}
			}
		})
		if slices.Min(load) != c.want || slices.Max(load) != c.want {
			t.Errorf("%v: links carry %d to %d routes, want %d", top, slices.Min(load), slices.Max(load), c.want)
		}
	}
}

// TestLargeIsCheap: routes of machines as large as Hopper and Intrepid are
// right, and computing them allocates nothing.
func TestLargeIsCheap(t *testing.T) {
	hopper := must.Get(NewTorus(Grid{Sizes: []int{17, 8, 24}, PerRouter: 2}))(t)
	intrepid := must.Get(NewTorus(Grid{Sizes: []int{72, 32, 32}}))(t)
	for _, top := range []Topology{hopper, intrepid} {
		stream := sim.NewStream(1)
		path := make([]int32, 0, top.Diameter())
		var at, target, hops int
		allocated := testing.AllocsPerRun(1000, func() {
			from, to := stream.Intn(top.Nodes()), stream.Intn(top.Nodes())
			path = top.Route(from, to, path[:0])
			at, target, hops = top.Router(from), top.Router(to), top.Hops(from, to)
			for _, id := range path {
				l := top.Link(int(id))
				if int(l.From) != at {
					t.Fatalf("%v: route %d-%d breaks at %+v", top, from, to, l)
				}
				at = int(l.To)
			}
			if at != target || hops != len(path) {
				t.Fatalf("%v: route %d-%d ends at %d after %d of %d hops", top, from, to, at, len(path), hops)
			}
		})
		if allocated != 0 {
			t.Errorf("%v: %v allocations per route", top, allocated)
		}
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		build         func() (Topology, error)
		name, classes string
	}{
		{crossbar(3), "crossbar 3", ""},
		{grid(Grid{Sizes: []int{17, 8, 24}, PerRouter: 2}), "torus 17x8x24, 2 nodes per router", "x y z"},
		{grid(Grid{Sizes: []int{8, 4}, Open: []bool{false, true}}), "torus 8x4open", "x y"},
		{grid(Mesh(4, 4, 4, 4, 2)), "mesh 4x4x4x4x2", "a b c d e"},
		{tree([]int{8, 8, 16}, []int{8, 8}), "fat tree 8,8,16 up 8,8", "1-2 2-3"},
		{tree([]int{8}, nil), "fat tree 8", ""},
		{plus(Plus{Groups: 3, Leaves: 2, Spines: 2, Cables: 4}),
			"dragonfly+ 3 groups of 2 leaves and 2 spines, 1 nodes per leaf and 4 cables between two groups", "local global"},
		{hyperX(2, 4, 3), "hyperx 4x3, 2 nodes per router", "x y"},
		{keyed(&tofuKeys{Units: []int{4, 4, 4}, Wrap: []bool{true}, Tie: "plus"}, 0), "torus 4x4x4x2openx3x2open", "a b c d e f"},
		{groups(9, 4, 2, 2), "dragonfly 9 groups of 4 routers, 2 nodes and 2 global links per router, 1 cable between two groups", "local global"},
	} {
		top := must.Get(c.build())(t)
		if got := strings.Join(top.Classes(), " "); top.String() != c.name || got != c.classes {
			t.Errorf("%q with classes %q, want %q with %q", top, got, c.name, c.classes)
		}
	}
}

func BenchmarkRoute(b *testing.B) {
	top := must.Get(NewTorus(Grid{Sizes: []int{8, 16, 8}}))(b)
	path := make([]int32, 0, top.Diameter())
	links := 0
	for i := range b.N {
		path = top.Route(i%1024, i*733%1024, path[:0])
		links += len(path)
	}
	b.ReportMetric(float64(links)/b.Elapsed().Seconds(), "links/s")
}
