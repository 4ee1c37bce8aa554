package nodes

import (
	"overlapsim/network"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// interruptWait remembers jobs that the CPU does during a wait.
func (c *cluster) interruptWait(r int32, from, to, now sim.Time) {
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

// resumeWait is called when a job has ended during a wait.
func (c *cluster) resumeWait(r int32, now sim.Time) {
	k := &c.ranks[r]
	if n := len(k.waits); n > 0 {
		k.waits[n-1].after = c.served(r, now)
		if c.machine.Runtime != nil { // the process may notice late
			c.expect(r)
		}
	}
}

// splitWait books a wait up to until, and the jobs in it. A wait for a schedule may go on after that.
func (c *cluster) splitWait(r int32, until sim.Time) {
	k := &c.ranks[r]
	at := 0
	if k.worker != nil {
		done := 0
		for ; done < len(k.waits) && k.waits[done].to <= until; done++ {
			w := &k.waits[done]
			at = c.walk(r, at, w.from, &w.before)
			c.spend(r, results.Overhead, w.to)
			k.since = w.after
		}
		if k.waits = k.waits[:copy(k.waits, k.waits[done:])]; len(k.waits) > 0 && k.waits[0].from < until {
			w := &k.waits[0]
			at = c.walk(r, at, w.from, &w.before)
			c.spend(r, results.Overhead, until)
			w.from = until
		}
	}
	c.walk(r, at, until, nil)
}

// walk books a stretch of a wait according to the life of the awaited message, beginning with its
// i-th mark. It returns the last mark that it used. The argument served is what the rank's NIC
// has served by until; nil: ask the NIC.
func (c *cluster) walk(r int32, i int, until sim.Time, served *network.Served) int {
	k := &c.ranks[r]
	c.absorb(r, until)
	if k.awaited == nobody { // between two rounds of a schedule
		c.spend(r, results.Progress, until)
		return i
	}
	m := c.messages.at(k.awaited)
	over := c.ended(r, k.awaited)
	if m.protocol == signalled && m.to == r { // its last mark is the end of the handler
		over = until
	}
	end := min(until, over)
	if m.from == r && m.acknowledged() && !c.place.inside(m.from, m.to) { // its acknowledgement is then on its way
		end = min(end, m.completed-c.latency(m.to, m.from))
	}
	c.spend(r, results.Partner, min(until, m.posted))
	if m.staging < 0 {
		c.walkStraight(r, m, end, served)
	} else {
		i = c.walkMarks(r, m, i, end, served)
	}
	c.spend(r, results.Latency, min(until, over))
	c.spend(r, results.Progress, until) // it was over, but the process had not noticed
	return i
}

// walkMarks books a stretch of a wait by the marks of the awaited message.
func (c *cluster) walkMarks(r int32, m *message, i int, end sim.Time, served *network.Served) int {
	d := c.stagings.at(m.staging)
	for ; i < len(d.marks); i++ {
		to := end
		if i+1 < len(d.marks) {
			to = min(end, d.marks[i+1].from)
		}
		switch k := &d.marks[i]; k.does {
		case enqueued:
			c.spendQueued(r, m, k.leg, to, served)
		case results.Progress:
			c.spend(r, results.Partner, min(to, d.wanted)) // no processor finds a receive before it is posted
			fallthrough
		default:
			c.spend(r, k.does, to)
		}
		if to == end {
			break
		}
	}
	return i
}

// walkStraight books a stretch of a wait according to the times of a message that goes straight
// into memory.
func (c *cluster) walkStraight(r int32, m *message, end sim.Time, served *network.Served) {
	k := &c.ranks[r]
	switch {
	case c.place.inside(m.from, m.to):
		c.spend(r, results.Overhead, min(end, m.sent))
		c.spend(r, results.Latency, end)
	case m.from == r:
		c.splitQueued(r, min(end, m.start), served, m.served)
	default:
		c.spend(r, results.Overhead, min(end, m.paid))
		c.spend(r, results.NICStall, min(end, m.start))
	}
	c.spend(r, results.Contention, min(end, m.begun))
	c.spend(r, results.Transfer, min(end, m.sent))
	if !c.booked && k.accounted < end {
		c.spend(r, results.Contention, min(end, m.arrived-c.latency(m.from, m.to)))
	}
	c.spend(r, results.Latency, min(end, m.arrived))
	c.spend(r, results.Contention, min(end, m.delivered-c.delivery(m, load)))
	c.spend(r, results.Latency, end)
}

// spendQueued books time in which a leg of the awaited message waited for its turn in the NIC of
// its sender.
func (c *cluster) spendQueued(r int32, m *message, l leg, to sim.Time, served *network.Served) {
	if from, _ := m.endpoints(l); from != r {
		c.spend(r, results.NICStall, to)
		return
	}
	k := &c.ranks[r]
	begun := unserved
	for _, s := range c.stagings.at(m.staging).stays {
		if s.leg == l {
			k.since.Own, k.since.All = max(k.since.Own, s.handed.Own), max(k.since.All, s.handed.All)
			begun = s.begun
		}
	}
	c.splitQueued(r, to, served, begun)
}

// splitQueued books time in which a leg waited for its turn in the rank's own NIC. It splits the
// time by what that NIC served until then, but only up to the leg's turn.
func (c *cluster) splitQueued(r int32, to sim.Time, served *network.Served, begun network.Served) {
	k := &c.ranks[r]
	span := to - k.accounted
	if span <= 0 {
		return
	}
	if served == nil {
		now := c.served(r, c.kernel.Now())
		served = &now
	}
	own := min(max(0, min(served.Own, begun.Own)-k.since.Own), span)
	others := min(max(0, min(served.All, begun.All)-k.since.All-own), span-own)
	c.spend(r, results.NICStall, to-own-others)
	c.spend(r, results.Contention, to-own)
	c.spend(r, results.Transfer, to)
}
