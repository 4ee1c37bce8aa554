package nodes

import (
	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
)

// nicSide owns the NICs of a run: how messages wait in them, how long they occupy them, the least that
// each must do, and what they move through memories.
type nicSide struct {
	machine  *machines.Machine
	place    *placement
	nics     []network.NIC // by node; on a calibrated fabric, by rank
	limit    int32         // of rank.posted; 0: none
	prompt   bool          // a post hands its message to the NIC at once; otherwise when the overhead is paid, which jobs may put off
	services []service     // by NIC
	queued   []int32       // by NIC: how many legs and chunks that have come wait in it
	coming   []fifo[entry] // by NIC: what it takes in
	moving   slab[stream]  // what NICs are moving through memories

	occupancy sizeCost // Startup + G
}

// entry is something between two ranks that has passed the receiving NIC at a time.
type entry struct {
	between rankPair
	at      sim.Time
}

// init prepares the NICs for a number of ranks.
func (n *nicSide) init(m *machines.Machine, place *placement, ranks int, o *Options) {
	net, limit := &m.Network, m.Network.Limit(ranks)
	*n = nicSide{machine: m, place: place, nics: make([]network.NIC, len(place.users)), services: make([]service, len(place.users)),
		queued: make([]int32, len(place.users)), coming: make([]fifo[entry], len(place.users))}
	if m.Copying != nil || o.Fabric != nil { // whole messages are counted here
		n.limit, limit = int32(limit), 0
	}
	divide(len(n.nics), o.Cores, func(from, to int) {
		network.PrepareNICs(n.nics[from:to], net, place.users[from:to], limit)
	})
	n.prompt = m.Copying == nil && (m.Runtime == nil || net.Early)
	n.occupancy = newSizeCost(func(bytes int64) sim.Time { return net.Startup + net.Transfer.Of(n.stripe(bytes)) })
}

// length returns how long a message occupies a NIC.
func (n *nicSide) length(bytes int64) sim.Time { return n.occupancy.of(bytes) }

// stripe returns the most bytes of a message that one NIC carries.
func (n *nicSide) stripe(bytes int64) int64 {
	if n.place.own {
		return bytes
	}
	return n.machine.Stripe(bytes)
}

// nic returns the NIC of a rank, and the rank's number among the users of that NIC.
func (n *nicSide) nic(r int32) (nic *network.NIC, process int) {
	return &n.nics[n.place.nic[r]], int(n.place.user[r])
}
