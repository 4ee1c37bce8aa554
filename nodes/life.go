package nodes

import (
	"overlapsim/network"
	"overlapsim/sim"
)

// The life of a message is what it does from when on. That of a message that goes
// straight into memory follows from its times; others note it as it happens. A wait
// is split by the life of the awaited message when it ends (docs/ledger.md).

// mark says what a message does from a time on: a term, or enqueued.
type mark struct {
	from sim.Time
	does Term
	leg  leg // enqueued
}

// enqueued is what a leg does between its being handed to a NIC and its turn. What
// that is for a rank depends on whose bytes the NIC sends.
const enqueued = NumTerms

// stay is what a NIC had served when a leg was handed over, and when its turn came.
type stay struct {
	leg           leg
	handed, begun network.Served
}

// passage is how bytes pass the NIC of their sender.
type passage struct {
	start  sim.Time       // it is their turn
	begun  sim.Time       // the first one leaves, as if what sharing adds came first
	sent   sim.Time       // the last one has left
	served network.Served // by the NIC until start
}

// trip is when something leaves one NIC and comes to the other.
type trip struct{ start, sent, arrived sim.Time }

// unserved is what a NIC has served at a time that has not come.
var unserved = network.Served{Own: sim.Forever, All: sim.Forever}

// note says what a message does from then on.
func (c *cluster) note(id int32, from sim.Time, does Term) {
	c.noteOf(c.messages.at(id), from, does)
}

func (c *cluster) noteOf(m *message, from sim.Time, does Term) {
	if m.detour >= 0 {
		c.detours.at(m.detour).note(mark{from: from, does: does})
	}
}

// note forgets what took no time, and goes on with what is the same; what has come to an
// end is not gone on with.
func (d *detour) note(m mark) {
	n := len(d.marks)
	if n > 0 && d.marks[n-1].from == m.from {
		n--
		d.marks = d.marks[:n]
	}
	if n <= d.ended || d.marks[n-1].does != m.does || m.does == enqueued {
		d.marks = append(d.marks, m)
	}
}

// passes notes how a leg, handed over now and in line from then on, passes the NIC.
func (c *cluster) passes(id int32, l leg, since, now sim.Time, p passage) {
	if m := c.messages.at(id); m.early(l) {
		c.detours.at(m.detour).finish = trip{p.start, p.sent, sim.Forever}
	}
	d := c.noted(id, l)
	if d == nil {
		return
	}
	if p.start > since {
		d.note(mark{since, enqueued, l})
	}
	if p.start > now {
		from, _ := c.messages.at(id).ends(l)
		d.stays = append(d.stays, stay{l, c.served(from, now), p.served})
	}
	if p.begun > p.start {
		d.note(mark{from: p.start, does: Contention})
	}
	d.note(mark{from: p.begun, does: Transfer})
	d.note(mark{from: p.sent, does: Latency})
}

// hands notes that a leg is handed over now and in line from then on. Only time will
// tell how it passes the NIC.
func (c *cluster) hands(id int32, l leg, since, now sim.Time) {
	if d := c.noted(id, l); d != nil {
		from, _ := c.messages.at(id).ends(l)
		d.ended = len(d.marks)
		d.note(mark{since, enqueued, l})
		d.stays = append(d.stays, stay{l, c.served(from, now), unserved})
	}
}

// turns notes that it is the turn of a leg that was handed over.
func (c *cluster) turns(id int32, l leg, now sim.Time, served network.Served) {
	if m := c.messages.at(id); m.early(l) {
		c.detours.at(m.detour).finish.start = now
	}
	if d := c.noted(id, l); d != nil {
		for i := range d.stays {
			if d.stays[i].leg == l {
				d.stays[i].begun = served
			}
		}
		d.note(mark{from: now, does: Transfer})
	}
}

// leaves notes that the last byte of such a leg has left, and when its first one
// did.
func (c *cluster) leaves(id int32, l leg, begun, now sim.Time) {
	if m := c.messages.at(id); m.early(l) {
		c.detours.at(m.detour).finish.sent = now
	}
	if d := c.noted(id, l); d != nil {
		d.divide(Transfer, Contention, begun)
		d.note(mark{from: now, does: Latency})
	}
}

// comes notes that a leg, or a chunk, has arrived: what it took longer than the
// latency is contention.
func (c *cluster) comes(id int32, l leg, now sim.Time) {
	if d := c.noted(id, l); d != nil {
		m := c.messages.at(id)
		from, to := m.ends(l)
		d.divide(Latency, Contention, now-c.latencyOf(from, to, m.kind(l)))
		d.ended = len(d.marks)
	}
}

// divide says that a message, if it does something since its last mark, did so only
// from a time on, and something else before.
func (d *detour) divide(does, before Term, at sim.Time) {
	if n := len(d.marks); n > 0 && d.marks[n-1].does == does && d.marks[n-1].from < at {
		d.marks[n-1].does = before
		d.marks = append(d.marks, mark{from: at, does: does})
	}
}

// noted returns where the legs of a message are noted; nil: this one is not, or not
// yet. The finish of a write counts when its bytes have come.
func (c *cluster) noted(id int32, l leg) *detour {
	m := c.messages.at(id)
	if m.detour < 0 || l == load && c.streams(m) || m.early(l) {
		return nil
	}
	return c.detours.at(m.detour)
}

// early tells whether a leg is the finish of a write whose bytes have not come.
func (m *message) early(l leg) bool {
	return l == finish && m.way == Write && m.completed == sim.Forever
}

// awaitsFinish notes what the finish of a write, whose bytes have come now, does.
func (c *cluster) awaitsFinish(id int32, now sim.Time) {
	d := c.detours.at(c.messages.at(id).detour)
	p := &d.finish
	if p.start > now {
		d.note(mark{now, enqueued, finish})
	}
	if p.start < sim.Forever {
		d.note(mark{from: max(now, p.start), does: Transfer})
	}
	if p.sent < sim.Forever {
		d.note(mark{from: max(now, p.sent), does: Latency})
	}
	if p.arrived < sim.Forever {
		d.note(mark{from: now, does: Contention})
	}
}
