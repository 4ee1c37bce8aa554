package packet

import (
	"fmt"
	"math/bits"

	"overlapsim/network/topology"
)

const (
	maxDimensions = 8   // way.steps has a byte for each
	maxSteps      = 255 // the largest number in a byte
)

// way is the part of a packet's static route that is left. Dimensions are numbered in the order
// in which static routes correct them.
type way struct {
	steps uint64 // byte i: steps along dimension i
	minus uint8  // bit i: in the negative direction
}

// port returns the next port of the static route, which must have one.
func (w way) port() int { return w.along(bits.TrailingZeros64(w.steps) / 8) }

// along returns the port that corrects a dimension.
func (w way) along(dimension int) int { return 2*dimension + int(w.minus>>dimension&1) }

// ports returns the ports of all dimensions still to be corrected.
func (w way) ports() (set uint16) {
	for s := w.steps; s != 0; {
		i := bits.TrailingZeros64(s) / 8
		set |= 1 << w.along(i)
		s &^= maxSteps << (8 * i)
	}
	return set
}

// geometry is a torus or mesh as its routers see it. Port 2i leaves a router
// along dimension i in the positive direction, port 2i+1 in the negative, and
// comes in at the router there under the same number. The link that leaves
// router r by port p has number r*ports + p.
type geometry struct {
	torus *topology.Torus
	ports int
	rings []bool  // dimensions that wrap
	to    []int32 // by link: router at its end, -1 where a mesh ends
	from  []int32 // by router and port of arrival: router at its start, -1 likewise
	links []int32 // by number of the topology: number of the link
	path  []int32 // scratch
}

func newGeometry(t topology.Topology) (*geometry, error) {
	torus, ok := t.(*topology.Torus)
	if !ok {
		return nil, fmt.Errorf("packet: must be a torus or mesh, got %v", t)
	}
	dimensions := len(torus.Classes())
	if dimensions > maxDimensions {
		return nil, fmt.Errorf("packet: at most %d dimensions, got %d", maxDimensions, dimensions)
	}
	for d := range dimensions {
		if n := torus.Size(d); n > maxSteps+1 {
			return nil, fmt.Errorf("packet: at most %d routers along a dimension, got %d", maxSteps+1, n)
		}
	}
	g := &geometry{torus: torus, ports: 2 * dimensions, rings: make([]bool, dimensions)}
	g.connect(g.positions())
	return g, nil
}

// positions returns the place of each dimension in the order of routing. A dimension of size one,
// which no route corrects, keeps its own number.
func (g *geometry) positions() []int {
	corner, positions := make([]int, g.ports/2), make([]int, g.ports/2)
	for d := range corner {
		corner[d] = min(1, g.torus.Size(d)-1)
		positions[d] = d
	}
	next := 0
	for _, id := range g.torus.Route(0, g.torus.At(corner...)*g.torus.PerRouter(), nil) {
		for corner[next] == 0 {
			next++
		}
		positions[g.torus.Link(int(id)).Class] = next
		next++
	}
	return positions
}

// connect records the links of the topology under the numbers used here.
func (g *geometry) connect(positions []int) {
	g.to = make([]int32, g.torus.Routers()*g.ports)
	g.from = make([]int32, len(g.to))
	for i := range g.to {
		g.to[i], g.from[i] = -1, -1
	}
	g.links = make([]int32, g.torus.Links())
	for id := range g.links {
		l := g.torus.Link(id)
		i := positions[l.Class]
		port := 2 * i
		if l.Direction < 0 {
			port++
		}
		n := int(l.From)*g.ports + port
		g.to[n], g.links[id] = l.To, int32(n)
		g.from[int(l.To)*g.ports+port] = l.From
		g.rings[i] = g.rings[i] || l.Wrap
	}
}

// way returns the static route between two nodes.
func (g *geometry) way(from, to int32) (w way) {
	g.path = g.torus.Route(int(from), int(to), g.path[:0])
	for _, id := range g.path {
		port := int(g.links[id]) % g.ports
		w.steps += 1 << (8 * (port / 2))
		w.minus |= uint8(port&1) << (port / 2)
	}
	return w
}
