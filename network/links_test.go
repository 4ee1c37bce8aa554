package network

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"overlapsim/network/topology"
	"overlapsim/sim"
)

func TestOverloadedLink(t *testing.T) {
	shape, err := topology.NewCrossbar(1)
	if err != nil {
		t.Fatal(err)
	}
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
		shape, err := topology.NewTorus(grid)
		if err != nil {
			t.Fatal(err)
		}
		l := Links{Shape: shape, Elapsed: sim.Second}
		for i := range shape.Links() {
			l.Loads = append(l.Loads, LinkLoad{Capacity: 1e9, Bytes: float64(i + 1)})
		}
		maps, seen := l.Map(), map[int]bool{}
		classes := shape.Classes()
		if len(maps) != len(classes) {
			t.Fatalf("%v: %d maps", shape, len(maps))
		}
		for _, m := range maps {
			for y, row := range m.Used {
				for x, used := range row {
					if math.IsNaN(used) {
						continue
					}
					i := int(math.Round(used*1e9)) - 1
					seen[i] = true
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
				}
			}
		}
		if len(seen) != shape.Links() {
			t.Errorf("%v: %d of %d links are on the maps", shape, len(seen), shape.Links())
		}
	}
	large, err := topology.NewTorus(topology.Grid{Sizes: []int{32, 32, 32}})
	if err != nil {
		t.Fatal(err)
	}
	if l := (&Links{Shape: large}); l.Map() != nil {
		t.Error("32,768 routers have a map")
	}
}
