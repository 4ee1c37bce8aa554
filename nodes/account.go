package nodes

import (
	"slices"

	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// spend books the rank's time under a term, from where it was last booked up to until. Every
// entry of the ledger goes through here, so the ledger always sums to the time that is accounted for.
func (c *cluster) spend(r int32, t results.Term, until sim.Time) {
	k := &c.ranks[r]
	if until <= k.accounted {
		return
	}
	span := results.Span{Start: k.accounted, End: until, Message: -1, Term: t, Phase: k.phase}
	if c.recorder.on {
		span.Message = c.about(k)
	}
	k.accounted = until
	if len(k.unbooked) > 0 || t == results.Progress && k.state == waiting {
		k.unbooked = append(k.unbooked, span)
		return
	}
	c.enter(r, span)
}

// idle books time in which a rank waits.
func (c *cluster) idle(r int32, t results.Term, until sim.Time) {
	c.absorb(r, until)
	c.spend(r, t, until)
}

// enter writes what a rank did to its ledger and its timeline.
func (c *cluster) enter(r int32, s results.Span) {
	c.ledgers[int(r)*c.phases+int(s.Phase)][s.Term] += s.End - s.Start
	if c.recorder.on {
		c.recorder.span(r, s)
	}
}

// bookWaits books what was held back since the rank waited for a message that made no progress: it has waited for all that it waits for at once.
func (c *cluster) bookWaits(r int32) {
	k := &c.ranks[r]
	for _, s := range k.unbooked {
		c.enter(r, s)
	}
	k.unbooked = k.unbooked[:0]
}

// cameAt turns missing progress, in waits that directly came before, into waiting for the other side: until a time it had not come, and the
// rank would have waited for it in any case.
func (c *cluster) cameAt(r int32, at sim.Time) {
	k := &c.ranks[r]
	for i := 0; i < len(k.unbooked) && k.unbooked[i].Start < at; i++ {
		s := &k.unbooked[i]
		if s.Term != results.Progress {
			continue
		}
		if rest := *s; s.End > at {
			s.End, rest.Start = at, at
			k.unbooked = slices.Insert(k.unbooked, i+1, rest)
		}
		k.unbooked[i].Term = results.Partner
	}
}

// about returns the index in the timeline of the message that concerns the rank now, or -1 if
// there is none.
func (c *cluster) about(k *rank) int32 {
	switch k.state {
	case posting, copying, waiting:
		if k.awaited >= 0 {
			return c.messages.at(k.awaited).record
		}
	}
	return -1
}

// compute books computation up to until, and how much of it hid the rank's own messages.
func (c *cluster) compute(r int32, until sim.Time) {
	k := &c.ranks[r]
	switch {
	case k.disturbed:
		c.spend(r, results.Interference, until)
		return
	case c.agent.tests && k.on:
		c.computeTested(r, until)
		return
	}
	flight := k.flight
	if k.flying > 0 {
		flight = until
	}
	if hid := min(until, flight) - k.accounted; hid > 0 {
		k.hidden += hid
	}
	c.interfere(r, until)
	c.spend(r, results.Compute, until)
}

// computeTested does the same as compute for a process that tests as it computes.
func (c *cluster) computeTested(r int32, until sim.Time) {
	k := &c.ranks[r]
	every, period := c.machine.Runtime.Progress.Every, c.testPeriod()
	computed := func(at sim.Time) sim.Time { // since the stretch began
		at -= k.stretch
		return at/period*every + min(at%period, every)
	}
	flight := min(until, k.flight)
	if k.flying > 0 {
		flight = until
	}
	if flight > k.accounted {
		k.hidden += computed(flight) - computed(k.accounted)
	}
	for c.recorder.on && k.accounted < until {
		begin := k.stretch + (k.accounted-k.stretch)/period*period
		c.spend(r, results.Compute, min(until, begin+every))
		c.spend(r, results.Overhead, min(until, begin+period))
	}
	if k.accounted < until {
		c.spend(r, results.Compute, k.accounted+computed(until)-computed(k.accounted))
		c.spend(r, results.Overhead, until)
	}
}
