package nodes

import (
	"slices"

	"overlapsim/network"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/results"
	"overlapsim/nodes/why"
	"overlapsim/sim"
)

// This file explains transfers on a contended fabric: why they start, and how long the fabric
// took for them. If the fabric can explain its rates, the end of a transfer is a mix of the
// moments at which its rate changed. Otherwise no parameter accounts for that time.

// links are the parameters of a fabric that can explain its rates. Their indices follow those of
// the machine: first the latency of links, then one for each capacity.
type links struct {
	first   int // number of the machine's parameters
	all     []parts.Parameter
	latency float64      // of a link, in ps
	moves   []why.Effect // what moves rates: capacities, then the parts of the NIC's own time
}

// flowing is a transfer in flight.
type flowing struct {
	why.Pace
	since   sim.Time
	by      []float64 // derivatives of its rate since then
	effects []float64 // derivatives of what has left until then
}

// explain makes the fabric report rates, if it can.
func (t *causes) explain(c *cluster, f network.Contended) {
	if t == nil {
		return
	}
	for i := range t.nics {
		t.nics[i].lanes = why.NewRing(c.atOnce.lanes)
	}
	if !t.mixes {
		return
	}
	e := f.Explain(watcher{t, c})
	if e == nil {
		return
	}
	t.links = &links{
		first: len(parts.Parameters(c.machine)), all: []parts.Parameter{quantity(e.LinkLatency, results.Second)},
		latency: e.LinkLatency.Value * float64(sim.Second),
	}
	for _, q := range e.Capacities {
		if q.Name == network.GapPerByte {
			t.links.moves = append(t.links.moves, why.Effect{Parameter: gapPerByte, Value: sim.Rate(q.Value).Gap()})
		} else {
			t.links.moves = append(t.links.moves, why.Effect{Parameter: t.links.index(q)})
		}
	}
	for _, p := range c.machine.Network.Transfer {
		t.links.moves = append(t.links.moves, why.Effect{Parameter: gapBase, Value: float64(p.Base)},
			why.Effect{Parameter: gapPerByte, Value: p.PerByte})
	}
}

// index returns the index of a capacity among the parameters. A new capacity is added.
func (l *links) index(q network.Quantity) int {
	i := slices.IndexFunc(l.all, func(p parts.Parameter) bool { return p.Name == q.Name })
	if i < 0 {
		i = len(l.all)
		l.all = append(l.all, quantity(q, results.BytePerSecond))
	}
	return l.first + i
}

func quantity(q network.Quantity, u results.Unit) parts.Parameter {
	return parts.Parameter{Name: q.Name, Unit: u, Given: q.Value}
}

// watcher receives the rates of transfers.
type watcher struct {
	*causes
	c *cluster
}

// Parts implements network.Watcher. The parts are the base and the time per byte of each piece of
// the NIC's cost.
func (w watcher) Parts() int { return 2 * len(w.c.machine.Network.Transfer) }

// Shares implements network.Watcher.
func (w watcher) Shares(id uint32, shares []float64) {
	clear(shares)
	bytes := w.c.stripe(w.c.carrier.transfers.at(int32(id) / int32(w.c.carrier.stripes)).bytes)
	cost := w.c.machine.Network.Transfer
	i := cost.Piece(bytes)
	base := float64(cost[i].Base) / float64(cost.Of(bytes))
	shares[2*i], shares[2*i+1] = base, 1-base
}

// Rate implements network.Watcher.
func (w watcher) Rate(id uint32, rate float64, by []float64) {
	now := w.c.kernel.Now()
	f := &w.flows[id]
	f.pass(now)
	f.by = append(f.by[:0], by...)
	if rate != f.Speed {
		f.Becomes(rate, w.Is(w.changed, now))
	}
}

// pass adds up effects until now.
func (f *flowing) pass(now sim.Time) {
	for k, v := range f.by {
		f.effects[k] += v * float64(now-f.since)
	}
	f.since = now
}

// transferQueued says that a transfer is handed to the NIC. What happens now makes it ready.
func (t *causes) transferQueued(id int32) {
	if t == nil {
		return
	}
	for int(id) >= len(t.transfers) {
		t.transfers, t.started = append(t.transfers, cause{}), append(t.started, cause{})
	}
	t.transfers[id] = t.now
}

