package fabrics

import (
	"cmp"
	"errors"
	"slices"

	"overlapsim/network"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

// channels is the key of the NIC that only contended fabrics read.
const channels = "network.channels"

// wires are the keys of the links of a topology.
type wires struct {
	Bandwidth []sim.Rate `key:"links.bandwidth" unit:"bandwidth" in:"positive" doc:"of a link in one direction, for all or for each dimension, level or kind; if omitted: as the NIC's"`
	Latency   sim.Time   `key:"links.latency" unit:"time" doc:"time that each link adds to network.latency"`
}

// links are the keys of links that flow and backlog read. They include the links between a node
// and its router.
// node and its router.
type links struct {
	wires
	injected
	Ejection sim.Rate `key:"links.ejection" unit:"bandwidth" doc:"most that a NIC receives, all its messages together; 0: the NIC's bandwidth"`
}

// injected is the key of what the channels of a NIC share.
type injected struct {
	Injection sim.Rate `key:"links.injection" unit:"bandwidth" doc:"most that a NIC sends, all its messages together; 0: the NIC's bandwidth"`
}

// rate returns the most that a NIC sends.
func (k *injected) rate(nic *network.LogGOPS) sim.Rate { return cmp.Or(k.Injection, nic.Rate()) }

// ends returns the most that a NIC sends, and receives.
func (l *links) ends(nic *network.LogGOPS) (injection, ejection sim.Rate) {
	return l.rate(nic), cmp.Or(l.Ejection, nic.Rate())
}

// capacities returns the capacity of each class of links. The default is the NIC's rate.
func (l *wires) capacities(nic *network.LogGOPS, shape topology.Topology) ([]sim.Rate, error) {
	classes := len(shape.Classes())
	switch {
	case classes == 0:
		return nil, nil
	case len(l.Bandwidth) == 0:
		rate := nic.OfLinks()
		if !rate.Positive() {
			return nil, errors.New("links.bandwidth: is missing, and the NIC has no bandwidth to use instead")
		}
		return slices.Repeat([]sim.Rate{rate}, classes), nil
	case len(l.Bandwidth) == 1:
		return slices.Repeat(l.Bandwidth, classes), nil
	}
	return l.Bandwidth, nil
}

// reads returns the keys that have an effect on a topology.
func (l *links) reads(shape topology.Topology) []string {
	keys := []string{channels, network.LinkInjection, network.LinkEjection}
	if shape.Links() > 0 {
		keys = append(keys, network.LinkBandwidth, network.LinkLatency)
	}
	return keys
}
