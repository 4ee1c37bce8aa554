package topology

import (
	"fmt"
	"slices"
)

// Groups describes a dragonfly.
type Groups struct {
	Number    int // g: groups
	Routers   int // a: routers per group
	PerRouter int // p: nodes on each router; 0: one
	Global    int // h: global links per router; 0: as few as the cables need, without cables as many as nodes
	Cables    int // between every two groups; 0: as many as the global links allow
}

var dragonflies = Kind{
	Name: "dragonfly", Doc: "groups of routers, all to all within a group and between groups",
	Examples: []string{"groups: 3, routers: 2, global: 1, nodes_per_router: 2", "groups: 3, routers: 2, cables: 2, routing: valiant",
		"groups: 4, routers: 2, nodes_per_router: 2, global: 2, routing: adaptive"},
	New: func() Keys { return &dragonflyKeys{groupKeys: newGroupKeys()} },
}

// dragonflyKeys are the keys of a dragonfly in a machine file.
type dragonflyKeys struct {
	groupKeys
	Routers int `key:"topology.routers" unit:"count" in:"positive" doc:"routers of a group"`
}

// Build implements Keys.
func (k *dragonflyKeys) Build(int) (Topology, error) {
	d, err := NewDragonfly(Groups{Number: k.Groups, Routers: k.Routers, PerRouter: k.PerRouter, Global: k.Global, Cables: k.Cables})
	if err != nil {
		return nil, err
	}
	return Routed(d, k.Routing), nil
}

// Dragonfly is a dragonfly (Kim, Dally, Scott, Abts, ISCA 2008): the routers of a group
// are connected all to all, and so are the groups. Routes are minimal: they take at most
// one global link, and at most one local link on either side of it.
//
// Every two groups are joined by the same number of cables (globals). Among cables that are
// equally near, a message to node n takes the first one, counted from cable n mod cables on.
//
// Class 0 are the local links, class 1 the global ones.
type Dragonfly struct {
	globals
	perRouter int // p
}

// NewDragonfly returns the dragonfly.
func NewDragonfly(shape Groups) (*Dragonfly, error) {
	d := &Dragonfly{perRouter: max(shape.PerRouter, 1)}
	var f faults
	f.atLeast("nodes_per_router", shape.PerRouter, 0)
	d.globals = newGlobals(shape.Number, shape.Routers, d.perRouter, shape.Global, shape.Cables, "routers", &f)
	if len(f) == 0 {
		f.product("nodes", d.groups, d.size, d.perRouter)
		f.product("links", d.groups, d.size, max(d.size+d.ports-1, 1))
	}
	d.first = d.groups * d.size * (d.size - 1)
	return d, f.err()
}

func (d *Dragonfly) String() string {
	return fmt.Sprintf("dragonfly %d groups of %d routers, %d nodes and %d global links per router, %s",
		d.groups, d.size, d.perRouter, d.ports, d.Joined())
}

func (d *Dragonfly) Nodes() int          { return d.groups * d.size * d.perRouter }
func (d *Dragonfly) Routers() int        { return d.groups * d.size }
func (d *Dragonfly) Links() int          { return d.first + d.globals.links() }
func (d *Dragonfly) Classes() []string   { return []string{"local", "global"} }
func (d *Dragonfly) Router(node int) int { return node / d.perRouter }

// local returns the link between two routers of a group.
func (d *Dragonfly) local(from, to int) int32 {
	other := to % d.size
	if to > from {
		other--
	}
	return int32(from*(d.size-1) + other)
}

func (d *Dragonfly) Link(id int) Link {
	if id >= d.first {
		return d.join(id)
	}
	from, other := id/(d.size-1), id%(d.size-1)
	if other >= from%d.size {
		other++
	}
	return Link{From: int32(from), To: int32(from/d.size*d.size + other)}
}

func (d *Dragonfly) LinkName(id int) string {
	l := d.Link(id)
	return between(l, d.Classes()[l.Class])
}

