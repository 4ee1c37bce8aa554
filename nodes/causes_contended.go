package nodes

import (
	"slices"

	"overlapsim/network"
	"overlapsim/sim"
)

// Transfers on a contended fabric: why they start, and how long the fabric took for
// them. If it can explain that, the end of a transfer is a mix of the moments at
// which its rate changed; else that time is no parameter's.

// links are the parameters of a fabric that can explain itself. Behind those of the
// machine there is one for the latency of links, and one for each capacity.
type links struct {
	all       []parameter
	latency   float64 // of a link, in ps
	parameter []int   // by capacity
}

// flowing is a transfer under way.
type flowing struct {
	pace
	since   sim.Time
	by      []float64 // derivatives of its rate since then
	effects []float64 // of what has left until then
}

// explain lets the fabric tell of rates.
func (t *causes) explain(c *cluster, f network.Explained) {
	l := f.LinkLatency()
	t.links = &links{all: []parameter{quantity(l, Second)}, latency: l.Value * float64(sim.Second)}
	nic := c.machine.parameters()[paramTransferPerByte].name
	for _, q := range f.Capacities() {
		t.links.parameter = append(t.links.parameter, t.links.index(q, nic))
	}
	f.Watch(func(id uint32, rate float64, by []float64) { t.leavesAt(int32(id), rate, by, c.kernel.Now()) })
}

// index returns that of a capacity among the parameters, which it may join.
func (l *links) index(q network.Quantity, nic string) int {
	if q.Name == nic {
		return paramTransferPerByte
	}
	i := slices.IndexFunc(l.all, func(p parameter) bool { return p.name == q.Name })
	if i < 0 {
		i = len(l.all)
		l.all = append(l.all, quantity(q, BytePerSecond))
	}
	return numParams + i
}

func quantity(q network.Quantity, u Unit) parameter {
	return parameter{name: q.Name, unit: u, given: q.Value}
}

// leavesAt says that the bytes of a transfer leave at a rate from now on.
func (t *causes) leavesAt(id int32, rate float64, by []float64, now sim.Time) {
	f := &t.flows[id]
	f.pass(now)
	f.by = append(f.by[:0], by...)
	if rate != f.speed {
		f.becomes(rate, t.is(t.changed, now))
	}
}

// pass adds up effects until now.
func (f *flowing) pass(now sim.Time) {
	for k, v := range f.by {
		f.effects[k] += v * float64(now-f.since)
	}
	f.since = now
}

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
func (t *causes) departs(id int32, now sim.Time) {
	t.now = t.is(t.transfers[id], now)
	t.changed = t.now
	if t.links == nil {
		return
	}
	for int(id) >= len(t.flows) {
		t.flows = append(t.flows, flowing{effects: make([]float64, len(t.links.parameter))})
	}
	f := &t.flows[id]
	clear(f.effects)
	*f = flowing{pace{0, f.changes[:0]}, now, f.by[:0], f.effects}
}

// left says that the last byte of a transfer leaves.
func (t *causes) left(c *cluster, id, from int32, of *carried, now sim.Time) {
	on := t.carries(c, NICSend, from, of)
	if t.links == nil || t.flows[id].speed == 0 {
		t.now = t.add(t.transfers[id], now, PartFabric, of.bytes, on)
	} else {
		t.now = t.mixed(t.transfers[id], now, PartFabric, on, t.flowed(&t.flows[id], of.bytes, now))
	}
	t.transfers[id], t.changed = t.now, t.now
}

// flowed returns what moves the end of a transfer.
func (t *causes) flowed(f *flowing, bytes int64, now sim.Time) mix {
	f.pass(now)
	x := mix{influences: f.influences(nobody), amount: bytes}
	for k, v := range f.effects {
		if v != 0 {
			x.effects = append(x.effects, effect{t.links.parameter[k], v / f.speed})
		}
	}
	f.changes = f.changes[:0]
	return x
}

// arrives says that it arrives.
func (t *causes) arrives(c *cluster, id, from int32, of *carried, now sim.Time) {
	t.now = t.add(t.transfers[id], now, PartFabricLatency, of.bytes, t.carries(c, Wire, from, of))
	t.message(of.message).legs[of.leg] = t.now
	t.transfers[id] = 0
}

// carries says where a transfer is.
func (t *causes) carries(c *cluster, on Resource, from int32, of *carried) where {
	return where{on, c.place.nic[from], t.message(of.message).number}
}
