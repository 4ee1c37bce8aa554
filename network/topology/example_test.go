package topology_test

import (
	"fmt"

	"overlapsim/network/topology"
)

// A midplane of a BlueGene/P has 8x8x8 routers. Two processes run on each node, in the
// order XYZT.
func Example() {
	t, err := topology.NewTorus(topology.Grid{Sizes: []int{8, 8, 8}})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := t.Order("XYZT", 2, 1024)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t, "has", t.Links(), "links,", t.Diameter(), "hops at most")
	fmt.Println("ranks 1, 8 and 513 run on", t.Coordinates(int(m[1]), nil), t.Coordinates(int(m[8]), nil), t.Coordinates(int(m[513]), nil))
	for _, id := range t.Route(int(m[0]), int(m[79]), nil) {
		l := t.Link(int(id))
		fmt.Printf("%d-%d (%s%+d) ", l.From, l.To, t.Classes()[l.Class], l.Direction)
	}
	// Output:
	// torus 8x8x8 has 3072 links, 12 hops at most
	// ranks 1, 8 and 513 run on [1 0 0] [0 1 0] [1 0 0]
	// 0-7 (x-1) 7-15 (y+1) 15-79 (z+1)
}