func (d *Dragonfly) Route(from, to int, path []int32) []int32 {
	at, target := d.Router(from), d.Router(to)
	if g, h := at/d.size, target/d.size; g != h {
		_, c := d.nearest(at, to)
		if gate := d.gateway(g, h, c); gate != at {
			path = append(path, d.local(at, gate))
		}
		path = append(path, d.leave(g, h, c))
		at = d.gateway(h, g, c)
	}
	if at != target {
		path = append(path, d.local(at, target))
	}
	return path
}

// nearest returns the shortest distance from a router to a node of another group, and the cable
// of that route.
func (d *Dragonfly) nearest(at, to int) (hops, cable int) {
	hops = 4
	for k := range d.cables {
		c := (to + k) % d.cables
		if h := d.through(at, to, c); h < hops {
			hops, cable = h, c
		}
	}
	return hops, cable
}

// through returns the distance from a router to a node of another group over a cable.
func (d *Dragonfly) through(at, to, cable int) int {
	target := d.Router(to)
	g, h := at/d.size, target/d.size
	hops := 1
	if d.gateway(g, h, cable) != at {
		hops++
	}
	if d.gateway(h, g, cable) != target {
		hops++
	}
	return hops
}

// Choices are the local link to the target within a group. Between groups, they are the links to
// all cables that are equally near.
func (d *Dragonfly) Choices(at, to int, out []int32) []int32 {
	target := d.Router(to)
	g, h := at/d.size, target/d.size
	if g == h {
		if at != target {
			out = append(out, d.local(at, target))
		}
		return out
	}
	first := len(out)
	hops, _ := d.nearest(at, to)
	for k := range d.cables {
		c := (to + k) % d.cables
		if d.through(at, to, c) != hops {
			continue
		}
		link := d.leave(g, h, c)
		if gate := d.gateway(g, h, c); gate != at {
			link = d.local(at, gate)
		}
		if !slices.Contains(out[first:], link) {
			out = append(out, link)
		}
	}
	return out
}

func (d *Dragonfly) Hops(from, to int) int {
	a, b := d.Router(from), d.Router(to)
	switch {
	case a == b:
		return 0
	case a/d.size == b/d.size:
		return 1
	}
	hops, _ := d.nearest(a, to)
	return hops
}

// ends counts the routers at which the cables between two groups begin and end, and the pairs of
// routers that a cable joins. Router numbers grow with cable numbers.
func (d *Dragonfly) ends(g, h int) (gates, entries, pairs int) {
	gate, entry := -1, -1
	for c := range d.cables {
		a, b := d.gateway(g, h, c), d.gateway(h, g, c)
		if a != gate || b != entry {
			pairs++
		}
		if a != gate {
			gates++
		}
		if b != entry {
			entries++
		}
		gate, entry = a, b
	}
	return gates, entries, pairs
}

// distances counts the ordered pairs of routers at 0, 1, 2 and 3 hops.
func (d *Dragonfly) distances() (pairs [4]int) {
	pairs[0] = d.Routers()
	pairs[1] = d.Routers() * (d.size - 1)
	for g := range d.groups {
		for h := range g {
			gates, entries, joined := d.ends(g, h)
			far := (d.size - gates) * (d.size - entries)
			pairs[1] += 2 * joined
			pairs[2] += 2 * (d.size*d.size - far - joined)
			pairs[3] += 2 * far
		}
	}
	return pairs
}

func (d *Dragonfly) Diameter() int {
	for hops, pairs := 3, d.distances(); hops > 0; hops-- {
		if pairs[hops] > 0 {
			return hops
		}
	}
	return 0
}

// MeanHops implements Averaged: one global link between groups, the rest of a route is local.
func (d *Dragonfly) MeanHops() []float64 {
	global, all := 1-1/float64(d.groups), 0.0
	for hops, pairs := range d.distances() {
		all += float64(hops) * float64(pairs)
	}
	return []float64{all/float64(d.Routers())/float64(d.Routers()) - global, global}
}

// detour is the length of two global links with a local link on either side of each.
func (d *Dragonfly) detour() int {
	if d.size == 1 {
		return 2
	}
	return 5
}

func (d *Dragonfly) relay(at, target int, draw func(n int) int) (node int, ok bool) {
	if d.size < 3 {
		return 0, false
	}
	first := at / d.size * d.size
	return (first + neither(at-first, target-first, draw(d.size-2))) * d.perRouter, true
}
