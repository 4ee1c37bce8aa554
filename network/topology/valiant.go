package topology

import "overlapsim/sim"

// routing says which routes messages between groups take.
type routing uint8

const (
	minimal routing = iota
	valiant
	adaptive
)

// routings are the names of the routings.
var routings = []string{"minimal", "valiant", "adaptive"}

// grouped is a topology of groups of routers, all joined to each other.
type grouped interface {
	Averaged
	group(router int) int
	Joined() string
	count() int  // of groups
	detour() int // most links of a route by way of a third group
	// relay returns a node in the group of both routers, on neither of them, through which
	// messages between them may go. The function draw chooses among several such nodes. ok is
	// false if a relay would spread nothing.
	relay(at, target int, draw func(n int) int) (node int, ok bool)
}

func (g *globals) count() int { return g.groups }

// group returns the group of a router.
func (g *globals) group(router int) int { return router / g.size }

// Routed returns the topology with a routing by its name.
func Routed(t grouped, name string) Topology {
	switch name {
	case routings[valiant]:
		return &Valiant{t}
	case routings[adaptive]:
		return &Adaptive{t, &Valiant{t}}
	}
	return t
}

// Valiant is a topology of groups in which a message to another group goes by way of a third
// group. That spreads any traffic over all global links, at the price of longer routes (Valiant,
// "A scheme for fast parallel communication", SIAM J. Computing 11(2), 1982; for dragonflies Kim
// et al., ISCA 2008, section 4.1). Within a group of a dragonfly, a message goes by way of a
// third router. The route to the third group is minimal, and so is the route from the router at
// which it was entered. If there is no third group, the whole route is minimal.
//
// The third group of two nodes is drawn at random from a stream seeded with their numbers, all
// groups equally likely. Therefore the routes are static: they neither differ between two messages nor
// depend on the load of links. Hops describes these routes, Choices the minimal
// topology.
type Valiant struct{ grouped }

// MeanHops implements Averaged: two global links between groups. The local links are those of minimal routes, the least there are.
func (v *Valiant) MeanHops() []float64 {
	mean := v.grouped.MeanHops()
	if v.count() > 2 {
		mean[1] *= 2
	}
	return mean
}

// String adds the routing to the shape.
func (v *Valiant) String() string { return v.grouped.String() + ", Valiant" }

// Route leads to the third group and from there to the node.
func (v *Valiant) Route(from, to int, path []int32) []int32 {
	at, target := v.Router(from), v.Router(to)
	if at == target {
		return path
	}
	if v.group(at) == v.group(target) {
		if relay, ok := v.relay(at, target, v.draw(from, to)); ok {
			path, at = v.follow(at, relay, -1, path)
		}
	} else if third, ok := v.third(from, to); ok {
		perGroup := v.Nodes() / v.count()
		path, at = v.follow(at, third*perGroup+to%perGroup, third, path)
	}
	path, _ = v.follow(at, to, -1, path)
	return path
}

// draw returns a function that draws numbers for a pair of nodes, always the same ones.
func (v *Valiant) draw(from, to int) func(n int) int {
	return sim.NewStream(uint64(from), uint64(to)).Intn
}

// third returns the group through which a message to another group goes; ok is false if there is
// none.
func (v *Valiant) third(from, to int) (third int, ok bool) {
	g, h := v.group(v.Router(from)), v.group(v.Router(to))
	if v.count() < 3 {
		return 0, false
	}
	return neither(g, h, v.draw(from, to)(v.count()-2)), true
}

// neither returns the n-th number that is neither a nor b.
func neither(a, b, n int) int {
	if n >= min(a, b) {
		n++
	}
	if n >= max(a, b) {
		n++
	}
	return n
}

// follow appends the first choices from a router to a node until the route has entered the group.
// It also returns the router where the route then is.
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

// Diameter is the largest number of links that a route can have. In small shapes no pair may be
// that far apart.
func (v *Valiant) Diameter() int {
	if v.count() >= 3 {
		return v.detour()
	}
	within := 0
	if _, ok := v.relay(0, 1, func(int) int { return 0 }); ok {
		within = 2
	}
	return max(v.grouped.Diameter(), within)
}
