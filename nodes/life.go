package nodes

import (
	"slices"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// The life of a message is what it does, and from when on. For a message that goes straight into
// memory, this follows from its times. Other messages note it as it happens. When a wait ends, it
// is split according to the life of the awaited message (docs/explanation/time-breakdown.md).

// mark says what a message does from some time on: a term of the ledger, or enqueued.
type mark struct {
	from sim.Time
	does results.Term
	leg  leg // if enqueued: which leg
}

// enqueued means that a leg has been handed to a NIC and waits for its turn. Which term that is
// for a rank depends on whose bytes the NIC sends.
const enqueued = results.NumTerms

// stay holds what a NIC had served when a leg was handed over, and when its turn came.
type stay struct {
	leg           leg
	handed, begun network.Served
}

// passage is how bytes pass the NIC of their sender.
type passage struct {
	start  sim.Time       // when their turn comes
	begun  sim.Time       // when the first one leaves, if the time that sharing adds is counted before it
	sent   sim.Time       // when the last one has left
	served network.Served // what the NIC had served by start
}

// trip says when a leg gets its turn in its NIC, when it has left that NIC, and when it arrives
// at the other NIC.
type trip struct{ start, sent, arrived sim.Time }

// unserved stands for what a NIC will have served at a future time.
var unserved = network.Served{Own: sim.Forever, All: sim.Forever}

// note notes what a message does from some time on.
func (c *cluster) note(id int32, from sim.Time, does results.Term) {
	c.noteOf(c.messages.at(id), from, does)
}

func (c *cluster) noteOf(m *message, from sim.Time, does results.Term) {
	if m.staging >= 0 {
		c.stagings.at(m.staging).note(mark{from: from, does: does})
	}
}

// note adds a mark. It drops the last mark if that one took no time. A mark that repeats the last
// one continues it, unless the last one has ended.
func (d *staging) note(m mark) {
	n := len(d.marks)
	if n > 0 && d.marks[n-1].from == m.from {
		n--
		d.marks = d.marks[:n]
	}
	if n <= d.ended || d.marks[n-1].does != m.does || m.does == enqueued {
		d.marks = append(d.marks, m)
	}
}

// legOvertakes notes how a leg that passes others leaves the NIC. It waits until it is ready, and then only for bytes to the same rank.
func (c *cluster) legOvertakes(id int32, l leg, since, ready sim.Time, p passage) {
	if m := c.messages.at(id); m.earlyFinish(l) {
		c.stagings.at(m.staging).finish = trip{p.start, p.sent, sim.Forever}
	}
	if d := c.noted(id, l); d != nil {
		d.note(mark{from: since, does: results.NICStall})
		d.note(mark{from: max(since, ready), does: results.Transfer})
		d.note(mark{from: p.sent, does: results.Latency})
	}
}

// legPassesNIC notes how a leg passes the NIC. The leg is handed over now and is in line from since on.
func (c *cluster) legPassesNIC(id int32, l leg, since, now sim.Time, p passage) {
	if m := c.messages.at(id); m.earlyFinish(l) {
		c.stagings.at(m.staging).finish = trip{p.start, p.sent, sim.Forever}
	}
	d := c.noted(id, l)
	if d == nil {
		return
	}
	if p.start > since {
		d.note(mark{since, enqueued, l})
	}
	if p.start > now {
		from, _ := c.messages.at(id).endpoints(l)
		d.stays = append(d.stays, stay{l, c.served(from, now), p.served})
	}
	if p.begun > p.start {
		d.note(mark{from: p.start, does: results.Contention})
	}
	d.note(mark{from: p.begun, does: results.Transfer})
	d.note(mark{from: p.sent, does: results.Latency})
}

// legHandedOver notes that a leg is handed over now and is in line from since on. How it passes
// the NIC is not known yet.
func (c *cluster) legHandedOver(id int32, l leg, since, now sim.Time) {
	if d := c.noted(id, l); d != nil {
		from, _ := c.messages.at(id).endpoints(l)
		if d.ended = len(d.marks); l.passes(c.legBytes(c.messages.at(id), l)) {
			d.note(mark{from: since, does: results.NICStall})
			return
		}
		d.note(mark{since, enqueued, l})
		d.stays = append(d.stays, stay{l, c.served(from, now), unserved})
	}
}

// legStarts notes that the NIC starts to send now a leg that was handed over, and since when it was ready.
func (c *cluster) legStarts(id int32, l leg, ready, now sim.Time, served network.Served) {
	if m := c.messages.at(id); m.earlyFinish(l) {
		c.stagings.at(m.staging).finish.start = now
	}
	if d := c.noted(id, l); d != nil {
		for i := range d.stays {
			if d.stays[i].leg == l {
				d.stays[i].begun = served
			}
		}
		if n := len(d.marks); l.passes(c.legBytes(c.messages.at(id), l)) && n > 0 {
			now = max(d.marks[n-1].from, ready)
		}
		d.note(mark{from: now, does: results.Transfer})
	}
}

// legLeaves notes that the last byte of a leg that was handed over leaves now, and when its
// first byte left.
func (c *cluster) legLeaves(id int32, l leg, begun, now sim.Time) {
	if m := c.messages.at(id); m.earlyFinish(l) {
		c.stagings.at(m.staging).finish.sent = now
	}
	if d := c.noted(id, l); d != nil {
		d.divide(results.Transfer, results.Contention, begun)
		d.note(mark{from: now, does: results.Latency})
	}
}

// legArrives notes that a leg has arrived. Any time beyond the latency is contention.
func (c *cluster) legArrives(id int32, l leg, now sim.Time) {
	if d := c.noted(id, l); d != nil {
		m := c.messages.at(id)
		from, to := m.endpoints(l)
		d.divide(results.Latency, results.Contention, now-c.latencyOf(from, to, m.kind(l)))
		d.ended = len(d.marks)
	}
}

// chunkHeldUp notes that a chunk that left at sent arrives now. The message does what its oldest
// chunk on the way does, and this chunk may have overtaken that one. The time that the oldest
// chunk has taken beyond the latency is contention.
func (c *cluster) chunkHeldUp(id int32, sent, now sim.Time) {
	m := c.messages.at(id)
	d := c.stagings.at(m.staging)
	since, late, last := d.flying[0], now-c.latency(m.from, m.to), len(d.marks)-1
	own := slices.Index(d.flying, sent)
	d.flying = slices.Delete(d.flying, own, own+1)
	if d.marks[last].does != results.Latency || late <= max(since, d.marks[last].from) {
		return
	}
	if since > d.marks[last].from { // until then the message did what an older chunk does
		d.marks = append(d.marks, mark{from: since, does: results.Contention})
	} else {
		d.marks[last].does = results.Contention
	}
	d.marks = append(d.marks, mark{from: late, does: results.Latency})
}

// divide splits the time since the last mark, if the term of that mark is does. Up to the time
// at, the term becomes before.
func (d *staging) divide(does, before results.Term, at sim.Time) {
	if n := len(d.marks); n > 0 && d.marks[n-1].does == does && d.marks[n-1].from < at {
		d.marks[n-1].does = before
		d.marks = append(d.marks, mark{from: at, does: does})
	}
}

// noted returns the staging in which a leg of a message is noted; nil if the leg is not noted, or
// not yet. The finish of a write is noted once the bytes have arrived.
func (c *cluster) noted(id int32, l leg) *staging {
	m := c.messages.at(id)
	if m.staging < 0 || l == load && c.streams(m) || m.earlyFinish(l) {
		return nil
	}
	return c.stagings.at(m.staging)
}

// earlyFinish tells whether a leg is the finish of a write whose bytes have not arrived.
func (m *message) earlyFinish(l leg) bool {
	return l == finish && m.way == machines.Write && m.completed == sim.Forever
}

// awaitsFinish notes what the finish of a write does. The bytes of the write have arrived now.
func (c *cluster) awaitsFinish(id int32, now sim.Time) {
	d := c.stagings.at(c.messages.at(id).staging)
	d.ended = len(d.marks) // a delivery is no part of the finish's latency
	p := &d.finish
	if p.sent > now {
		d.note(mark{from: now, does: results.Transfer})
	}
	if p.sent < sim.Forever {
		d.note(mark{from: max(now, p.sent), does: results.Latency})
	}
	if p.arrived < sim.Forever {
		d.note(mark{from: now, does: results.Contention})
	}
}
