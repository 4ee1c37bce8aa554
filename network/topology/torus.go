package topology

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Tie says which way a message goes round a ring when both ways are equally short. That is so
// when the distance is half of an even size.
type Tie uint8

const (
	// TiePlus goes in the positive direction.
	TiePlus Tie = iota
	// TieParity goes in the positive direction from even coordinates and in the
	// negative from odd ones, which loads both alike.
	TieParity
	// TieSimGrid goes in the positive direction, except from coordinate size/2
	// to 0: the rule of SimGrid's torus.
	TieSimGrid
)

// Grid describes a torus, a mesh, or anything between.
type Grid struct {
	Sizes     []int  // routers along each dimension
	Open      []bool // dimensions whose ends are not joined; nil: all wrap
	PerRouter int    // nodes on each router; 0: one
	Order     []int  // dimensions in the order in which routes correct them; nil: 0, 1, ...
	Tie       Tie
}

// Mesh returns the grid of these sizes in which no dimension wraps.
func Mesh(sizes ...int) Grid {
	open := make([]bool, len(sizes))
	for i := range open {
		open[i] = true
	}
	return Grid{Sizes: sizes, Open: open}
}

// Torus is a k-ary n-dimensional torus or mesh with dimension-order routing: a route
// corrects one coordinate at a time, the shorter way round (Dally and Seitz, IEEE Trans.
// Computers C-36(5), 1987).
//
// Routers are numbered with the first dimension varying fastest: in three
// dimensions x + X(y + Yz). Node n is on router n/PerRouter. A link's class is
// its dimension. A wrapping dimension of size 2 has two cables between its
// routers, as it has on a BlueGene/P; one of size 1 has none.
type Torus struct {
	dims      []dimension
	order     []int
	tie       Tie
	perRouter int
	byRouter  divisor // perRouter
	routers   int
	links     int
}

// dimension is one dimension of a torus. Its links are numbered from base, line by line. The link
// between coordinates s and s+1 of a line has the number base + 2(line·segments + s) in the
// positive direction, and the next number in the negative one.
type dimension struct {
	size, stride int // a step along the dimension changes the router by stride
	segments     int // cables on a line: size, size-1 if open
	base         int
	open         bool

	bySize, byStride divisor
}

// ties are the names of the rules, in the order of Tie.
var ties = []string{"plus", "parity", "simgrid"}

// Tori is the family that reads TorusKeys.
var Tori = Kind{
	Name: "torus", Doc: "routers in a grid of any number of dimensions, whose ends are joined; not joined: a mesh",
	Examples: []string{"dims: [2, 2, 2]", "dims: [9], wrap: false, nodes_per_router: 1", "dims: [2]"},
	New:      func() Keys { return &TorusKeys{Wrap: []bool{true}, PerRouter: 1, Tie: ties[0]} },
}

// TorusKeys are the keys of a torus in a machine file.
type TorusKeys struct {
	Sizes     []int  `key:"topology.dims" unit:"count" in:"positive" doc:"routers along each dimension"`
	Wrap      []bool `key:"topology.wrap" unit:"flag" doc:"whether the ends of a dimension are joined, for all or each; false: a mesh"`
	PerRouter int    `key:"topology.nodes_per_router" unit:"count" in:"positive" doc:"nodes on each router"`
	Tie       string `key:"topology.tie" unit:"text" choices:"plus,parity,simgrid" doc:"direction when both are equally short: positive, by the parity of the start, or SimGrid's rule"`
}

// Build implements Keys.
func (k *TorusKeys) Build(int) (Topology, error) {
	if len(k.Sizes) == 0 {
		return nil, errors.New("a torus needs dims")
	}
	if n := len(k.Wrap); n != 1 && n != len(k.Sizes) {
		return nil, fmt.Errorf("wrap has %d entries, dims has %d", n, len(k.Sizes))
	}
	return NewTorus(k.Grid())
}

// Grid returns the grid that the keys describe.
func (k *TorusKeys) Grid() Grid {
	open := make([]bool, len(k.Sizes))
	for i := range open {
		open[i] = !k.Wrap[i%len(k.Wrap)]
	}
	return Grid{Sizes: k.Sizes, Open: open, PerRouter: k.PerRouter, Tie: Tie(slices.Index(ties, k.Tie))}
}

// NewTorus returns the torus or mesh of a grid.
func NewTorus(g Grid) (*Torus, error) {
	t := &Torus{order: g.Order, tie: g.Tie, perRouter: max(g.PerRouter, 1), routers: 1}
	t.byRouter = divideBy(t.perRouter)
	if g.Order == nil {
		for d := range g.Sizes {
			t.order = append(t.order, d)
		}
	}
	if err := g.check(t.order); err != nil {
		return nil, err
	}
	for d, size := range g.Sizes {
		open := g.Open != nil && g.Open[d]
		segments := size
		if open || size == 1 {
			segments--
		}
		t.dims = append(t.dims, dimension{size, t.routers, segments, 0, open, divideBy(size), divideBy(t.routers)})
		t.routers *= size
	}
	for i := range t.dims {
		d := &t.dims[i]
		d.base = t.links
		t.links += 2 * d.segments * (t.routers / d.size)
	}
	return t, nil
}

