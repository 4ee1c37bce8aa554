package nodes

import "overlapsim/sim"

// Transfers on a contended fabric: why they start, and that the fabric took so long
// for them. What that time is made of is the fabric's, and no parameter's here.

// hands says that a transfer is handed to the NIC, to be ready at what happens.
func (t *causes) hands(id int32) {
	for int(id) >= len(t.transfers) {
		t.transfers = append(t.transfers, 0)
	}
	t.transfers[id] = t.now
}

// isReady says that what happens is that a transfer is ready.
func (t *causes) isReady(id int32, now sim.Time) { t.now = t.is(t.transfers[id], now) }

// starts says that a transfer starts, as it is ready and has a channel.
func (t *causes) starts(c *cluster, id, from int32, of *carried, now sim.Time) {
	at := t.last(t.now, t.transfers[id], now)
	if of.startup > 0 {
		at = t.add(at, now+of.startup, PartStartup, 1, t.carries(c, NICSend, from, of))
	}
	t.transfers[id] = at
}

// departs says that what happens is that the bytes of a transfer begin to leave.
func (t *causes) departs(id int32, now sim.Time) { t.now = t.is(t.transfers[id], now) }

// left says that the last byte of a transfer leaves.
func (t *causes) left(c *cluster, id, from int32, of *carried, now sim.Time) {
	t.transfers[id] = t.add(t.transfers[id], now, PartFabric, of.bytes, t.carries(c, NICSend, from, of))
	t.now = t.transfers[id]
}

// arrives says that it arrives.
func (t *causes) arrives(c *cluster, id, from int32, of *carried, now sim.Time) {
	t.now = t.add(t.transfers[id], now, PartFabricLatency, of.bytes, t.carries(c, Wire, from, of))
	t.message(of.message).legs[of.leg] = t.now
}

// carries says where a transfer is.
func (t *causes) carries(c *cluster, on Resource, from int32, of *carried) where {
	return where{on, c.place.nic[from], t.message(of.message).number}
}
