package nodes

import (
	"overlapsim/network"
	"overlapsim/sim"
)

// spend books the rank's time since it was last booked under a term, up to
// then. Everything the ledger holds goes through here, so it always sums to
// the time that is accounted for.
func (c *cluster) spend(r int32, t Term, until sim.Time) {
	k := &c.ranks[r]
	if until <= k.accounted {
		return
	}
	c.ledgers[int(r)*c.phases+int(k.phase)][t] += until - k.accounted
	if c.recorder != nil {
		c.recorder.span(r, Span{k.accounted, until, c.about(k), t, k.phase})
	}
	k.accounted = until
}

// about returns the timeline's index of the message that the rank is busy
// with, -1: none.
func (c *cluster) about(k *rank) int32 {
	switch k.state {
	case posting, copying, waiting:
		if k.awaited >= 0 {
			return c.messages.at(k.awaited).record
		}
	}
	return -1
}

// compute books computation up to then, and how much of it hid own messages.
func (c *cluster) compute(r int32, until sim.Time) {
	k := &c.ranks[r]
	switch {
	case k.disturbed:
		c.spend(r, Interference, until)
		return
	case c.agent.tests:
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
	c.spend(r, Compute, until)
}

// computeTested does what compute does where the process tests as it computes.
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
	for c.recorder != nil && k.accounted < until {
		begin := k.stretch + (k.accounted-k.stretch)/period*period
		c.spend(r, Compute, min(until, begin+every))
		c.spend(r, Overhead, min(until, begin+period))
	}
	if k.accounted < until {
		c.spend(r, Compute, k.accounted+computed(until)-computed(k.accounted))
		c.spend(r, Overhead, until)
	}
}

// splitWait books a wait for the awaited message, from accounted until then, by
// what the message did in that time; now is not before.
//
//	partner     it was not posted; its receive was not
//	progress    the target computed and did not answer; without RDMA, it lay
//	            in the receive buffer
//	NIC stall   it stood in the sender's NIC behind messages not of this rank's
//	            making, or was being inserted
//	transfer    bytes of this rank, or its own, were leaving
//	contention  bytes of a neighbour were leaving; it stood before the
//	            receiving NIC
//	latency     it, or its request or answer, was on the way
func (c *cluster) splitWait(r int32, until, now sim.Time) {
	k := &c.ranks[r]
	if k.awaited == nobody {
		c.spend(r, Partner, until)
		return
	}
	m := c.messages.at(k.awaited)
	c.spend(r, Partner, min(until, m.posted))
	if m.protocol == rendezvous || m.protocol == got {
		d := c.detours.at(m.detour)
		c.spend(r, Latency, min(until, d.asked))
		c.spend(r, Partner, min(until, d.matched))
		c.spend(r, Progress, min(until, d.read))
		c.spend(r, Latency, min(until, d.heard))
		k.since.Own = max(k.since.Own, d.before.Own)
		k.since.All = max(k.since.All, d.before.All)
	}
	if m.from == r {
		if min(until, m.sent) > k.accounted {
			c.splitSending(r, m, until, c.served(r, now))
		}
	} else {
		c.spend(r, NICStall, min(until, m.start))
		c.spend(r, Contention, min(until, c.begun(m)))
		c.spend(r, Transfer, min(until, m.sent))
	}
	c.spend(r, Latency, min(until, m.arrived))
	if c.machine.Copying != nil {
		c.spend(r, Progress, min(until, m.delivered))
	} else {
		c.spend(r, Contention, min(until, m.delivered))
	}
	c.spend(r, Latency, until)
}

// splitSending books the part of a wait before the message was sent by what the
// own NIC has served until then.
func (c *cluster) splitSending(r int32, m *message, until sim.Time, served network.Served) {
	k := &c.ranks[r]
	to := min(until, m.sent)
	span := to - k.accounted
	if span <= 0 {
		return
	}
	if m.sent < sim.Forever {
		served.Own = min(served.Own, m.through.Own)
		served.All = min(served.All, m.through.All)
	}
	own := min(max(0, served.Own-k.since.Own), span)
	others := min(max(0, served.All-k.since.All-own), span-own)
	c.spend(r, NICStall, to-own-others)
	c.spend(r, Contention, to-own)
	c.spend(r, Transfer, to)
}