// check returns all that is wrong with the grid.
func (g *Grid) check(order []int) error {
	var f faults
	if len(g.Sizes) == 0 {
		f.add("dims: a torus needs at least one dimension")
	}
	if len(g.Sizes) > len(manyLetters) {
		f.add("dims: at most %d dimensions, got %d", len(manyLetters), len(g.Sizes))
	}
	f.allPositive("dims", g.Sizes)
	f.atLeast("nodes_per_router", g.PerRouter, 0)
	if g.Open != nil && len(g.Open) != len(g.Sizes) {
		f.add("wrap: %d entries for %d dimensions", len(g.Open), len(g.Sizes))
	}
	sorted := slices.Sorted(slices.Values(order))
	for i, d := range sorted {
		if d != i || len(order) != len(g.Sizes) {
			f.add("order: must name each of the dimensions 0 to %d once, got %v", len(g.Sizes)-1, order)
			break
		}
	}
	if g.Tie > TieSimGrid {
		f.add("tie: unknown rule %d", g.Tie)
	}
	if len(f) == 0 {
		f.product("nodes", append([]int{max(g.PerRouter, 1)}, g.Sizes...)...)
		f.product("links", append([]int{2 * len(g.Sizes)}, g.Sizes...)...)
	}
	return f.err()
}

// String names the sizes ("8x4open": the second dimension does not wrap), and the nodes per
// router if there is more than one.
func (t *Torus) String() string {
	open, parts := 0, make([]string, len(t.dims))
	for i, d := range t.dims {
		parts[i] = fmt.Sprint(d.size)
		if d.open {
			open++
		}
	}
	name := "torus "
	if open == len(t.dims) {
		name = "mesh "
	} else if open > 0 {
		for i, d := range t.dims {
			if d.open {
				parts[i] += "open"
			}
		}
	}
	name += strings.Join(parts, "x")
	if t.perRouter > 1 {
		name += fmt.Sprintf(", %d nodes per router", t.perRouter)
	}
	return name
}

// Size returns the number of routers along a dimension.
func (t *Torus) Size(dim int) int { return t.dims[dim].size }

// PerRouter returns the number of nodes on each router.
func (t *Torus) PerRouter() int { return t.perRouter }

func (t *Torus) Nodes() int   { return t.routers * t.perRouter }
func (t *Torus) Routers() int { return t.routers }
func (t *Torus) Links() int   { return t.links }

// MeanHops implements Averaged: k/4 links around an even ring of k routers, (k²-1)/4k around an odd one, (k²-1)/3k along a line.
func (t *Torus) MeanHops() (mean []float64) {
	for _, d := range t.dims {
		k := float64(d.size)
		if d.open {
			mean = append(mean, (k*k-1)/(3*k))
		} else {
			mean = append(mean, float64(d.size*d.size/4)/k)
		}
	}
	return mean
}

// Skew implements Skewed. On an even ring of 2q routers a link carries q(q-1)/2 of the messages that go less than half way, q²/2 with its share
// of the rest in the mean, and all q of these in the direction that the tie rule prefers, half of them by parity. On a line of k routers the
// middle link carries k²/4, the mean one k(k+1)/6. Derived.
func (t *Torus) Skew() (skew []float64) {
	for _, d := range t.dims {
		k, q, skewed := float64(d.size), float64(d.size/2), 1.0
		switch {
		case d.size < 2:
		case d.open:
			skewed = float64(d.size*d.size/4) / (k * (k + 1) / 6)
		case d.size%2 == 0 && t.tie == TieParity:
			skewed = (q*(q-1)/2 + math.Ceil(q/2)) / (q * q / 2)
		case d.size%2 == 0:
			skewed = (q + 1) / q
		}
		skew = append(skew, skewed)
	}
	return skew
}

// Classes are the dimensions: x, y, z, w, or a, b, c, ... if there are more.
func (t *Torus) Classes() []string { return axes(len(t.dims)) }

// axes names the dimensions of a grid as classes of links.
func axes(dims int) []string {
	names := make([]string, dims)
	for i, letter := range letters(dims) {
		names[i] = strings.ToLower(string(letter))
	}
	return names
}

// letters names the dimensions of a torus as its users do. T is never among them, since
// it stands for the processes of a node.
func letters(dims int) string {
	if dims <= 4 {
		return "XYZW"[:dims]
	}
	return manyLetters[:dims]
}

const manyLetters = "ABCDEFGHIJKLMNOPQRSUVWXYZ"

func (t *Torus) Router(node int) int { return t.byRouter.of(node) }

