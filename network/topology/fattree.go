package topology

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Tree describes a fat tree of switches, level 1 at the bottom: the extended
// generalised fat tree XGFT(h; m1..mh; 1, w2..wh) of Öhring, Ibel, Das and Kumar
// (IPPS 1995).
type Tree struct {
	Down []int // m: children of a switch of level 1, 2, ...; the children of level 1 are nodes
	Up   []int // w: parents of a switch of level 1, 2, ... below the top: one entry fewer than Down
}

// kAryTree returns the tree in which every switch has arity children and, below the top,
// arity/taper parents: a k-ary n-tree if taper is 1. The number of parents must be whole. A taper
// that was rounded to three digits gives the nearest whole number.
func kAryTree(levels, arity int, taper float64) (Tree, error) {
	var f faults
	f.atLeast("levels", levels, 1)
	f.atLeast("arity", arity, 1)
	if !(taper > 0) || math.IsInf(taper, 1) {
		f.add("taper: must be positive, got %v", taper)
	}
	if len(f) > 0 {
		return Tree{}, f.err()
	}
	exact := float64(arity) / taper
	parents := max(1, int(math.Round(min(exact, math.MaxInt32))))
	if math.Abs(exact-float64(parents)) > rounded*exact {
		f.add("taper: %d children with a taper of %v have %.4g parents, which is not a whole number; %d parents have a taper of %.4g",
			arity, taper, exact, parents, float64(arity)/float64(parents))
	}
	return Tree{Down: slices.Repeat([]int{arity}, levels), Up: slices.Repeat([]int{parents}, levels-1)}, f.err()
}

// roomyTree returns the tree of two levels with room for some nodes that has the smallest switches: a leaf has k nodes and k/taper
// parents, and a switch above no more children than a leaf has ports.
func roomyTree(nodes int, taper float64) (Tree, error) {
	for k := 1; ; k++ {
		tree, err := kAryTree(2, k, taper)
		if err == nil && k*(k+tree.Up[0]) >= nodes {
			tree.Down[1] = max(1, (nodes+k-1)/k)
			return tree, nil
		}
		if k > max(nodes, largestPort) {
			return tree, err
		}
	}
}

// largestPort is how many children a switch is tried with, for a taper that few numbers of children have.
const largestPort = 1000

// rounded is the largest relative difference between a given taper and the taper of a whole number
// of parents.
const rounded = 0.005

var fatTrees = Kind{
	Name: "fat-tree", Doc: "switches in levels, nodes below the lowest (a folded Clos)",
	Examples: []string{"levels: 2, arity: 3, taper: 1.5", "children: [2, 3], parents: [2]", "children: [2, 3], parents: [2], multipath: ecmp"},
	Grows:    true, Sizes: []string{"topology.levels", "topology.arity", "topology.children", "topology.parents"},
	New: func() Keys { return &fatTreeKeys{Taper: 1, Multipath: climbs[byTarget]} },
}

// fatTreeKeys are the keys of a fat tree in a machine file.
type fatTreeKeys struct {
	Levels    int     `key:"topology.levels" unit:"count" in:"positive" instead:"topology.children topology.parents" doc:"levels of switches; without levels, arity, children and parents: two, of the smallest switches with room for the nodes"`
	Arity     int     `key:"topology.arity" unit:"count" in:"positive" instead:"topology.children topology.parents" doc:"children of a switch"`
	Taper     float64 `key:"topology.taper" unit:"number" in:"positive" doc:"children per parent; the parents are a whole number"`
	Children  []int   `key:"topology.children" unit:"count" in:"positive" instead:"topology.levels topology.arity topology.taper" doc:"children of a switch of each level, from the nodes up, instead of levels, arity and taper"`
	Parents   []int   `key:"topology.parents" unit:"count" in:"positive" instead:"topology.levels topology.arity topology.taper" doc:"parents of a switch of each level but the top, in addition to children; the parents of a node, 1, may be listed before them"`
	Multipath string  `key:"topology.multipath" unit:"text" choices:"d-mod-k,ecmp,spray" doc:"which parents a message takes: those that its target says; drawn for each pair of nodes; or all of them alike, packet by packet (on the flow fabric)"`
}

// Build implements Keys.
func (k *fatTreeKeys) Build(nodes int) (Topology, error) {
	tree, err := k.tree(nodes)
	if err != nil {
		return nil, err
	}
	switch k.Multipath {
	case climbs[byPair]:
		t, err := NewFatTree(tree)
		return &ECMP{t}, err
	case climbs[byPacket]:
		return NewSprayed(tree)
	}
	return NewFatTree(tree)
}

