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

// newGrid returns the geometry of a torus or mesh. Port 2i leaves a router along dimension i in the
// positive direction, port 2i+1 in the negative, and comes in at the router there under the same
// number. A packet that has reached its router is at its node.
func newGrid(t *topology.Torus) (*geometry, error) {
	dimensions := len(t.Classes())
	if dimensions > maxDimensions {
		return nil, fmt.Errorf("packet: at most %d dimensions, got %d", maxDimensions, dimensions)
	}
	for d := range dimensions {
		if n := t.Size(d); n > maxSteps+1 {
			return nil, fmt.Errorf("packet: at most %d routers along a dimension, got %d", maxSteps+1, n)
		}
	}
	g := &geometry{shape: t}
	g.seat()
	g.size(2*dimensions, 2*dimensions)
	positions := positions(t)
	for id := range g.links {
		l := t.Link(id)
		port := 2 * positions[l.Class]
		g.rings[port] = g.rings[port] || l.Wrap
		g.rings[port+1] = g.rings[port]
		if l.Direction < 0 {
			port++
		}
		g.connect(id, port, port)
	}
	return g, nil
}

// positions returns the place of each dimension in the order of routing. A dimension of size one,
// which no route corrects, keeps its own number.
func positions(t *topology.Torus) []int {
	corner := make([]int, len(t.Classes()))
	positions := make([]int, len(corner))
	for d := range corner {
		corner[d] = min(1, t.Size(d)-1)
		positions[d] = d
	}
	next := 0
	for _, id := range t.Route(0, t.At(corner...)*t.PerRouter(), nil) {
		for corner[next] == 0 {
			next++
		}
		positions[t.Link(int(id)).Class] = next
		next++
	}
	return positions
}

// stepped returns the way along the path.
func (g *geometry) stepped() (w way) {
	for _, id := range g.path {
		port := int(g.links[id]) % g.ports
		w.steps += 1 << (8 * (port / 2))
		w.minus |= uint8(port&1) << (port / 2)
	}
	return w
}

// port returns the next port of a way on a torus.
func (w way) port() int { return w.along(bits.TrailingZeros64(w.steps) / 8) }

// along returns the port that corrects a dimension.
func (w way) along(dimension int) int { return 2*dimension + int(w.minus>>dimension&1) }

// ports returns the ports of all dimensions still to be corrected.
func (w way) ports() (set uint64) {
	for s := w.steps; s != 0; {
		i := bits.TrailingZeros64(s) / 8
		set |= 1 << w.along(i)
		s &^= maxSteps << (8 * i)
	}
	return set
}
