package topology

import (
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

// row is one topology of the conformance kit, with its figures by hand.
type row struct {
	name     string
	build    func() (Topology, error)
	nodes    int
	routers  int
	links    int
	diameter int
	mean     float64 // hops over pairs of different nodes
	bisect   float64 // the narrowest of all cuts into halves, links of capacity 1, 10, 100, ... by class; 0: there are too many
	// oneGlobal: a route takes at most one link of class 1.
	oneGlobal bool
}

func grid(g Grid) func() (Topology, error) {
	return func() (Topology, error) { return NewTorus(g) }
}

func tree(down, up []int) func() (Topology, error) {
	return func() (Topology, error) { return NewFatTree(Tree{down, up}) }
}

func groups(g, a, p, h int) func() (Topology, error) {
	return func() (Topology, error) { return NewDragonfly(Groups{Number: g, Routers: a, PerRouter: p, Global: h}) }
}

func cabled(g, a, h, cables int) func() (Topology, error) {
	return func() (Topology, error) {
		return NewDragonfly(Groups{Number: g, Routers: a, Global: h, Cables: cables})
	}
}

func plus(p Plus) func() (Topology, error) {
	return func() (Topology, error) { return NewDragonflyPlus(p) }
}

func hyperX(perRouter int, sizes ...int) func() (Topology, error) {
	return func() (Topology, error) { return NewHyperX(sizes, perRouter) }
}

func crossbar(n int) func() (Topology, error) {
	return func() (Topology, error) { return NewCrossbar(n) }
}

// keyed builds the topology of a machine file with these keys, for a number of nodes.
func keyed(k Keys, nodes int) func() (Topology, error) {
	keyedKinds[reflect.TypeOf(k)] = true
	return func() (Topology, error) { return k.Build(nodes) }
}

// keyedKinds are the families that have a row with keys.
var keyedKinds = map[reflect.Type]bool{}

var rows = []row{
	{"crossbar by keys", keyed(&crossbarKeys{}, 6), 6, 1, 0, 0, 0, 0, false},
	{"mesh by keys", keyed(&TorusKeys{Sizes: []int{4, 4}, Wrap: []bool{false}, Tie: "plus"}, 0), 16, 16, 48, 6, 2 * 15. / 12 * 16 / 15, 4, false},
	{"tree by keys", keyed(&fatTreeKeys{Levels: 2, Arity: 4, Taper: 2}, 0), 16, 6, 16, 2, 2 * 12 / 15., 0, false},
	{"dragonfly by keys", keyed(&dragonflyKeys{groupKeys{Groups: 9, PerRouter: 2, Global: 2}, 4}, 0), 72, 36, 180, 3, 166. / 71, 0, true},
	{"tree with room for 7", keyed(&fatTreeKeys{Taper: 1}, 7), 8, 4 + 2, 16, 2, 2 * 6 / 7., 0, false},
	{"tree by a taper that is no whole number", keyed(&fatTreeKeys{Levels: 2, Arity: 3, Taper: 1.5}, 0), 9, 5, 12, 2, 1.5, 0, false},
	{"XGFT(3; 4,3,4; 1,2,3)", keyed(&fatTreeKeys{Taper: 1, Children: []int{4, 3, 4}, Parents: []int{1, 2, 3}}, 0), 48, 12 + 8 + 6,
		2 * (24 + 24), 4, (2*8 + 4*36) / 47., 0, false},
	{"tree with spraying", keyed(&fatTreeKeys{Taper: 1, Children: []int{4, 3}, Parents: []int{2}, Multipath: "spray"}, 0), 12, 3 + 1, 6, 2,
		2 * 8 / 11., 0, false},
	{"dragonfly+ by keys", keyed(&plusKeys{groupKeys{Groups: 3, PerRouter: 2, Global: 1}, 2, 2}, 0), 12, 12, 30, 3, 28. / 11, 0, true},
	{"HyperX by keys", keyed(&hyperXKeys{Sizes: []int{3, 2}, PerRouter: 1}, 0), 6, 6, 18, 2, 1.4, 0, false},
	{"Tofu by keys", keyed(&tofuKeys{Units: []int{1, 1, 2}, Wrap: []bool{true}, Tie: "plus"}, 0), 24, 24, 48 + 24 + 48 + 24, 4,
		(.5 + .5 + 2./3 + .5) * 24 / 23, 0, false},

	{"one node", crossbar(1), 1, 1, 0, 0, 0, 0, false},
	{"crossbar", crossbar(8), 8, 1, 0, 0, 0, 0, false},

	{"ring 2", grid(Grid{Sizes: []int{2}}), 2, 2, 4, 1, 1, 2, false},
	{"ring 5", grid(Grid{Sizes: []int{5}}), 5, 5, 10, 2, 1.5, 0, false},
	{"ring 16", grid(Grid{Sizes: []int{16}}), 16, 16, 32, 8, 64. / 15, 2, false},
	{"ring 16 by parity", grid(Grid{Sizes: []int{16}, Tie: TieParity}), 16, 16, 32, 8, 64. / 15, 2, false},
	{"ring 16 as SimGrid", grid(Grid{Sizes: []int{16}, Tie: TieSimGrid}), 16, 16, 32, 8, 64. / 15, 2, false},
	{"line 6", grid(Mesh(6)), 6, 6, 10, 5, 7. / 3, 1, false},
	{"torus 4x4", grid(Grid{Sizes: []int{4, 4}}), 16, 16, 64, 4, 32. / 15, 8, false},
	{"torus 3x3x3", grid(Grid{Sizes: []int{3, 3, 3}}), 27, 27, 162, 3, 54. / 26, 0, false},
	{"torus 4x3x2, two nodes", grid(Grid{Sizes: []int{4, 3, 2}, PerRouter: 2}), 48, 24, 144, 4, (1 + 2./3 + .5) * 48 / 47, 0, false},
	{"torus 4x1x3 in order 2,0,1", grid(Grid{Sizes: []int{4, 1, 3}, Order: []int{2, 0, 1}}), 12, 12, 48, 3, (1 + 2./3) * 12 / 11, 0, false},
	{"torus 5x4x4 by parity", grid(Grid{Sizes: []int{5, 4, 4}, Tie: TieParity}), 80, 80, 480, 6, (6./5 + 1 + 1) * 80 / 79, 0, false},
	{"torus 4x5x6 as SimGrid", grid(Grid{Sizes: []int{4, 5, 6}, Tie: TieSimGrid}), 120, 120, 720, 7, (1 + 6./5 + 1.5) * 120 / 119, 0, false},
	{"torus 4x4 open in y", grid(Grid{Sizes: []int{4, 4}, Open: []bool{false, true}}), 16, 16, 56, 5, (1 + 15./12) * 16 / 15, 0, false},
	{"mesh 4x4", grid(Mesh(4, 4)), 16, 16, 48, 6, 2 * 15. / 12 * 16 / 15, 4, false},
	{"hypercube of 32", grid(Mesh(2, 2, 2, 2, 2)), 32, 32, 160, 5, 2.5 * 32 / 31, 0, false},

	{"one switch", tree([]int{4}, nil), 4, 1, 0, 0, 0, 0, false},
	{"binary tree", tree([]int{2, 2, 2}, []int{1, 1}), 8, 7, 12, 4, (2*2 + 4*4) / 7., 0, false},
	{"2-ary 3-tree", tree([]int{2, 2, 2}, []int{2, 2}), 8, 12, 32, 4, (2*2 + 4*4) / 7., 0, false},
	{"full tree 4,4 up 4", tree([]int{4, 4}, []int{4}), 16, 8, 32, 2, 2 * 12 / 15., 0, false},
	{"tapered tree 4,3,4 up 2,3", tree([]int{4, 3, 4}, []int{2, 3}), 48, 12 + 8 + 6, 2 * (24 + 24), 4, (2*8 + 4*36) / 47., 0, false},
	{"idle level 3,1,2 up 2,2", tree([]int{3, 1, 2}, []int{2, 2}), 6, 2 + 4 + 4, 2 * (4 + 8), 4, 4 * 3 / 5., 0, false},

	{"one group", groups(1, 4, 2, 0), 8, 4, 12, 1, 6. / 7, 0, false},
	{"full dragonfly", groups(9, 4, 2, 2), 72, 36, 180, 3, 166. / 71, 0, true},
	{"dragonfly of 4 cables", groups(3, 4, 1, 2), 12, 12, 60, 2, 17. / 11, 0, true},
	{"dragonfly with a free port", groups(4, 2, 3, 2), 24, 8, 20, 3, 936. / 552, 0, true},
	{"dragonfly of 3 cables per router", groups(2, 2, 1, 3), 4, 4, 16, 2, 4. / 3, 0, true},
	{"dragonfly of lone routers", groups(5, 1, 2, 5), 10, 5, 20, 1, 8. / 9, 0, true},
	{"dragonfly by its cables", cabled(5, 4, 0, 2), 20, 20, 60 + 40, 3, 740. / 380, 0, true},
	{"dragonfly of fewer cables than fit", cabled(3, 4, 2, 1), 12, 12, 36 + 6, 3, 276. / 132, 0, true},

	{"dragonfly+ of one group", plus(Plus{Groups: 1, Leaves: 3, Spines: 2, PerLeaf: 2}), 6, 5, 12, 2, 8. / 5, 0, false},
	{"dragonfly+ of 4 cables", plus(Plus{Groups: 3, Leaves: 2, Spines: 2, Cables: 4}), 6, 12, 24 + 24, 3, 14. / 5, 0, true},
	{"dragonfly+ of lone leaves", plus(Plus{Groups: 4, Leaves: 1, Spines: 1, Global: 3}), 4, 8, 8 + 12, 3, 3, 0, true},
	{"dragonfly+ with spines of few groups", plus(Plus{Groups: 5, Leaves: 3, Spines: 4, Global: 1}), 15, 35, 120 + 20, 3,
		(2*2 + 3*12) / 14., 0, true},

	{"full mesh of 4, two nodes", hyperX(2, 4), 8, 4, 12, 1, 6. / 7, 4, false},
	{"HyperX 4x4", hyperX(1, 4, 4), 16, 16, 96, 2, 1.6, 16, false},
	{"HyperX 2x1x3", hyperX(1, 2, 1, 3), 6, 6, 18, 2, 1.4, 0, false},
}

// TestConformance checks every topology against the contract of the interface.
func TestConformance(t *testing.T) {
	must.Long(t)
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			top := must.Get(r.build())(t)
			checkFigures(t, r, top)
			checkLinks(t, top)
			checkNames(t, top)
			checkRoutes(t, top)
			checkChoices(t, r, top)
			checkMeans(t, r, top)
			checkAcyclic(t, top)
			if r.bisect > 0 {
				checkNarrowest(t, r, top)
			}
		})
	}
}

