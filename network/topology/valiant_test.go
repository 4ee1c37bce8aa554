package topology

import (
	"slices"
	"testing"
)

// detoured are the shapes of the tests of Valiant routing.
var detoured = []func() (Topology, error){
	keyed(&dragonflyKeys{groupKeys{Groups: 9, PerRouter: 2, Global: 2, Routing: "valiant"}, 4}, 0),
	keyed(&dragonflyKeys{groupKeys{Groups: 5, PerRouter: 2, Global: 4, Routing: "valiant"}, 1}, 0),
	keyed(&dragonflyKeys{groupKeys{Groups: 4, PerRouter: 2, Cables: 1, Routing: "valiant"}, 4}, 0),
	keyed(&dragonflyKeys{groupKeys{Groups: 1, PerRouter: 2, Routing: "valiant"}, 4}, 0),
	keyed(&dragonflyKeys{groupKeys{Groups: 2, PerRouter: 1, Cables: 1, Routing: "valiant"}, 3}, 0),
	keyed(&plusKeys{groupKeys{Groups: 5, PerRouter: 2, Global: 4, Routing: "valiant"}, 2, 4}, 0),
	keyed(&plusKeys{groupKeys{Groups: 5, PerRouter: 2, Global: 1, Routing: "valiant"}, 2, 4}, 0),
}

// A route to another group takes two global links, through a group that is neither the first nor
// the last, if there is one; a route in a group of a dragonfly takes two local ones. It is
// connected and takes no link twice. The farthest pair is as far as Diameter says.
func TestValiantRoutes(t *testing.T) {
	for _, build := range detoured {
		v := built(t, build).(*Valiant)
		checkLinks(t, v)
		longest := 0
		for from := range v.Nodes() {
			for to := range v.Nodes() {
				path := v.Route(from, to, nil)
				checkDetour(t, v, from, to, path)
				longest = max(longest, len(path))
			}
		}
		if longest != v.Diameter() {
			t.Errorf("%v: the farthest pair is %d links apart, the diameter %d", v, longest, v.Diameter())
		}
	}
}

func checkDetour(t *testing.T, v *Valiant, from, to int, path []int32) {
	t.Helper()
	at, between := v.Router(from), []int{}
	for i, id := range path {
		l := v.Link(int(id))
		if int(l.From) != at || slices.Contains(path[:i], id) {
			t.Fatalf("%v: route %d-%d is %v: link %d does not go on from router %d", v, from, to, path, id, at)
		}
		at = int(l.To)
		if l.Class == 1 {
			between = append(between, v.group(at))
		}
	}
	g, h := v.group(v.Router(from)), v.group(v.Router(to))
	if at != v.Router(to) || len(path) != v.Hops(from, to) || !slices.Equal(path, v.Route(from, to, nil)) {
		t.Fatalf("%v: route %d-%d is %v and ends at router %d", v, from, to, path, at)
	}
	d, ok := v.grouped.(*Dragonfly)
	if relayed := ok && d.size > 2 && v.Router(from) != v.Router(to); relayed && g == h && len(path) != 2 {
		t.Fatalf("%v: route %d-%d within a group is %v", v, from, to, path)
	}
	if third := v.count() >= 3; g == h && len(between) > 0 || g != h && third &&
		(len(between) != 2 || between[0] == g || between[0] == h || between[1] != h) {
		t.Fatalf("%v: route %d-%d from group %d to %d passes the groups %v", v, from, to, g, h, between)
	}
}

// When the nodes of each router send to the nodes of the next router of their group, minimal
// routes share one local link; Valiant's take two each, and spread over the others.
func TestValiantSpreadsWithinGroups(t *testing.T) {
	v := built(t, keyed(&dragonflyKeys{groupKeys{Groups: 1, PerRouter: 16, Routing: "valiant"}, 16}, 0)).(*Valiant)
	next := func(yield func(from, to int)) {
		for from := range v.Nodes() {
			yield(from, (from+16)%v.Nodes())
		}
	}
	most, minimal := slices.Max(loads(v, next)), slices.Max(loads(v.grouped, next))
	if minimal != 16 || most >= 10 {
		t.Errorf("%d minimal routes share a link, want 16, and %d of Valiant's, want fewer than 10", minimal, most)
	}
}

// When each group sends all to the next one, minimal routes share the cables between the
// two; Valiant's take two global links each, and spread over all of them.
func TestValiantSpreads(t *testing.T) {
	for _, build := range []func() (Topology, error){
		keyed(&dragonflyKeys{groupKeys{Groups: 9, PerRouter: 16, Global: 4, Routing: "valiant"}, 8}, 0),
		keyed(&plusKeys{groupKeys{Groups: 9, PerRouter: 16, Global: 4, Routing: "valiant"}, 8, 8}, 0),
	} {
		v := built(t, build).(*Valiant)
		perGroup := v.Nodes() / v.count()
		next := func(yield func(from, to int)) {
			for from := range v.Nodes() {
				yield(from, (from+perGroup)%v.Nodes())
			}
		}
		most, total := globalLoad(v, loads(v, next))
		if total != 2*v.Nodes() {
			t.Errorf("%v: global links carry %d routes, want two for each of %d messages", v, total, v.Nodes())
		}
		least, _ := globalLoad(v.grouped, loads(v.grouped, next))
		if want := perGroup / 4; least != want {
			t.Errorf("%v: %d minimal routes share a global link, want %d", v, least, want)
		}
		if most >= least {
			t.Errorf("%v: %d routes share a global link, %d minimal ones", v, most, least)
		}
	}
}

// globalLoad returns the most routes of a global link, and the routes of all global links.
func globalLoad(top Topology, load []int) (most, total int) {
	for id, n := range load {
		if top.Link(id).Class == 1 {
			most, total = max(most, n), total+n
		}
	}
	return most, total
}

// Every third group is equally likely: over 20,000 pairs of two groups, each of seven others is
// drawn 2,857 times, give or take six standard deviations.
func TestValiantDraws(t *testing.T) {
	v := built(t, keyed(&dragonflyKeys{groupKeys{Groups: 9, PerRouter: 5, Global: 1, Routing: "valiant"}, 40}, 0)).(*Valiant)
	count := make([]int, 9)
	for from := range 100 {
		for to := range 200 {
			third, ok := v.third(from, 600+to)
			if !ok {
				t.Fatal("no third group")
			}
			count[third]++
		}
	}
	for group, n := range count {
		want := 2857
		if group == 0 || group == 3 {
			want = 0
		}
		if off := n - want; off*off > 36*want {
			t.Errorf("group %d is drawn %d times, want about %d", group, n, want)
		}
	}
}
