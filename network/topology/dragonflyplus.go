package topology

import (
	"fmt"
	"slices"
)

// Plus describes a Dragonfly+.
type Plus struct {
	Groups  int
	Leaves  int // leaf routers per group
	Spines  int // spine routers per group
	PerLeaf int // nodes on each leaf; 0: one
	Global  int // global links per spine; 0: as few as the cables need, without cables as many as leaves
	Cables  int // between every two groups; 0: as many as the global links allow
}

var dragonflyPluses = Kind{
	Name: "dragonfly-plus", Doc: "groups of leaf and spine routers, each leaf joined to each spine, groups all to all by their spines",
	Examples: []string{"groups: 3, leaves: 2, spines: 2, cables: 1, nodes_per_router: 2",
		"groups: 3, leaves: 2, spines: 2, cables: 2, routing: valiant"},
	New: func() Keys { return &plusKeys{groupKeys: newGroupKeys()} },
}

// plusKeys are the keys of a Dragonfly+ in a machine file.
type plusKeys struct {
	groupKeys
	Leaves int `key:"topology.leaves" unit:"count" in:"positive" doc:"leaf routers of a group, which have the nodes"`
	Spines int `key:"topology.spines" unit:"count" in:"positive" doc:"spine routers of a group, which have the global links"`
}

// Build implements Keys.
func (k *plusKeys) Build(int) (Topology, error) {
	d, err := NewDragonflyPlus(Plus{
		Groups: k.Groups, Leaves: k.Leaves, Spines: k.Spines, PerLeaf: k.PerRouter, Global: k.Global, Cables: k.Cables,
	})
	if err != nil {
		return nil, err
	}
	return Routed(d, k.Routing), nil
}

// DragonflyPlus is a Dragonfly+ (Shpiner, Haramaty, Eliad, Zdornov, Gafni, Zahavi, HiPINEB 2017),
// also known as Megafly (Flajslik, Borch, Parker, ISC 2018). The routers of a group are leaves,
// which have the nodes, and spines, which have the global links. Each leaf is joined to each
// spine of its group. Every two groups are joined by the same number of cables (globals). Routes
// are minimal and take at most one global link: they have two links within a group and three
// between groups. A message to node n takes spine n mod spines within a group and cable n mod
// cables between groups.
//
// Leaves are numbered before all spines. Class 0 are the local links, class 1 the global ones.
type DragonflyPlus struct {
	globals
	leaves  int // per group; globals.size are the spines
	perLeaf int
}

// NewDragonflyPlus returns the Dragonfly+.
func NewDragonflyPlus(shape Plus) (*DragonflyPlus, error) {
	d := &DragonflyPlus{leaves: shape.Leaves, perLeaf: max(shape.PerLeaf, 1)}
	var f faults
	f.atLeast("leaves", shape.Leaves, 1)
	f.atLeast("nodes_per_router", shape.PerLeaf, 0)
	d.globals = newGlobals(shape.Groups, shape.Spines, shape.Leaves, shape.Global, shape.Cables, "spines", &f)
	if len(f) == 0 {
		f.product("nodes", d.groups, d.leaves, d.perLeaf)
		f.product("links", d.groups, d.size, 2*d.leaves+d.ports)
	}
	d.first = 2 * d.groups * d.leaves * d.size
	return d, f.err()
}

func (d *DragonflyPlus) String() string {
	return fmt.Sprintf("dragonfly+ %d groups of %d leaves and %d spines, %d nodes per leaf and %s",
		d.groups, d.leaves, d.size, d.perLeaf, d.Joined())
}

func (d *DragonflyPlus) Nodes() int          { return d.groups * d.leaves * d.perLeaf }
func (d *DragonflyPlus) Routers() int        { return d.groups * (d.leaves + d.size) }
func (d *DragonflyPlus) Links() int          { return d.first + d.links() }
func (d *DragonflyPlus) Classes() []string   { return []string{"local", "global"} }
func (d *DragonflyPlus) Router(node int) int { return node / d.perLeaf }

// MeanHops implements Averaged: two local links, except between nodes of a leaf, and one global link between groups.
func (d *DragonflyPlus) MeanHops() []float64 {
	return []float64{2 - 2/float64(d.groups*d.leaves), 1 - 1/float64(d.groups)}
}

