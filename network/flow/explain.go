package flow

import (
	"math"
	"slices"

	"overlapsim/network"
	"overlapsim/sim"
)

// Explain implements network.Contended. The capacities belong to each class of
// links of the topology, to the limits of a node and to the limits of two nodes.
func (f *Fabric) Explain(w network.Watcher) *network.Explanation {
	shape := slices.Repeat([]network.Quantity{f.bandwidth()}, len(f.topology.Classes()))
	capacities := append(shape, f.end(network.LinkInjection, f.params.Injection, f.params.OfNIC.Injection),
		f.end(network.LinkEjection, f.params.Ejection, f.params.OfNIC.Ejection),
		given(network.LinkDuplex, f.params.Duplex), given(network.LinkExchange, f.params.Exchange))
	f.network.sharing.differentiate(f.classes(), len(capacities), w.Parts(), watched{f.network, w})
	return &network.Explanation{
		LinkLatency: network.Quantity{Name: network.LinkLatency, Value: f.params.HopLatency.Seconds()},
		Capacities:  capacities,
	}
}

// classes returns the classes of the links that exist before any flow.
func (f *Fabric) classes() []int32 {
	class := make([]int32, 0, len(f.network.sharing.links))
	for l := range f.topology.Links() {
		class = append(class, int32(f.topology.Link(l).Class))
	}
	for kind, first := range f.ends {
		if first != none {
			class = append(class, slices.Repeat([]int32{int32(len(f.topology.Classes()) + kind)}, f.topology.Nodes())...)
		}
	}
	return class
}

// bandwidth returns the bandwidth of the links of the topology.
func (f *Fabric) bandwidth() network.Quantity {
	c := f.params.Capacity
	switch {
	case len(c) == 0:
		return given(network.LinkBandwidth, 0)
	case slices.Min(c) != slices.Max(c):
		return given(network.LinkBandwidth, sim.Rate(math.NaN()))
	}
	return given(network.LinkBandwidth, c[0])
}

// end returns the limit of a node, or the gap of the NIC from which it follows.
func (f *Fabric) end(key string, limit sim.Rate, ofNIC bool) network.Quantity {
	if ofNIC {
		key = network.GapPerByte
	}
	return given(key, limit)
}

func given(name string, value sim.Rate) network.Quantity {
	return network.Quantity{Name: name, Value: float64(value)}
}

// watched passes the rates of a network's flows on to a watcher.
type watched struct {
	n *Network
	w network.Watcher
}

func (w watched) shares(flow int32, shares []float64) { w.w.Shares(w.n.slots[flow].id, shares) }

func (w watched) rate(flow int32, rate float64, by []float64) {
	w.w.Rate(w.n.slots[flow].id, rate, by)
}
