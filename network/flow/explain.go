package flow

import (
	"math"
	"slices"

	"overlapsim/network"
	"overlapsim/sim"
)

// Explain implements network.Contended. The capacities are those of each class of
// links of the topology, of injection and of ejection.
func (f *Fabric) Explain(w network.Watcher) *network.Explanation {
	ends := len(f.topology.Classes())
	f.network.sharing.differentiate(f.classes(), ends+2, w.Parts(), watched{f.network, w})
	return &network.Explanation{
		LinkLatency: network.Quantity{Name: network.LinkLatency, Value: f.params.HopLatency.Seconds()},
		Capacities: append(slices.Repeat([]network.Quantity{f.bandwidth()}, ends), given(network.LinkInjection, f.params.Injection),
			given(network.LinkEjection, f.params.Ejection)),
	}
}

// classes returns the class of each link.
func (f *Fabric) classes() []int32 {
	ends := int32(len(f.topology.Classes()))
	class := make([]int32, len(f.network.sharing.links))
	for l := range class {
		switch l := int32(l); {
		case l < int32(f.topology.Links()):
			class[l] = int32(f.topology.Link(int(l)).Class)
		case f.injection != none && l < f.injection+int32(f.topology.Nodes()):
			class[l] = ends
		default:
			class[l] = ends + 1
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
	case f.params.OfNIC:
		return given(network.GapPerByte, c[0])
	case slices.Min(c) != slices.Max(c):
		return given(network.LinkBandwidth, sim.Rate(math.NaN()))
	}
	return given(network.LinkBandwidth, c[0])
}

func given(name string, value sim.Rate) network.Quantity {
	return network.Quantity{Name: name, Value: float64(value)}
}

// watched passes the rates of a network's flows to a watcher.
type watched struct {
	n *Network
	w network.Watcher
}

func (w watched) shares(flow int32, shares []float64) { w.w.Shares(w.n.slots[flow].id, shares) }

func (w watched) rate(flow int32, rate float64, by []float64) {
	w.w.Rate(w.n.slots[flow].id, rate, by)
}
