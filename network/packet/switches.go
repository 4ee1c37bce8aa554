package packet

import (
	"fmt"

	"overlapsim/network/topology"
)

// maxPorts is the largest number of ports on a way: way.steps has a byte for each.
const maxPorts = 8

// newSwitches returns the geometry of switches. The links that leave a switch have its first
// ports, in the order of their numbers in the topology; so have those that come in. The cables to
// its nodes leave by the ports behind them.
func newSwitches(t topology.Topology) (*geometry, error) {
	if d := t.Diameter(); d >= maxPorts {
		return nil, fmt.Errorf("packet: routes of at most %d links between switches, got %d on %v", maxPorts-1, d, t)
	}
	g := &geometry{shape: t, switched: true}
	g.seat()
	outs, ins := make([]int, t.Routers()), make([]int, t.Routers())
	for id := range t.Links() {
		l := t.Link(id)
		another(outs, int(l.From))
		another(ins, int(l.To))
	}
	ports, inputs := 0, 0
	for r := range outs {
		nodes := int(g.before[r+1] - g.before[r])
		ports, inputs = max(ports, outs[r]+nodes), max(inputs, outs[r], ins[r])
	}
	g.size(ports, inputs)
	clear(outs)
	clear(ins)
	for id := range g.links {
		l := t.Link(id)
		g.connect(id, another(outs, int(l.From))-1, another(ins, int(l.To))-1)
	}
	for node := range g.place {
		r := t.Router(node)
		g.links = append(g.links, int32(r*ports+another(outs, r)-1))
	}
	return g, nil
}

// another adds one to an entry and returns it.
func another(of []int, i int) int {
	of[i]++
	return of[i]
}

// listed returns the way along the path and on to a node.
func (g *geometry) listed(to int32) (w way) {
	last := g.links[g.shape.Links()+int(to)]
	w.steps = uint64(int(last)%g.ports + 1)
	for i := len(g.path) - 1; i >= 0; i-- {
		w.steps = w.steps<<8 | uint64(int(g.links[g.path[i]])%g.ports+1)
	}
	return w
}

// choices returns the ports of a switch that lead closer to a node; none at the node's own.
func (g *geometry) choices(router, to int32) (set uint64) {
	g.path = g.shape.Choices(int(router), int(to), g.path[:0])
	for _, id := range g.path {
		set |= 1 << (int(g.links[id]) % g.ports)
	}
	return set
}

// onward returns the way to a node behind a port of a switch. It is what is left of the way before,
// or the static route from there if the port is another one.
func (g *geometry) onward(w way, li int, to int32) way {
	if li%g.ports == g.port(w) {
		return way{steps: w.steps >> 8}
	}
	at := int(g.into[li]) / g.inputs
	g.path = g.path[:0]
	for at != g.shape.Router(int(to)) {
		end := len(g.path)
		g.path = g.shape.Choices(at, int(to), g.path)[:end+1]
		at = int(g.shape.Link(int(g.path[end])).To)
	}
	return g.listed(to)
}
