package topology

import "overlapsim/sim"

// routing says which way messages between groups take.
type routing uint8

const (
	minimal routing = iota
	valiant
)

// routings are the names of the ways.
var routings = []string{"minimal", "valiant"}

// grouped is a topology of groups of routers, all joined to each other.
type grouped interface {
	Topology
	group(router int) int
	count() int  // of groups
	detour() int // most links of a way by a third group
}

func (g *globals) count() int { return g.groups }

// group returns the group of a router.
func (g *globals) group(router int) int { return router / g.size }

// routed returns the topology with a routing by its name.
func routed(t grouped, name string) Topology {
	if name == routings[valiant] {
		return &Valiant{t}
	}
	return t
}

// Valiant is a topology of groups in which a message to another group goes by way of a
// third one, which spreads any traffic over all global links at the price of longer ways
// (Valiant, "A scheme for fast parallel communication", SIAM J. Computing 11(2), 1982; for
// dragonflies Kim et al., ISCA 2008, section 4.1). The way to the third group, and the way on
// from the router at which it was entered, are minimal. Within a group, and where there is
// no third one, messages take the minimal way.
//
// The third group of two nodes is drawn from their numbers, each as likely. So the routes
// are static: they neither differ between two messages nor look at the load of links.
// Hops and MeanHops are those of the routes; Choices and Bisection those of the minimal
// topology.
type Valiant struct{ grouped }

// String adds the routing to the shape.
func (v *Valiant) String() string { return v.grouped.String() + ", Valiant" }

// Route leads to the third group and from there to the node.
func (v *Valiant) Route(from, to int, path []int32) []int32 {
	at := v.Router(from)
	third, detour := v.third(from, to)
	if !detour {
		return v.grouped.Route(from, to, path)
	}
	perGroup := v.Nodes() / v.count()
	path, at = v.follow(at, third*perGroup+to%perGroup, third, path)
	path, _ = v.follow(at, to, -1, path)
	return path
}

// third returns the group by which a message goes; ok is false if it takes the minimal way.
func (v *Valiant) third(from, to int) (third int, ok bool) {
	g, h := v.group(v.Router(from)), v.group(v.Router(to))
	if g == h || v.count() < 3 {
		return 0, false
	}
	third = sim.NewStream(uint64(from), uint64(to)).Intn(v.count() - 2)
	if third >= min(g, h) {
		third++
	}
	if third >= max(g, h) {
		third++
	}
	return third, true
}

// follow appends the first choices from a router to a node, until the group is entered. It
// returns where they end.
func (v *Valiant) follow(at, to, group int, path []int32) ([]int32, int) {
	for at != v.Router(to) && v.group(at) != group {
		end := len(path)
		path = v.Choices(at, to, path)[:end+1]
		at = int(v.Link(int(path[end])).To)
	}
	return path, at
}

// Hops is the length of the route.
func (v *Valiant) Hops(from, to int) int {
	var room [16]int32
	return len(v.Route(from, to, room[:0]))
}

// Diameter is the most links that a route can have; small shapes may have no pair as far apart.
func (v *Valiant) Diameter() int {
	if v.count() < 3 {
		return v.grouped.Diameter()
	}
	return v.detour()
}

// MeanHops is found over all pairs of nodes.
func (v *Valiant) MeanHops() float64 {
	sum := 0
	for from := range v.Nodes() {
		for to := range v.Nodes() {
			sum += v.Hops(from, to)
		}
	}
	return meanOfPairs(float64(sum), v.Nodes())
}
