package topology

import (
	"errors"
	"fmt"
	"strings"
)

var hyperXs = Kind{
	Name: "hyperx", Doc: "routers in a grid, all to all along each dimension; one dimension: a full mesh; two along each: a hypercube",
	Examples: []string{"dims: [3, 2]", "dims: [4], nodes_per_router: 2"},
	New:      func() Keys { return &hyperXKeys{PerRouter: 1} },
}

// hyperXKeys are the keys of a HyperX in a machine file.
type hyperXKeys struct {
	Sizes     []int `key:"topology.dims" unit:"count" in:"positive" doc:"routers along each dimension"`
	PerRouter int   `key:"topology.nodes_per_router" unit:"count" in:"positive" doc:"nodes on each router"`
}

// Build implements Keys.
func (k *hyperXKeys) Build(int) (Topology, error) {
	if len(k.Sizes) == 0 {
		return nil, errors.New("a HyperX needs dims")
	}
	return NewHyperX(k.Sizes, k.PerRouter)
}

// HyperX is a HyperX (Ahn, Binkert, Davis, McLaren, Schreiber, SC 2009), also called a
// generalised hypercube or Hamming graph. Routers that differ in one coordinate are joined. A
// route corrects one coordinate after the other, beginning with the first. All links that correct
// a coordinate are choices.
//
// Routers are numbered with the first dimension varying fastest, nodes of a router are
// consecutive. A link's class is its dimension.
type HyperX struct {
	dims               []mesh
	perRouter, routers int
	links              int
}

// mesh is one dimension of a HyperX. The link from a router to the k-th of the others along the
// dimension has the number base + router(size-1) + k.
type mesh struct{ size, stride, base int }

// NewHyperX returns the HyperX of these sizes.
func NewHyperX(sizes []int, perRouter int) (*HyperX, error) {
	var f faults
	if len(sizes) == 0 || len(sizes) > len(manyLetters) {
		f.add("dims: from 1 to %d dimensions, got %d", len(manyLetters), len(sizes))
	}
	f.allPositive("dims", sizes)
	f.atLeast("nodes_per_router", perRouter, 1)
	degree := 1
	for _, size := range sizes {
		degree += size - 1
	}
	if len(f) == 0 {
		f.product("nodes", append([]int{perRouter}, sizes...)...)
		f.product("links", append([]int{degree}, sizes...)...)
	}
	if len(f) > 0 {
		return nil, f.err()
	}
	x := &HyperX{perRouter: perRouter, routers: 1}
	for _, size := range sizes {
		x.dims = append(x.dims, mesh{size: size, stride: x.routers})
		x.routers *= size
	}
	for i := range x.dims {
		x.dims[i].base = x.links
		x.links += x.routers * (x.dims[i].size - 1)
	}
	return x, nil
}

func (x *HyperX) String() string {
	parts := make([]string, len(x.dims))
	for i, d := range x.dims {
		parts[i] = fmt.Sprint(d.size)
	}
	name := "hyperx " + strings.Join(parts, "x")
	if x.perRouter > 1 {
		name += fmt.Sprintf(", %d nodes per router", x.perRouter)
	}
	return name
}

func (x *HyperX) Nodes() int          { return x.routers * x.perRouter }
func (x *HyperX) Routers() int        { return x.routers }
func (x *HyperX) Links() int          { return x.links }
func (x *HyperX) Router(node int) int { return node / x.perRouter }
func (x *HyperX) Classes() []string   { return axes(len(x.dims)) }

// MeanHops implements Averaged: one link along a dimension of k routers, except from one to itself.
func (x *HyperX) MeanHops() (mean []float64) {
	for _, d := range x.dims {
		mean = append(mean, 1-1/float64(d.size))
	}
	return mean
}

// at returns the coordinate of a router.
func (d *mesh) at(router int) int { return router / d.stride % d.size }

// link returns the link from a router to the one whose coordinate is to, which must differ from
// its own.
func (d *mesh) link(router, to int) int32 {
	if to > d.at(router) {
		to--
	}
	return int32(d.base + router*(d.size-1) + to)
}

func (x *HyperX) Link(id int) Link {
	c := len(x.dims) - 1
	for x.dims[c].base > id || x.dims[c].size == 1 {
		c--
	}
	d := &x.dims[c]
	from, to := (id-d.base)/(d.size-1), (id-d.base)%(d.size-1)
	own := d.at(from)
	if to >= own {
		to++
	}
	return Link{From: int32(from), To: int32(from + (to-own)*d.stride), Class: int16(c)}
}

func (x *HyperX) LinkName(id int) string {
	l := x.Link(id)
	return between(l, x.Classes()[l.Class])
}

func (x *HyperX) Route(from, to int, path []int32) []int32 {
	at, target := x.Router(from), x.Router(to)
	for i := range x.dims {
		d := &x.dims[i]
		if here, there := d.at(at), d.at(target); here != there {
			path = append(path, d.link(at, there))
			at += (there - here) * d.stride
		}
	}
	return path
}

func (x *HyperX) Choices(at, to int, out []int32) []int32 {
	target := x.Router(to)
	for i := range x.dims {
		if d := &x.dims[i]; d.at(at) != d.at(target) {
			out = append(out, d.link(at, d.at(target)))
		}
	}
	return out
}

// Acyclic implements Acyclic: a route takes one link of each dimension, in their order.
func (x *HyperX) Acyclic() {}

// Hops counts the coordinates that differ.
func (x *HyperX) Hops(from, to int) (hops int) {
	a, b := x.Router(from), x.Router(to)
	for i := range x.dims {
		if d := &x.dims[i]; d.at(a) != d.at(b) {
			hops++
		}
	}
	return hops
}

func (x *HyperX) Diameter() (hops int) {
	for _, d := range x.dims {
		if d.size > 1 {
			hops++
		}
	}
	return hops
}