// Every family has a row with its keys. An unknown kind is an error that lists the known
// ones.
func TestKinds(t *testing.T) {
	for _, k := range Kinds() {
		if !keyedKinds[reflect.TypeOf(k.New())] {
			t.Errorf("no row has the keys of %s", k.Name)
		}
		if got, err := Lookup(k.Name); err != nil || got.Name != k.Name {
			t.Errorf("%s: %v, %v", k.Name, got, err)
		}
		if _, err := k.New().Build(8); k.Grows != (err == nil) {
			t.Errorf("%s grows: %v, but without keys: %v", k.Name, k.Grows, err)
		}
	}
	want := "kind: must be one of " + strings.Join(Names(), ", ") + ", got nonsense"
	if _, err := Lookup("nonsense"); err == nil || err.Error() != want {
		t.Errorf("an unknown kind: %v, want %s", err, want)
	}
}

func checkFigures(t *testing.T, r row, top Topology) {
	t.Helper()
	for _, c := range []struct {
		what      string
		got, want int
	}{
		{"nodes", top.Nodes(), r.nodes}, {"routers", top.Routers(), r.routers},
		{"links", top.Links(), r.links}, {"diameter", top.Diameter(), r.diameter},
	} {
		if c.got != c.want {
			t.Errorf("%v: %s %d, want %d", top, c.what, c.got, c.want)
		}
	}
}

