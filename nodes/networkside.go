package nodes

import (
	"overlapsim/network"
	"overlapsim/network/calibrated"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
)

// networkSide owns the way from NIC to NIC: how long it takes, and who else is on it. There are three
// kinds of way. On the ideal and on a calibrated fabric, NICs are booked: when bytes are handed over,
// the time is known at which they arrive. On a contended fabric a carrier finds that out later.
type networkSide struct {
	network     *network.LogGOPS
	place       *placement
	booked      bool
	carrier     *carrier // of bytes on a contended fabric
	calibration calibration
	connections connections
	atOnce      atOnce
	combining   combining
}

// atOnce says how many messages a NIC handles at the same time, and how they share its rate.
type atOnce struct {
	lanes               int      // messages that a NIC takes in at the same time; 0: any number
	inTurns             bool     // a NIC serves many messages at the same time, which share its rate
	injection, ejection sim.Rate // of a NIC, where messages share it; 0: no limit
}

// newNetworkSide returns the way of a run on the ideal or a calibrated fabric. On a calibrated one
// each rank has its own NIC.
func newNetworkSide(m *machines.Machine, p programs.Program, place *placement, c *calibrated.Calibration) networkSide {
	n := networkSide{network: &m.Network, place: place, booked: true, connections: newConnections(m.Copying)}
	n.atOnce.lanes = max(1, m.Network.Channels) // for the bound: this fabric takes in one at a time, others more
	if c != nil {
		all := ranksOf(p)
		n.calibration = calibration{Factors: c.For(all), ranks: all}
		place.ownNICs()
	}
	return n
}

// connect makes the fabric on which messages contend.
func (c *cluster) connect(o Options) error {
	if o.Fabric == nil {
		return nil
	}
	c.booked, c.carrier = false, newCarrier(c, o.Point)
	fabric, err := o.Fabric(c.kernel, c.carrier)
	if err != nil {
		return err
	}
	c.carrier.uses(fabric)
	c.causes.explain(c, fabric)
	if o.Traffic {
		c.carrier.watch(fabric)
	}
	return nil
}

// latency returns the latency between the nodes of two ranks.
func (n *networkSide) latency(from, to int32) sim.Time {
	if n.booked {
		return n.network.Latency + n.place.far(from) + n.place.far(to)
	}
	return n.latencyOf(from, to, network.Bytes)
}

// latencyOf returns the latency of a transfer of a kind: the latency of its part with the longest
// way.
func (n *networkSide) latencyOf(from, to int32, kind network.TransferKind) sim.Time {
	way := sim.Time(0)
	for part := range n.carrier.stripes {
		way = max(way, n.latencyOfPart(from, to, part, kind))
	}
	return way
}

// latencyOfPart returns the latency of one part of a transfer of a kind.
func (n *networkSide) latencyOfPart(from, to int32, part int, kind network.TransferKind) sim.Time {
	one, other := n.carrier.way(from, to, part)
	return n.carrier.fabric.Latency(one, other, kind) + n.place.far(from) + n.place.far(to)
}

// carries tells whether bytes are in flight that no event announces.
func (n *networkSide) carries() bool { return !n.booked && n.carrier.carries() }

// traffic returns what links and NICs have carried over time, where that is recorded.
func (n *networkSide) traffic() *network.Traffic {
	if n.booked {
		return nil
	}
	return n.carrier.traffic
}
