package topology

import "fmt"

var tofus = Kind{
	Name: "tofu", Doc: "the six dimensions of Tofu: units of 2 x 3 x 2 routers in a grid of three dimensions",
	Examples: []string{"units: [1, 1, 2]", "units: [2, 1, 1], wrap: false"},
	New:      func() Keys { return &tofuKeys{Wrap: []bool{true}, Tie: ties[0]} },
}

// tofuKeys are the keys of a Tofu in a machine file.
type tofuKeys struct {
	Units []int  `key:"topology.units" unit:"count" in:"positive" doc:"units of 2 x 3 x 2 routers along x, y and z"`
	Wrap  []bool `key:"topology.wrap" unit:"flag" doc:"whether the ends of a dimension are joined, for all or each; false: a mesh"`
	Tie   string `key:"topology.tie" unit:"text" choices:"plus,parity,simgrid" doc:"direction when both are equally short: positive, by the parity of the start, or SimGrid's rule"`
}

// Build implements Keys. A Tofu (Ajima, Sumimoto, Shimizu, "Tofu: a 6D mesh/torus interconnect
// for exascale computers", IEEE Computer 42(11), 2009) is a torus of six dimensions: x, y and z
// between units, and within a unit two meshes of two routers (a and c) and a ring of three (b).
// Classes of links are called a to f here, as on any grid of six dimensions.
//
// Routes correct the dimensions in this order. The machine also corrects a, b and c before x, y
// and z, in one of several ways. The sender chooses the way, to spread its messages and to avoid
// nodes that are down. This model leaves that out.
func (k *tofuKeys) Build(int) (Topology, error) {
	if len(k.Units) != 3 {
		return nil, fmt.Errorf("units: a Tofu needs three numbers of units, got %d", len(k.Units))
	}
	if n := len(k.Wrap); n != 1 && n != 3 {
		return nil, fmt.Errorf("wrap: one entry, or three for x, y and z, got %d", n)
	}
	grid := TorusKeys{Sizes: k.Units, Wrap: k.Wrap, PerRouter: 1, Tie: k.Tie}
	g := grid.Grid()
	g.Sizes, g.Open = append(g.Sizes[:3:3], 2, 3, 2), append(g.Open, true, false, true)
	return NewTorus(g)
}
