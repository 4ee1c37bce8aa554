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
	Global    int // h: global links per router
}

var dragonflies = Kind{
	Name: "dragonfly", Doc: "groups of routers, all to all within a group and between groups",
	Examples: []string{"groups: 3, routers: 2, global: 1, nodes_per_router: 2"},
	New:      func() Keys { return &dragonflyKeys{PerRouter: 1} },
}

// dragonflyKeys are the keys of a dragonfly in a machine file.
type dragonflyKeys struct {
	Groups    int `key:"topology.groups" unit:"count" in:"positive" doc:"groups"`
	Routers   int `key:"topology.routers" unit:"count" in:"positive" doc:"routers of a group"`
	PerRouter int `key:"topology.nodes_per_router" unit:"count" in:"positive" doc:"nodes on each router"`
	Global    int `key:"topology.global" unit:"count" in:"positive" doc:"global links of a router"`
}

// Build implements Keys.
func (k *dragonflyKeys) Build(int) (Topology, error) {
	return NewDragonfly(Groups{Number: k.Groups, Routers: k.Routers, PerRouter: k.PerRouter, Global: k.Global})
}

// Dragonfly is a dragonfly (Kim, Dally, Scott, Abts, ISCA 2008): the routers of a group
// are connected all to all, and so are the groups. Routes are minimal: they take at most
// one global link, and at most one local link on either side of it.
//
// The global ports of a group are numbered router by router. Every two groups are joined
// by the same number of cables, as many as the ports allow; the other ports stay free.
// Cable c of a group to the j-th of the other groups is on port c(g-1)+j: the consecutive
// arrangement (Hastings et al., CLUSTER 2015), repeated, which spreads the cables of two
// groups over their routers. Among cables that are equally near, a message to node n
// takes the first one from number n mod cables on.
//
// Class 0 are the local links, class 1 the global ones. Bisection is the cut
// between halves of the groups, or within a single group between halves of its
// routers (of an odd number, one half has one more).
type Dragonfly struct {
	groups, size, perRouter, ports int // g, a, p, h
	cables                         int // between two groups
	global                         int // number of the first global link
}

// NewDragonfly returns the dragonfly.
func NewDragonfly(shape Groups) (*Dragonfly, error) {
	d := &Dragonfly{groups: shape.Number, size: shape.Routers, perRouter: max(shape.PerRouter, 1), ports: shape.Global}
	var f faults
	f.atLeast("groups", shape.Number, 1)
	f.atLeast("routers per group", shape.Routers, 1)
	f.atLeast("nodes per router", shape.PerRouter, 0)
	f.atLeast("global links per router", shape.Global, 0)
	if len(f) == 0 {
		f.product("nodes", d.groups, d.size, d.perRouter)
		f.product("links", d.groups, d.size, max(d.size+d.ports-1, 1))
	}
	if len(f) > 0 {
		return nil, f.err()
	}
	d.global = d.groups * d.size * (d.size - 1)
	if d.groups > 1 {
		d.cables = d.size * d.ports / (d.groups - 1)
		if d.cables == 0 {
			return nil, fmt.Errorf("global links per router: %d groups need at least %d global links per group, got %d routers with %d each",
				d.groups, d.groups-1, d.size, d.ports)
		}
	}
	return d, nil
}

func (d *Dragonfly) String() string {
	return fmt.Sprintf("dragonfly %d groups of %d routers, %d nodes and %d global links per router",
		d.groups, d.size, d.perRouter, d.ports)
}

func (d *Dragonfly) Nodes() int          { return d.groups * d.size * d.perRouter }
func (d *Dragonfly) Routers() int        { return d.groups * d.size }
func (d *Dragonfly) Links() int          { return d.global + d.groups*(d.groups-1)*d.cables }
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

// port returns the global port of a group at which cable c to another group
// begins.
func (d *Dragonfly) port(group, other, c int) int {
	if other > group {
		other--
	}
	return c*(d.groups-1) + other
}

// gateway returns the router of a group at which cable c to another begins.
func (d *Dragonfly) gateway(group, other, c int) int {
	return group*d.size + d.port(group, other, c)/d.ports
}

// used returns the number of global ports of a group that have a cable.
func (d *Dragonfly) used() int { return (d.groups - 1) * d.cables }

func (d *Dragonfly) Link(id int) Link {
	if id < d.global {
		from, other := id/(d.size-1), id%(d.size-1)
		if other >= from%d.size {
			other++
		}
		return Link{From: int32(from), To: int32(from/d.size*d.size + other)}
	}
	group, port := (id-d.global)/d.used(), (id-d.global)%d.used()
	c, other := port/(d.groups-1), port%(d.groups-1)
	if other >= group {
		other++
	}
	return Link{From: int32(d.gateway(group, other, c)), To: int32(d.gateway(other, group, c)), Class: 1}
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
		path = append(path, int32(d.global+g*d.used()+d.port(g, h, c)))
		at = d.gateway(h, g, c)
	}
	if at != target {
		path = append(path, d.local(at, target))
	}
	return path
}

// nearest returns the shortest distance from a router to a node of another
// group, and the cable that the route takes.
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

// Choices are the local link to the target in its own group; in other groups, the links
// to all cables that are equally near.
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
		link := int32(d.global + g*d.used() + d.port(g, h, c))
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

// ends counts the routers of two groups at which their cables begin and end,
// and the pairs of routers that a cable joins. Router numbers grow with those of
// the cables.
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

func (d *Dragonfly) MeanHops() float64 {
	pairs := d.distances()
	sum := float64(pairs[1] + 2*pairs[2] + 3*pairs[3])
	return meanOfPairs(sum*float64(d.perRouter)*float64(d.perRouter), d.Nodes())
}

func (d *Dragonfly) Bisection(capacity []float64) float64 {
	half := func(n int) float64 { return float64((n / 2) * (n - n/2)) }
	switch {
	case d.groups > 1:
		return half(d.groups) * float64(d.cables) * capacity[1]
	case d.size > 1:
		return half(d.size) * capacity[0]
	}
	return narrowest()
}