// Coordinates appends the coordinates of a router.
func (t *Torus) Coordinates(router int, out []int) []int {
	for _, d := range t.dims {
		out = append(out, router/d.stride%d.size)
	}
	return out
}

// At returns the router at these coordinates.
func (t *Torus) At(coordinates ...int) int {
	router := 0
	for i, x := range coordinates {
		router += x * t.dims[i].stride
	}
	return router
}

func (t *Torus) Link(id int) Link {
	c := len(t.dims) - 1
	for t.dims[c].base > id || t.dims[c].segments == 0 {
		c--
	}
	d := &t.dims[c]
	cable := (id - d.base) / 2
	line, s := cable/d.segments, cable%d.segments
	first := line/d.stride*d.stride*d.size + line%d.stride
	low, high := first+s*d.stride, first+(s+1)%d.size*d.stride
	l := Link{From: int32(low), To: int32(high), Class: int16(c), Direction: 1, Wrap: s == d.size-1}
	if (id-d.base)%2 == 1 {
		l.From, l.To, l.Direction = l.To, l.From, -1
	}
	return l
}

// LinkName is the router that a link leaves and its direction: "(3, 0, 1) +x".
func (t *Torus) LinkName(id int) string {
	l := t.Link(id)
	at := make([]string, len(t.dims))
	for i, x := range t.Coordinates(int(l.From), nil) {
		at[i] = fmt.Sprint(x)
	}
	return "(" + strings.Join(at, ", ") + ") " + l.Sign() + t.Classes()[l.Class]
}

// line returns the number of the first link on the line of a router, and the
// router's coordinate on it.
func (d *dimension) line(router int) (link, x int) {
	high := d.byStride.of(router)
	above := d.bySize.of(high)
	line := above*d.stride + router - high*d.stride
	return d.base + 2*line*d.segments, high - above*d.size
}

// coordinate returns the coordinate of a router.
func (d *dimension) coordinate(router int) int {
	high := d.byStride.of(router)
	return high - d.bySize.of(high)*d.size
}

// steps returns how far and in which direction a message goes from one coordinate to another, and
// whether the other direction is as short.
func (d *dimension) steps(from, to int, tie Tie) (n int, plus, tied bool) {
	n, plus = to-from, to > from
	if !plus {
		n = -n
	}
	switch {
	case d.open || 2*n < d.size:
		return n, plus, false
	case 2*n > d.size:
		return d.size - n, !plus, false
	case tie == TieParity:
		plus = from%2 == 0
	case tie == TieSimGrid:
		plus = to != 0
	default:
		plus = true
	}
	return n, plus, true
}

// link returns the link that leaves coordinate x of a line in a direction.
func (d *dimension) link(line, x int, plus bool) int32 {
	if plus {
		return int32(line + 2*x)
	}
	if x == 0 {
		x = d.size
	}
	return int32(line + 2*x - 1)
}

func (t *Torus) Route(from, to int, path []int32) []int32 {
	at, target := t.Router(from), t.Router(to)
	if at == target {
		return path
	}
	for _, c := range t.order {
		d := &t.dims[c]
		if d.byStride.of(at) == d.byStride.of(target) {
			continue
		}
		y := d.coordinate(target)
		line, x := d.line(at)
		n, plus, _ := d.steps(x, y, t.tie)
		at += (y - x) * d.stride
		for ; n > 0; n-- {
			path = append(path, d.link(line, x, plus))
			x = d.next(x, plus)
		}
	}
	return path
}

// next returns the coordinate after x in a direction.
func (d *dimension) next(x int, plus bool) int {
	if plus {
		if x++; x == d.size {
			return 0
		}
		return x
	}
	if x == 0 {
		x = d.size
	}
	return x - 1
}

// Choices are the links of all dimensions still to be corrected, in the order of routing. If both
// directions of a dimension are equally short, both are choices.
func (t *Torus) Choices(at, to int, out []int32) []int32 {
	target := t.Router(to)
	for _, c := range t.order {
		d := &t.dims[c]
		line, x := d.line(at)
		n, plus, tied := d.steps(x, target/d.stride%d.size, t.tie)
		if n == 0 {
			continue
		}
		out = append(out, d.link(line, x, plus))
		if tied {
			out = append(out, d.link(line, x, !plus))
		}
	}
	return out
}

func (t *Torus) Hops(from, to int) int {
	a, b := t.Router(from), t.Router(to)
	hops := 0
	for i := range t.dims {
		d := &t.dims[i]
		n, _, _ := d.steps(d.coordinate(a), d.coordinate(b), t.tie)
		hops += n
	}
	return hops
}

func (t *Torus) Diameter() int {
	sum := 0
	for _, d := range t.dims {
		sum += d.farthest()
	}
	return sum
}

func (d *dimension) farthest() int {
	if d.open {
		return d.size - 1
	}
	return d.size / 2
}