// tree returns the tree that the keys describe, in either of their two forms, or one with room for some nodes.
func (k *fatTreeKeys) tree(nodes int) (Tree, error) {
	if k.Children == nil && k.Parents == nil && k.Levels == 0 && k.Arity == 0 {
		return roomyTree(nodes, k.Taper)
	}
	if k.Children == nil && k.Parents == nil {
		return kAryTree(k.Levels, k.Arity, k.Taper)
	}
	var f faults
	switch {
	case k.Levels == 0 && k.Arity == 0 && k.Taper != 1:
		f.add("taper: is of a tree given by levels and arity; one given by children has it by its parents")
	case k.Levels != 0 || k.Arity != 0:
		f.add("children: a tree is given by children and parents, or by levels, arity and taper, not by both")
	}
	up, h := k.Parents, len(k.Children)
	switch {
	case h == 0 || len(up) != h && len(up) != h-1:
		f.add("parents: %d levels of children need the parents of %d levels (or of %d, with the parents of a node first), got %d",
			h, max(h-1, 0), h, len(up))
	case len(up) == h && up[0] != 1:
		f.add("parents[0]: a node has one parent, got %d; several NICs of a node are network.channels", up[0])
	case len(up) == h:
		up = up[1:]
	}
	return Tree{Down: k.Children, Up: up}, f.err()
}

// FatTree is a tree with several parents per switch. A route climbs to the lowest level that has
// both nodes below it and goes down again. A switch of level l has w parents; for node d it takes
// number ⌊d / (w2·...·wl)⌋ mod w. This is d-mod-k (Zahavi, "D-Mod-K routing providing
// non-blocking traffic for shift permutations on real life fat trees", 2010). All parents are
// choices.
//
// Class l-1 are the cables between levels l and l+1.
type FatTree struct {
	levels []level
	links  int
}

// level is one level of switches. The nodes below a level are divided into subtrees of below
// nodes each, and wide switches stand above each subtree. Switch first + s·wide + p is the p-th
// of those above subtree s. Its parents stand above subtree s/m and have the numbers p + q·wide
// there, for q < parents.
type level struct {
	down, parents int // children and parents of a switch
	below         int // nodes below a switch
	wide          int // switches above the same nodes
	first         int // number of the first switch
	base          int // number of the first link between here and the next level

	byParents, byBelow, byWide divisor
}

// NewFatTree returns the fat tree.
func NewFatTree(shape Tree) (*FatTree, error) {
	if err := shape.check(); err != nil {
		return nil, err
	}
	t := &FatTree{}
	subtrees, below, wide, first := 1, 1, 1, 0
	for _, m := range shape.Down {
		subtrees *= m
	}
	for i, m := range shape.Down {
		subtrees, below = subtrees/m, below*m
		l := level{down: m, below: below, wide: wide, first: first, base: t.links, byBelow: divideBy(below), byWide: divideBy(wide)}
		first += subtrees * wide
		if i < len(shape.Up) {
			l.parents = shape.Up[i]
			t.links += 2 * subtrees * wide * l.parents
			l.byParents = divideBy(l.parents)
			wide *= l.parents
		}
		t.levels = append(t.levels, l)
	}
	return t, nil
}

// check returns all that is wrong with the shape.
func (s *Tree) check() error {
	var f faults
	if len(s.Down) == 0 {
		f.add("down: a fat tree needs at least one level")
	} else if len(s.Up) != len(s.Down)-1 {
		f.add("up: a tree of %d levels needs %d entries, got %d", len(s.Down), len(s.Down)-1, len(s.Up))
	}
	f.allPositive("down", s.Down)
	f.allPositive("up", s.Up)
	if len(f) > 0 {
		return f.err()
	}
	f.product("nodes", s.Down...)
	for i := 0; i < len(s.Up) && len(f) == 0; i++ {
		f.product("links", slices.Concat([]int{2 * len(s.Down)}, s.Up[:i+1], s.Down[i+1:])...)
	}
	return f.err()
}

// String names children and parents level by level: "fat tree 8,8,16 up 8,8".
func (t *FatTree) String() string {
	var down, up []string
	for _, l := range t.levels {
		down = append(down, fmt.Sprint(l.down))
		up = append(up, fmt.Sprint(l.parents))
	}
	name := "fat tree " + strings.Join(down, ",")
	if len(up) > 1 {
		name += " up " + strings.Join(up[:len(up)-1], ",")
	}
	return name
}

