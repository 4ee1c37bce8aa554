package fabrics

import (
	"overlapsim/network"
	"overlapsim/network/flow"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

var flowing = Kind{
	Name: "flow", Doc: "max-min fair sharing of the links on each route",
	Places: true, Examples: []string{""}, New: func() Keys { return new(flowKeys) },
}

type flowKeys struct{ links }

// Maker implements Keys.
func (k *flowKeys) Maker(nic *network.LogGOPS, shape topology.Topology) (network.Maker, error) {
	capacity, err := k.capacities(nic, shape)
	if err != nil {
		return nil, err
	}
	p := flow.Params{
		Capacity: capacity, Injection: k.Injection, Ejection: k.Ejection,
		Latency: nic.Latency, HopLatency: k.Latency, OfNIC: len(k.Bandwidth) == 0,
	}
	if err := p.Check(shape); err != nil {
		return nil, err
	}
	return func(k *sim.Kernel, sink network.Sink) (network.Contended, error) { return flow.New(k, sink, shape, p) }, nil
}

// Reads implements Keys.
func (k *flowKeys) Reads(_ *network.LogGOPS, shape topology.Topology) []string { return k.reads(shape) }
