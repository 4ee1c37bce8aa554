package nodes

import (
	"overlapsim/network"
	"overlapsim/sim"
)

// What a message does is noted as it happens when the machine has a Runtime;
// a wait for it is split by these notes when it ends.

// mark says what a message did from a time on.
type mark struct {
	from sim.Time
	term Term
}

// leaving is what a message does between its bytes' being handed to the
// sender's NIC and their having left: stall, transfer or contention.
const leaving = NumTerms

// note says what a message does from then on.
func (c *cluster) note(id int32, from sim.Time, term Term) {
	if c.machine.Runtime == nil {
		return
	}
	m := c.messages.at(id)
	d := c.detours.at(m.detour)
	d.marks = append(d.marks, mark{from, term})
}

// interruptWait remembers jobs that the CPU does during a wait; without a
// Runtime the wait is split at once.
func (c *cluster) interruptWait(r int32, from, to, now sim.Time) {
	if c.machine.Runtime == nil {
		c.splitWait(r, from, now)
		return
	}
	k := &c.ranks[r]
	if n := len(k.waits); n > 0 && k.waits[n-1].to == from {
		k.waits[n-1].to = to
		return
	}
	k.waits = append(k.waits, worked{from: from, to: to, before: c.served(r, now)})
}

// resumeWait hears that a job has ended during a wait.
func (c *cluster) resumeWait(r int32, now sim.Time) {
	k := &c.ranks[r]
	if n := len(k.waits); n > 0 {
		k.waits[n-1].after = c.served(r, now)
		return
	}
	k.since = c.served(r, now)
}

// splitWaits books a wait that ends then, and the jobs in between.
func (c *cluster) splitWaits(r int32, until, now sim.Time) {
	k := &c.ranks[r]
	if c.machine.Runtime == nil {
		c.splitWait(r, until, now)
		return
	}
	waits := k.waits
	k.waits = k.waits[:0]
	for _, w := range waits {
		c.walk(r, w.from, w.before)
		c.spend(r, Overhead, w.to)
		k.since = w.after
	}
	c.walk(r, until, c.served(r, now))
}

// walk books a stretch of a wait by the notes of the awaited message; served is
// what the NIC has served until then.
func (c *cluster) walk(r int32, until sim.Time, served network.Served) {
	k := &c.ranks[r]
	m := c.messages.at(k.awaited)
	end := until
	if m.from == r && m.acknowledged() && !c.inside(m.from, m.to) {
		end = min(end, m.completed-c.latency(m.to, m.from)) // then the acknowledgement is on its way
	}
	c.spend(r, Partner, min(until, m.posted))
	marks := c.detours.at(m.detour).marks
	for i, mark := range marks {
		to := end
		if i+1 < len(marks) {
			to = min(end, marks[i+1].from)
		}
		switch {
		case mark.term != leaving:
			c.spend(r, mark.term, to)
		case m.from == r:
			before := c.detours.at(m.detour).before
			k.since.Own, k.since.All = max(k.since.Own, before.Own), max(k.since.All, before.All)
			c.splitSending(r, m, to, served)
		default:
			c.spend(r, NICStall, min(to, m.start))
			c.spend(r, Contention, min(to, c.begun(m)))
			c.spend(r, Transfer, to)
		}
	}
	c.spend(r, Latency, until)
}
