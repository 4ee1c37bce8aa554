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
	if c.noting {
		c.write(id, from, term)
	}
}

func (c *cluster) write(id int32, from sim.Time, term Term) {
	m := c.messages.at(id)
	d := c.detours.at(m.detour)
	if n := len(d.marks); n == 0 || d.marks[n-1].term != term {
		d.marks = append(d.marks, mark{from, term})
	}
}

// taken notes that a job is taken on.
func (c *cluster) taken(j job, now sim.Time) {
	switch j.step {
	case copyOut:
		c.move(j.message, gone, copied, now)
	case copyIn:
		c.move(j.message, lying, takenOn, now)
	default:
		c.note(j.message, now, Overhead)
	}
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
	if from > now {
		c.schedule(from, evNoticed, uint64(r))
	}
}

// noticed begins the jobs that a waiting process has noticed.
func (c *cluster) noticed(r int32, now sim.Time) {
	k := &c.ranks[r]
	if n := len(k.waits); n > 0 && k.waits[n-1].from == now {
		k.waits[n-1].before = c.served(r, now)
	}
}

// resumeWait hears that a job has ended during a wait.
func (c *cluster) resumeWait(r int32, now sim.Time) {
	k := &c.ranks[r]
	n := len(k.waits)
	switch {
	case c.machine.Runtime == nil:
		k.since = c.served(r, now)
	case n > 0:
		k.waits[n-1].after = c.served(r, now)
		c.expect(r)
	}
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
	at := 0
	for _, w := range waits {
		at = c.walk(r, at, w.from, w.before)
		c.spend(r, Overhead, w.to)
		k.since = w.after
	}
	c.walk(r, at, until, c.served(r, now))
}

// walk books a stretch of a wait by the notes of the awaited message, from the
// i-th one on, and returns the last one that it needed; served is what the NIC
// has served until then.
func (c *cluster) walk(r int32, i int, until sim.Time, served network.Served) int {
	k := &c.ranks[r]
	m := c.messages.at(k.awaited)
	over := c.ended(r, k.awaited)
	if m.protocol == signalled && m.to == r { // the last note is of the handler's end
		over = until
	}
	end := min(until, over)
	if m.from == r && m.acknowledged() && !c.inside(m.from, m.to) {
		end = min(end, m.completed-c.latency(m.to, m.from)) // then the acknowledgement is on its way
	}
	c.spend(r, Partner, min(until, m.posted))
	marks := c.detours.at(m.detour).marks
	for ; i < len(marks); i++ {
		to := end
		if i+1 < len(marks) {
			to = min(end, marks[i+1].from)
		}
		c.spendAs(r, m, marks[i].term, to, served)
		if to == end {
			break
		}
	}
	c.spend(r, Latency, min(until, over))
	c.spend(r, Progress, until) // it was over, and the process did not notice
	return i
}

// spendAs books time in which the awaited message did something.
func (c *cluster) spendAs(r int32, m *message, did Term, until sim.Time, served network.Served) {
	k := &c.ranks[r]
	switch {
	case did != leaving:
		c.spend(r, did, until)
	case m.from == r:
		before := c.detours.at(m.detour).before
		k.since.Own, k.since.All = max(k.since.Own, before.Own), max(k.since.All, before.All)
		c.splitSending(r, m, until, served)
	default:
		c.spend(r, NICStall, min(until, m.start))
		c.spend(r, Contention, min(until, c.begun(m)))
		c.spend(r, Transfer, until)
	}
}
