package scenarios

import (
	"errors"
	"fmt"

	"overlapsim/network/topology"
)

// shapeFile holds what a machine file says of its topology.
type shapeFile struct {
	given     group
	kind      string
	sizes     []int
	wrap      []bool
	perRouter int
	tie       string
	levels    int
	arity     int
	taper     int
	groups    int
	routers   int
	global    int
}

// Ties are the ways round a ring of even size when both are as short.
var ties = map[string]topology.Tie{"plus": topology.TiePlus, "parity": topology.TieParity, "simgrid": topology.TieSimGrid}

// Topologies that a machine may have.
var topologies = []string{"crossbar", "torus", "fat-tree", "dragonfly"}

func newShape() shapeFile {
	return shapeFile{kind: "crossbar", wrap: []bool{true}, perRouter: 1, tie: "plus", taper: 1}
}

// rows is the key table of a topology.
func (f *shapeFile) rows() table {
	return table{
		{Path: "topology", To: &f.given, Doc: "how nodes are connected, for fabrics where messages contend; left out: a crossbar"},
		{Path: "topology.kind", To: &f.kind, Choices: topologies, Doc: "its family"},
		{Path: "topology.dims", To: &f.sizes, Is: Count, Range: Positive, Doc: "torus: routers along each dimension"},
		{Path: "topology.wrap", To: &f.wrap, Doc: "torus: whether the ends of a dimension are joined, for all or each; not: a mesh"},
		{Path: "topology.nodes_per_router", To: &f.perRouter, Is: Count, Range: Positive, Doc: "torus, dragonfly: nodes on each router"},
		{Path: "topology.tie", To: &f.tie, Choices: []string{"plus", "parity", "simgrid"}, Doc: "torus: the way round when both are as short: positive, by the parity of where it starts, or SimGrid's rule"},
		{Path: "topology.levels", To: &f.levels, Is: Count, Range: Positive, Doc: "fat tree: levels of switches"},
		{Path: "topology.arity", To: &f.arity, Is: Count, Range: Positive, Doc: "fat tree: children of a switch"},
		{Path: "topology.taper", To: &f.taper, Is: Count, Range: Positive, Doc: "fat tree: children per parent"},
		{Path: "topology.groups", To: &f.groups, Is: Count, Range: Positive, Doc: "dragonfly: groups"},
		{Path: "topology.routers", To: &f.routers, Is: Count, Range: Positive, Doc: "dragonfly: routers of a group"},
		{Path: "topology.global", To: &f.global, Is: Count, Range: Positive, Doc: "dragonfly: global links of a router"},
	}
}

// shape makes the topology; a crossbar has room for so many nodes.
func (f *shapeFile) shape(nodes int) (topology.Topology, error) {
	switch f.kind {
	case "torus":
		return f.torus()
	case "fat-tree":
		tree, err := topology.KAryTree(f.levels, f.arity, f.taper)
		if err != nil {
			return nil, err
		}
		return topology.NewFatTree(tree)
	case "dragonfly":
		return topology.NewDragonfly(topology.Groups{Number: f.groups, Routers: f.routers, PerRouter: f.perRouter, Global: f.global})
	}
	return topology.NewCrossbar(nodes)
}

func (f *shapeFile) torus() (topology.Topology, error) {
	if len(f.sizes) == 0 {
		return nil, errors.New("a torus needs dims, such as [8, 8, 8]")
	}
	if n := len(f.wrap); n != 1 && n != len(f.sizes) {
		return nil, fmt.Errorf("wrap has %d entries, dims has %d", n, len(f.sizes))
	}
	return topology.NewTorus(f.grid())
}

// grid returns what a torus is made of.
func (f *shapeFile) grid() topology.Grid {
	open := make([]bool, len(f.sizes))
	for i := range open {
		open[i] = !f.wrap[i%len(f.wrap)]
	}
	return topology.Grid{Sizes: f.sizes, Open: open, PerRouter: f.perRouter, Tie: ties[f.tie]}
}
