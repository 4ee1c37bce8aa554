package fabrics

import (
	"overlapsim/network"
	"overlapsim/network/flow"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

var flowing = Kind{
	Name: "flow", Doc: "max-min fair sharing of the links on each route, the one to take where messages share links",
	Places: true, PerLink: flow.LinkBytes, PassesPerSecond: 1_000_000, Examples: []string{""}, New: func() Keys { return &flowKeys{limiter: newLimiter()} },
}

type flowKeys struct {
	links
	Duplex   sim.Rate `key:"links.duplex" unit:"bandwidth" doc:"most that a NIC sends and receives together; 0: no such limit"`
	Exchange sim.Rate `key:"links.exchange" unit:"bandwidth" doc:"most that two NICs send each other, both ways together; 0: no such limit"`
	Others   float64  `key:"links.others" unit:"number" in:"not negative" doc:"mean share of a link of the topology that other jobs take all the time, at most 0.5; of each between nothing and twice that, each as likely"`
	Draw     int      `key:"links.others_draw" unit:"count" doc:"which shares of single links, with links.others"`
	limiter
}

// Maker implements Keys.
func (k *flowKeys) Maker(nic *network.LogGOPS, shape topology.Topology) (network.Maker, error) {
	capacity, err := k.capacities(nic, shape)
	if err != nil {
		return nil, err
	}
	injection, ejection := k.ends(nic)
	p := flow.Params{
		Capacity: capacity, Injection: injection, Ejection: ejection, Duplex: k.Duplex, Exchange: k.Exchange, Others: k.Others, Draw: uint64(k.Draw),
		Latency: nic.Latency, HopLatency: k.Latency, OfNIC: flow.OfNIC{Injection: k.Injection == 0, Ejection: k.Ejection == 0},
	}
	if err := p.Check(shape); err != nil {
		return nil, err
	}
	return k.before(func(k *sim.Kernel, sink network.Sink) (network.Contended, error) { return flow.New(k, sink, shape, p) })
}

// Reads implements Keys.
func (k *flowKeys) Reads(_ *network.LogGOPS, shape topology.Topology) []string {
	keys := append(k.reads(shape), network.LinkDuplex, network.LinkExchange)
	if shape.Links() > 0 {
		keys = append(keys, network.LinkOthers)
	}
	if k.Others > 0 {
		keys = append(keys, network.LinkOthersDraw)
	}
	return append(keys, k.acting()...)
}