// isReady says that a transfer becomes ready now.
func (t *causes) isReady(id int32, now sim.Time) {
	if t == nil {
		return
	}
	t.now = t.Is(t.transfers[id], now)
}

// starts says that a transfer starts now, because it is ready and has a channel.
func (t *causes) starts(c *cluster, id, from int32, of *carried, now sim.Time) {
	if t == nil {
		return
	}
	at := t.Last(t.now, t.transfers[id], now)
	t.started[id] = at
	if of.startup > 0 {
		at = t.add(at, now+of.startup, parts.Startup, 1, t.carries(c, results.NICSend, from, of))
	}
	t.transfers[id] = at
}

// departs says that the bytes of a transfer begin to leave now, in this number of parts.
func (t *causes) departs(id int32, stripes int, now sim.Time) {
	if t == nil {
		return
	}
	t.now = t.Is(t.transfers[id], now)
	t.changed = t.now
	for end := (int(id) + 1) * stripes; end > len(t.departed); {
		t.departed = append(t.departed, cause{})
	}
	if t.links == nil {
		return
	}
	for end := (int(id) + 1) * stripes; end > len(t.flows); {
		t.flows = append(t.flows, flowing{effects: make([]float64, len(t.links.moves))})
	}
	for part := range stripes {
		f := &t.flows[int(id)*stripes+part]
		clear(f.effects)
		*f = flowing{why.Pace{Changes: f.Changes[:0]}, now, f.by[:0], f.effects}
	}
}

// left says that the last byte of a part of a transfer leaves now. If that took no longer than
// the NIC needs, the NIC is the reason. If the fabric reports rates, the moment is a mix. The
// transfer has left when its last part has.
func (t *causes) left(c *cluster, part uint32, of *carried, now sim.Time) {
	if t == nil {
		return
	}
	id := int32(part) / int32(c.carrier.stripes)
	from, _ := c.carrier.endpoints(of)
	on, bytes := t.carries(c, results.NICSend, from, of), c.stripe(of.bytes)
	began := t.transfers[id]
	switch took := now - began.At; {
	case took == of.length:
		t.now = t.add(began, now, parts.Chunk, bytes, on)
	case t.links == nil || t.flows[part].Speed == 0:
		t.now = t.add(began, now, parts.Fabric, bytes, on)
	default:
		t.now = t.mixed(began, now, parts.Fabric, on, t.flowed(&t.flows[part], bytes, now))
	}
	t.departed[part], t.changed = t.now, t.now
}

// flowed returns what moves the end of a transfer.
func (t *causes) flowed(f *flowing, bytes int64, now sim.Time) why.Mix {
	f.pass(now)
	x := why.Mix{Influences: f.Influences(nil), Amount: bytes}
	for k, v := range f.effects {
		if v != 0 {
			e := t.links.moves[k]
			e.Time = v / f.Speed
			x.Effects = append(x.Effects, e)
		}
	}
	f.Changes = f.Changes[:0]
	return x
}

// arrives says that a transfer arrives now, with the last of its parts.
func (t *causes) arrives(c *cluster, id, from int32, of *carried, now sim.Time) {
	if t == nil {
		return
	}
	m := c.messages.at(of.message)
	_, to := m.endpoints(of.leg)
	left, on := t.departed[int(id)*c.carrier.stripes+int(of.latest)], t.carries(c, results.Wire, from, of)
	t.latency = c.latencyOfPart(from, to, int(of.latest), m.kind(of.leg))
	if queued := now - t.latency; queued > left.At {
		left = t.add(left, queued, parts.FabricQueue, of.bytes, on)
	}
	t.now = t.travels(c, left, now, rankPair{from, to}, of.bytes, on)
	*t.leg(of.message, of.leg) = t.now
	t.begun = t.started[id]
	t.transfers[id], t.started[id] = cause{}, cause{}
	clear(t.departed[int(id)*c.carrier.stripes:][:c.carrier.stripes])
}

// carries returns the resource that a transfer occupies.
func (t *causes) carries(c *cluster, on results.Resource, from int32, of *carried) where {
	return where{on, c.place.nic[from], t.message(of.message).number}
}
