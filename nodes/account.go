package nodes

import "overlapsim/sim"

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
			return c.messages[k.awaited].record
		}
	}
	return -1
}

// compute books computation up to then, and how much of it hid own messages.
func (c *cluster) compute(r int32, until sim.Time) {
	k := &c.ranks[r]
	if hid := min(until, k.flight) - k.accounted; hid > 0 {
		k.hidden += hid
	}
	c.spend(r, Compute, until)
}

// splitWait books a wait for the awaited message, from accounted until now, by
// what went on in that time, in this order: bytes of this rank left (transfer),
// bytes of its neighbours left before the message was sent (contention), the
// NIC only took descriptors (NIC stall), the message was on its way (latency),
// it lay at the target and nobody took it (progress), the way back (latency).
func (c *cluster) splitWait(r int32, now sim.Time) {
	k := &c.ranks[r]
	m := &c.messages[k.awaited]
	from := k.accounted
	if to := min(now, m.sent); to > from {
		served := k.nic.Served(now, k.slot)
		if m.sent <= now {
			served.Own = min(served.Own, m.through.Own)
			served.All = min(served.All, m.through.All)
		}
		own := min(max(0, served.Own-k.since.Own), to-from)
		others := min(max(0, served.All-k.since.All)-own, to-from-own)
		c.spend(r, NICStall, to-own-max(0, others))
		c.spend(r, Contention, to-own)
		c.spend(r, Transfer, to)
	}
	c.spend(r, Latency, min(now, m.arrived))
	c.spend(r, Progress, min(now, m.delivered))
	c.spend(r, Latency, now)
}
