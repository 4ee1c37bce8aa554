package fabrics

import (
	"overlapsim/network"
	"overlapsim/network/flow"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

var flowing = Kind{
	Name: "flow", Doc: "max-min fair sharing of the links on each route",
	Places: true, PerLink: flow.LinkBytes, Examples: []string{""}, New: func() Keys { return &flowKeys{limiter: newLimiter()} },
}

type flowKeys struct {
	links
	Duplex   sim.Rate `key:"links.duplex" unit:"bandwidth" doc:"most that a node sends and receives together; 0: no limit of its own"`
	Exchange sim.Rate `key:"links.exchange" unit:"bandwidth" doc:"most that two nodes send each other, both ways together; 0: no limit of its own"`
	limiter
}

// Maker implements Keys.
func (k *flowKeys) Maker(nic *network.LogGOPS, shape topology.Topology) (network.Maker, error) {
	capacity, err := k.capacities(nic, shape)
	if err != nil {
		return nil, err
	}
	p := flow.Params{
		Capacity: capacity, Injection: k.Injection, Ejection: k.Ejection, Duplex: k.Duplex, Exchange: k.Exchange,
		Latency: nic.Latency, HopLatency: k.Latency, OfNIC: len(k.Bandwidth) == 0,
	}
	if err := p.Check(shape); err != nil {
		return nil, err
	}
	return k.before(func(k *sim.Kernel, sink network.Sink) (network.Contended, error) { return flow.New(k, sink, shape, p) })
}

// Reads implements Keys.
func (k *flowKeys) Reads(_ *network.LogGOPS, shape topology.Topology) []string {
	return append(append(k.reads(shape), network.LinkDuplex, network.LinkExchange), k.acting()...)
}