// spine returns the router of a spine by its number among all spines.
func (d *DragonflyPlus) spine(number int) int { return d.groups*d.leaves + number }

// up returns the link from a leaf to the s-th spine of its group. The link back down has the next
// number.
func (d *DragonflyPlus) up(leaf, s int) int32 { return int32(2 * (leaf*d.size + s)) }

func (d *DragonflyPlus) Link(id int) Link {
	if id >= d.first {
		l := d.join(id)
		l.From, l.To = int32(d.spine(int(l.From))), int32(d.spine(int(l.To)))
		return l
	}
	leaf, s := id/2/d.size, id/2%d.size
	low, high := int32(leaf), int32(d.spine(leaf/d.leaves*d.size+s))
	if id%2 == 0 {
		return Link{From: low, To: high, Direction: 1}
	}
	return Link{From: high, To: low, Direction: -1}
}

func (d *DragonflyPlus) LinkName(id int) string {
	l := d.Link(id)
	return between(l, d.Classes()[l.Class])
}

// group returns the group of a router.
func (d *DragonflyPlus) group(router int) int {
	if spine := router - d.groups*d.leaves; spine >= 0 {
		return spine / d.size
	}
	return router / d.leaves
}

func (d *DragonflyPlus) Route(from, to int, path []int32) []int32 {
	at, target := d.Router(from), d.Router(to)
	if at == target {
		return path
	}
	g, h := d.group(at), d.group(target)
	if g == h {
		s := to % d.size
		return append(path, d.up(at, s), 1+d.up(target, s))
	}
	c := to % d.cables
	return append(path, d.up(at, d.gateway(g, h, c)%d.size), d.leave(g, h, c), 1+d.up(target, d.gateway(h, g, c)%d.size))
}

// Choices are, at a leaf, the links to all spines of its group from which a shortest route goes
// on. At a spine they are the link to the target or all global links to its group. A spine with
// neither, which no route uses, has the links down to all its leaves.
func (d *DragonflyPlus) Choices(at, to int, out []int32) []int32 {
	target := d.Router(to)
	g, h := d.group(at), d.group(target)
	spine := at - d.groups*d.leaves
	switch {
	case at == target:
		return out
	case spine >= 0 && g == h:
		return append(out, 1+d.up(target, spine%d.size))
	case spine >= 0:
		return d.onward(spine, h, to, out)
	case g == h:
		for k := range d.size {
			out = append(out, d.up(at, (to+k)%d.size))
		}
		return out
	}
	first := len(out)
	for k := range d.cables {
		link := d.up(at, d.gateway(g, h, (to+k)%d.cables)%d.size)
		if !slices.Contains(out[first:], link) {
			out = append(out, link)
		}
	}
	return out
}

// onward appends the choices at a spine for a node of another group.
func (d *DragonflyPlus) onward(spine, other, to int, out []int32) []int32 {
	first, g := len(out), spine/d.size
	for k := range d.cables {
		if c := (to + k) % d.cables; d.gateway(g, other, c) == spine {
			out = append(out, d.leave(g, other, c))
		}
	}
	if len(out) > first {
		return out
	}
	for k := range d.leaves {
		out = append(out, 1+d.up(g*d.leaves+(to+k)%d.leaves, spine%d.size))
	}
	return out
}

// Acyclic implements Acyclic: a minimal route climbs, goes to another group at most once, and goes
// down.
func (d *DragonflyPlus) Acyclic() {}

func (d *DragonflyPlus) Hops(from, to int) int {
	a, b := d.Router(from), d.Router(to)
	switch {
	case a == b:
		return 0
	case d.group(a) == d.group(b):
		return 2
	}
	return 3
}

func (d *DragonflyPlus) Diameter() int {
	switch {
	case d.groups > 1:
		return 3
	case d.leaves > 1:
		return 2
	}
	return 0
}

// detour is the length of up, two global links and down. If a spine may have no cable to the
// group of the target, down and up between the two global links are added.
func (d *DragonflyPlus) detour() int {
	if d.ports >= d.groups-1 && d.used() == d.size*d.ports {
		return 4
	}
	return 6
}

// relay finds none, because the spines of a group already spread its messages.
func (d *DragonflyPlus) relay(int, int, func(n int) int) (node int, ok bool) { return 0, false }