// checkLinks checks that every link joins two routers, and that each router has as many
// incoming as outgoing links of every class and direction.
func checkLinks(t *testing.T, top Topology) {
	t.Helper()
	balance := map[[3]int]int{}
	for id := range top.Links() {
		l := top.Link(id)
		if l.From == l.To || min(l.From, l.To) < 0 || int(max(l.From, l.To)) >= top.Routers() {
			t.Fatalf("%v: link %d is %+v", top, id, l)
		}
		if l.Class < 0 || int(l.Class) >= len(top.Classes()) {
			t.Fatalf("%v: link %d has class %d of %v", top, id, l.Class, top.Classes())
		}
		// The cable's other direction.
		balance[[3]int{int(l.From), int(l.To), int(l.Class)}]++
		balance[[3]int{int(l.To), int(l.From), int(l.Class)}]--
	}
	for k, v := range balance {
		if v != 0 {
			t.Errorf("%v: %+d links from router %d to %d of class %d than back", top, v, k[0], k[1], k[2])
		}
	}
}

// checkNames checks that every link has its own name, unless several cables join the
// same routers, and that the name says its class.
func checkNames(t *testing.T, top Topology) {
	t.Helper()
	type ends struct {
		from, to  int32
		class     int16
		direction int8
	}
	seen := map[string]ends{}
	for id := range top.Links() {
		l, name := top.Link(id), top.LinkName(id)
		e := ends{l.From, l.To, l.Class, l.Direction}
		if other, taken := seen[name]; taken && other != e {
			t.Errorf("%v: two links are called %s: %+v and %+v", top, name, other, e)
		}
		if class := top.Classes()[l.Class]; !strings.HasSuffix(name, class) {
			t.Errorf("%v: link %s does not say that it is of class %s", top, name, class)
		}
		seen[name] = e
	}
}

