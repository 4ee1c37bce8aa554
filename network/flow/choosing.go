package flow

import (
	"overlapsim/network"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

// choosing counts the flows on each link as they start and end. Flows choose their routes by
// these counts.
type choosing struct {
	network.Sink
	shape *topology.Adaptive
	flows []int32 // on links
	taken map[uint32][]int32
}

func newChoosing(shape *topology.Adaptive, sink network.Sink) *choosing {
	return &choosing{Sink: sink, shape: shape, flows: make([]int32, shape.Links()), taken: map[uint32][]int32{}}
}

// choose leaves the links of a flow that starts now in path and returns its latency.
func (f *Fabric) choose(t network.Transfer) sim.Time {
	c := f.choosing
	f.path = c.shape.Choose(int(t.From), int(t.To), c.flows, f.path[:0])
	latency := f.params.Latency + sim.Time(len(f.path))*f.params.HopLatency
	if t.Bytes > 0 && len(f.path) > 0 {
		c.count(f.path, +1)
		c.taken[t.ID] = append(c.taken[t.ID][:0], f.path...)
	}
	f.pass(t.From, t.To)
	return latency
}

func (c *choosing) count(links []int32, by int32) {
	for _, l := range links {
		c.flows[l] += by
	}
}

// Sent implements network.Sink: the flow leaves its links.
func (c *choosing) Sent(id uint32, now, arrives sim.Time) {
	c.count(c.taken[id], -1)
	c.taken[id] = c.taken[id][:0]
	c.Sink.Sent(id, now, arrives)
}
