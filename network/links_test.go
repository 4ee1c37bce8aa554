package network

import (
	"fmt"
	"strings"
	"testing"

	"overlapsim/network/topology"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

func TestOverloadedLink(t *testing.T) {
	shape := must.Get(topology.NewCrossbar(1))(t)
	for _, c := range []struct {
		load LinkLoad
		want string
	}{
		{LinkLoad{Capacity: 1e9, Bytes: 1000, Busy: sim.Microsecond, Count: 1}, ""},
		{LinkLoad{Capacity: 1e9, Bytes: 1000, Busy: sim.Microsecond - 1, Count: 1}, ""}, // one rounding
		{LinkLoad{Capacity: 1e9, Bytes: 1000, Busy: sim.Microsecond - 2, Count: 1}, "bug: node 0 injection carried 1000 bytes"},
		{LinkLoad{Capacity: 1e9, Bytes: 1000, Busy: 3 * sim.Microsecond, Count: 1}, "bug: node 0 injection carried 1000 bytes"},
	} {
		l := Links{Shape: shape, Elapsed: 2 * sim.Microsecond, Loads: []LinkLoad{c.load}, Ends: []string{"injection"}}
		err := l.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.load, err, c.want)
		}
	}
}

// The cells of the maps show each link once, in its place.
func TestLinkMap(t *testing.T) {
	for _, grid := range []topology.Grid{
		{Sizes: []int{4, 3, 2}}, {Sizes: []int{5}}, {Sizes: []int{3, 4}}, topology.Mesh(3, 3, 2), {Sizes: []int{3, 2, 2, 3}},
	} {
		shape := must.Get(topology.NewTorus(grid))(t)
		l := Links{Shape: shape}
		classes := shape.Classes()
		for _, m := range l.Maps() {
			eachCell(&m, func(i, x, y int) {
				at := shape.Coordinates(int(shape.Link(i).From), nil)
				column := fmt.Sprintf("%s %d", classes[0], at[0])
				for d := 2; d < len(at); d++ {
					column += fmt.Sprintf(" %s %d", classes[d], at[d])
				}
				line := fmt.Sprintf("%s%s", shape.Link(i).Sign(), classes[shape.Link(i).Class])
				if len(at) > 1 {
					line += fmt.Sprintf(", %s %d", classes[1], at[1])
				}
				if m.Columns[x] != column || m.Rows[y] != line {
					t.Errorf("%v: link %s is at %q, %q; want %q, %q", shape, l.Name(i), m.Columns[x], m.Rows[y], column, line)
				}
			})
		}
	}
}

func eachCell(m *Map, do func(number, x, y int)) {
	for y, row := range m.Cells {
		for x, cell := range row {
			for _, number := range cell {
				do(int(number), x, y)
			}
		}
	}
}

// On every topology the maps show each link once, also those to nodes, those from a router in
// its column, and no map is wider than a page can show. The map of nodes has each node once.
func TestMaps(t *testing.T) {
	var shapes []topology.Topology
	add := func(shape topology.Topology, err error) {
		if err != nil {
			t.Fatal(err)
		}
		shapes = append(shapes, shape)
	}
	add(topology.NewTorus(topology.Grid{Sizes: []int{32, 32, 32}}))
	add(topology.NewTorus(topology.Grid{Sizes: []int{4, 3}, PerRouter: 2}))
	add(topology.NewCrossbar(1000))
	add(topology.NewFatTree(topology.Tree{Down: []int{2, 3}, Up: []int{2}}))
	add(topology.NewDragonfly(topology.Groups{Number: 9, Routers: 4, PerRouter: 2, Global: 2}))
	for _, shape := range shapes {
		l, seen := Links{Shape: shape, Ends: []string{"injection", "ejection"}}, map[int]int{}
		for _, m := range l.Maps() {
			if len(m.Columns) > widestTorus || len(m.Cells) != len(m.Rows) {
				t.Errorf("%v: %s is %d by %d", shape, m.Title, len(m.Columns), len(m.Rows))
			}
			eachCell(&m, func(i, x, _ int) {
				seen[i]++
				if from := ""; i < shape.Links() {
					from = fmt.Sprintf("router %d", shape.Link(i).From)
					if name := m.Columns[x]; strings.HasPrefix(name, "router ") && name != from {
						t.Errorf("%v: link %s is at %q", shape, l.Name(i), name)
					}
				}
			})
		}
		if want := shape.Links() + 2*shape.Nodes(); len(seen) != want {
			t.Errorf("%v: %d of %d links are on the maps", shape, len(seen), want)
		}
		m, nodes := NodeMap(shape, "nodes"), map[int]int{}
		eachCell(&m, func(node, _, _ int) { nodes[node]++ })
		if len(nodes) != shape.Nodes() {
			t.Errorf("%v: %d of %d nodes are on the map", shape, len(nodes), shape.Nodes())
		}
		for _, counts := range []map[int]int{seen, nodes} {
			for i, n := range counts {
				if n != 1 {
					t.Errorf("%v: %d is there %d times", shape, i, n)
				}
			}
		}
	}
}