// checkRoutes checks that routes are connected, take no link twice, are always the same,
// are as long as Hops says, and consist of first choices.
func checkRoutes(t *testing.T, top Topology) {
	t.Helper()
	for from := range top.Nodes() {
		for to := range top.Nodes() {
			path := top.Route(from, to, []int32{-7})
			again := top.Route(from, to, make([]int32, 1, 3))
			if path[0] != -7 || !slices.Equal(path[1:], again[1:]) {
				t.Fatalf("%v: route %d-%d is %v, then %v", top, from, to, path, again)
			}
			path = path[1:]
			if len(path) != top.Hops(from, to) {
				t.Fatalf("%v: route %d-%d has %d links, Hops says %d", top, from, to, len(path), top.Hops(from, to))
			}
			at := top.Router(from)
			for i, id := range path {
				l := top.Link(int(id))
				if int(l.From) != at || slices.Contains(path[:i], id) {
					t.Fatalf("%v: route %d-%d is %v: link %d is %+v, not a way on from router %d", top, from, to, path, id, l, at)
				}
				if first := top.Choices(at, to, nil); len(first) == 0 || first[0] != id {
					t.Fatalf("%v: route %d-%d takes %d, the first choice of %v", top, from, to, id, first)
				}
				at = int(l.To)
			}
			if at != top.Router(to) {
				t.Fatalf("%v: route %d-%d ends at router %d, not %d", top, from, to, at, top.Router(to))
			}
		}
	}
}

// state is a router, and the number of links of class 1 that a route may still take from there.
type state struct{ router, globals int }

// checkChoices compares the choices, and the hops between nodes, with shortest paths by
// breadth-first search: all links that lead closer, and no others.
func checkChoices(t *testing.T, r row, top Topology) {
	t.Helper()
	for to := range top.Nodes() {
		distance := search(top, top.Router(to), r.oneGlobal)
		for at := range top.Routers() {
			var want []int32
			here := distance[state{at, 1}]
			for id := range top.Links() {
				l := top.Link(id)
				if d, ok := distance[after(l, 1, r.oneGlobal)]; int(l.From) == at && ok && d == here-1 {
					want = append(want, int32(id))
				}
			}
			got := top.Choices(at, to, nil)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("%v: choices at router %d to node %d are %v, want %v", top, at, to, got, want)
			}
		}
		for from := range top.Nodes() {
			if h := top.Hops(from, to); h != distance[state{top.Router(from), 1}] {
				t.Fatalf("%v: %d hops from %d to %d, shortest path %d", top, h, from, to, distance[state{top.Router(from), 1}])
			}
		}
	}
}