// Shape returns the children and the parents of the switches of each level.
func (t *FatTree) Shape() (shape Tree) {
	for _, l := range t.levels {
		shape.Down, shape.Up = append(shape.Down, l.down), append(shape.Up, l.parents)
	}
	shape.Up = shape.Up[:len(shape.Up)-1]
	return shape
}

func (t *FatTree) top() *level { return &t.levels[len(t.levels)-1] }

func (t *FatTree) Nodes() int          { return t.top().below }
func (t *FatTree) Routers() int        { return t.top().first + t.top().wide }
func (t *FatTree) Links() int          { return t.links }
func (t *FatTree) Router(node int) int { return node / t.levels[0].below }

// MeanHops implements Averaged: one link up from a level and one down to it, except between nodes below one switch.
func (t *FatTree) MeanHops() (mean []float64) {
	for _, l := range t.levels[:len(t.levels)-1] {
		mean = append(mean, 2*(1-float64(l.below)/float64(t.Nodes())))
	}
	return mean
}

// Classes are the levels between which the links are: "1-2", "2-3", ...
func (t *FatTree) Classes() []string {
	names := make([]string, len(t.levels)-1)
	for i := range names {
		names[i] = fmt.Sprintf("%d-%d", i+1, i+2)
	}
	return names
}

// climb returns the link from switch p of subtree s to its parent q. The link back down has the
// next number.
func (l *level) climb(s, p, q int) int32 { return int32(l.base + 2*((s*l.wide+p)*l.parents+q)) }

func (t *FatTree) Link(id int) Link {
	i := len(t.levels) - 2
	for t.levels[i].base > id {
		i--
	}
	l, above := &t.levels[i], &t.levels[i+1]
	cable := (id - l.base) / 2
	child, q := cable/l.parents, cable%l.parents
	s, p := child/l.wide, child%l.wide
	low, high := int32(l.first+child), int32(above.first+s/above.down*above.wide+p+q*l.wide)
	if (id-l.base)%2 == 0 {
		return Link{From: low, To: high, Class: int16(i), Direction: 1}
	}
	return Link{From: high, To: low, Class: int16(i), Direction: -1}
}

func (t *FatTree) LinkName(id int) string {
	l := t.Link(id)
	return between(l, "levels "+t.Classes()[l.Class])
}

// Route takes, at every level, the switch whose number among those above the same nodes is the
// target modulo their count. Upward this is d-mod-k; downward it is the only way.
func (t *FatTree) Route(from, to int, path []int32) []int32 { return t.routeBy(from, to, to, path) }

// routeBy is a route by the switches that a number says: at every level, the one of that number modulo their count.
func (t *FatTree) routeBy(from, to, by int, path []int32) []int32 {
	turn := t.meet(from, to)
	first, last := len(path), len(path)+2*turn
	path = slices.Grow(path, 2*turn)[:last]
	for i := range turn {
		l := &t.levels[i]
		above := l.byWide.of(by)
		p, q := by-above*l.wide, above-l.byParents.of(above)*l.parents
		path[first+i] = l.climb(l.byBelow.of(from), p, q)
		path[last-i-1] = 1 + l.climb(l.byBelow.of(to), p, q)
	}
	return path
}

// meet returns the index of the lowest level that has both nodes below one
// switch.
func (t *FatTree) meet(a, b int) int {
	i := 0
	for t.levels[i].byBelow.of(a) != t.levels[i].byBelow.of(b) {
		i++
	}
	return i
}

func (t *FatTree) Choices(at, to int, out []int32) []int32 {
	i := len(t.levels) - 1
	for t.levels[i].first > at {
		i--
	}
	l := &t.levels[i]
	s, p := (at-l.first)/l.wide, (at-l.first)%l.wide
	switch {
	case to/l.below != s:
		for k := range l.parents {
			out = append(out, l.climb(s, p, (to/l.wide+k)%l.parents))
		}
	case i > 0:
		child := &t.levels[i-1]
		out = append(out, 1+child.climb(to/child.below, p%child.wide, p/child.wide))
	}
	return out
}

// Acyclic implements Acyclic: all ways climb first and then go down, and never turn up again.
func (t *FatTree) Acyclic() {}

func (t *FatTree) Hops(from, to int) int { return 2 * t.meet(from, to) }

func (t *FatTree) Diameter() int {
	d := 0
	for i, l := range t.levels {
		if l.down > 1 {
			d = 2 * i
		}
	}
	return d
}
