package nodes

import (
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
	c.ledgers[int(r)*c.phases+int(k.phase)][t] += until - k.accounted
	if c.recorder.on {
		c.recorder.span(r, results.Span{Start: k.accounted, End: until, Message: c.about(k), Term: t, Phase: k.phase})
	}
	k.accounted = until
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