// after is the state at the end of a link.
func after(l Link, globals int, limited bool) state {
	if limited && l.Class == 1 {
		globals--
	}
	return state{int(l.To), globals}
}

// search returns the distance to a router from every state that reaches it.
func search(top Topology, target int, limited bool) map[state]int {
	distance := map[state]int{{target, 0}: 0, {target, 1}: 0}
	frontier := []state{{target, 0}, {target, 1}}
	for len(frontier) > 0 {
		var next []state
		for id := range top.Links() {
			l := top.Link(id)
			for globals := range 2 {
				s := state{int(l.From), globals}
				if _, known := distance[s]; known {
					continue
				}
				if a := after(l, globals, limited); slices.Contains(frontier, a) {
					distance[s] = distance[a] + 1
					next = append(next, s)
				}
			}
		}
		frontier = next
	}
	return distance
}

// checkMeans compares the diameter, and the mean hops by hand, with sums over all pairs.
func checkMeans(t *testing.T, r row, top Topology) {
	t.Helper()
	sum, longest, by, on := 0, 0, make([]float64, len(top.Classes())), make([]float64, top.Links())
	for from := range top.Nodes() {
		for to := range top.Nodes() {
			h := top.Hops(from, to)
			sum, longest = sum+h, max(longest, h)
			for _, l := range top.Route(from, to, nil) {
				by[top.Link(int(l)).Class]++
				on[l]++
			}
		}
	}
	if s, ok := top.(Skewed); ok {
		most, links := make([]float64, len(by)), make([]float64, len(by))
		for l, load := range on {
			class := top.Link(l).Class
			most[class], links[class] = max(most[class], load), links[class]+1
		}
		for class, got := range s.Skew() {
			if want := most[class] * links[class] / by[class]; by[class] > 0 && math.Abs(got-want) > 1e-12*want {
				t.Errorf("%v: the most loaded link of class %d has %v times the mean load, counted %v", top, class, got, want)
			}
		}
	}
	if s, ok := top.(Averaged); ok {
		for class, got := range s.MeanHops() {
			if want := by[class] / float64(top.Nodes()) / float64(top.Nodes()); math.Abs(got-want) > 1e-12 {
				t.Errorf("%v: %v links of class %d, counted %v", top, got, class, want)
			}
		}
	} else if top.Links() > 0 {
		t.Errorf("%v does not know how far messages go", top)
	}
	if longest != top.Diameter() {
		t.Errorf("%v: diameter %d, farthest pair %d", top, top.Diameter(), longest)
	}
	n := float64(top.Nodes())
	if mean := float64(sum) / max(n*(n-1), 1); math.Abs(mean-r.mean) > 1e-12*mean {
		t.Errorf("%v: mean hops %v, want %v", top, mean, r.mean)
	}
}

// checkNarrowest compares the bisection by hand with all cuts of the routers into halves.
func checkNarrowest(t *testing.T, r row, top Topology) {
	t.Helper()
	links := make([]Link, top.Links())
	for i := range links {
		links[i] = top.Link(i)
	}
	least := math.Inf(1)
	for half := uint32(0); half < 1<<top.Routers(); half++ {
		if 2*bits.OnesCount32(half) != top.Routers() {
			continue
		}
		cut := 0.0
		for _, l := range links {
			if half>>l.From&1 == 1 && half>>l.To&1 == 0 {
				cut += math.Pow10(int(l.Class))
			}
		}
		least = min(least, cut)
	}
	if least != r.bisect {
		t.Errorf("%v: narrowest cut %v, want %v", top, least, r.bisect)
	}
}
