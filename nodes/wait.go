package nodes

import (
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// wait waits for a request. A request that is not in use is complete.
func (c *cluster) wait(r, request int32, now sim.Time) {
	k := &c.ranks[r]
	if !k.inUse(request) {
		k.done()
		return
	}
	k.state = waiting
	k.waitsOn = request
	k.awaited = messageOf(k.requests[request+1])
	if c.awaitedEnd(r) <= now {
		k.opEnd = now
		c.endWait(r, now)
		return
	}
	c.waits(r, now)
	c.expect(r)
}

// waits notes when a wait begins.
func (c *cluster) waits(r int32, now sim.Time) {
	k := &c.ranks[r]
	k.since = c.served(r, now)
	if k.worker != nil {
		k.idle, k.notices = now, now
	}
}

const nobody int32 = -1

// messageOf returns the message that a request slot holds; nobody: none.
func messageOf(slot int32) int32 { return max(slot-1, nobody) }

// awaitedEnd returns when what a rank waits for is over, sim.Forever if that is not known yet.
func (c *cluster) awaitedEnd(r int32) sim.Time {
	k := &c.ranks[r]
	switch {
	case k.awaited != nobody:
		return c.ended(r, k.awaited)
	case k.waitsOn == programs.NoRequest:
		return sim.Forever
	}
	return c.over(r, k.waitsOn)
}

// ended returns when the awaited message is over for the rank, if that is known.
func (c *cluster) ended(r, id int32) sim.Time {
	m := c.messages.at(id)
	if m.from == r && m.protocol != got && m.held() {
		return m.completed
	}
	return m.delivered
}

// came returns when the program of the other side had posted its part of a message, as far as messages show it: the message, or its receive.
func (c *cluster) came(id int32) sim.Time {
	m := c.messages.at(id)
	switch {
	case m.byJob:
		return 0
	case m.staging < 0:
		return m.posted
	}
	return max(m.posted, c.stagings.at(m.staging).wanted)
}

// over returns when a request of the rank is over, sim.Forever if that is not known yet.
func (c *cluster) over(r, request int32) sim.Time {
	k := &c.ranks[r]
	if int(request)+1 >= len(k.requests) {
		return 0
	}
	switch id := k.requests[request+1]; id {
	case noRequest:
		return 0
	case pendingReceive:
		return sim.Forever
	default:
		if id < pendingReceive {
			return c.schedules.at(scheduleOf(id)).over
		}
		return c.ended(r, id-1)
	}
}

// settled is called when the end of a message is known for one of its ranks.
func (c *cluster) settled(r, id int32) {
	c.symmetry.settles(r, id)
	k := &c.ranks[r]
	if k.started != nil {
		c.settlesRound(r, id)
	}
	switch {
	case k.any && k.state == waiting:
		c.settledAny(r, id+1)
	case k.awaited == id:
		c.expect(r)
	}
	c.live.settled(r)
}

// expect resumes a waiting rank when what it waits for is over. The wait then includes the
// overhead of a receive, unless copies may come in between.
func (c *cluster) expect(r int32) {
	k := &c.ranks[r]
	if k.state != waiting {
		return
	}
	at := c.awaitedEnd(r)
	if at == sim.Forever {
		return
	}
	now := c.kernel.Now()
	at = max(at, now) // a signal matches after its delivery
	if k.worker != nil && at > k.busy {
		at = c.notices(r, max(k.busy, k.idle), at)
	}
	if !c.interrupted { // rounds that it begins come first
		at = max(at, k.copyEnd())
	}
	k.opEnd = at
	if !c.interrupted && k.awaited != nobody {
		cost := c.receiveCharge(r, k.awaited).time
		at += cost
		c.causes.lags(cost)
	}
	c.resume(r, at)
}

// endWait ends a wait, unless the CPU is still copying. The wait was over at opEnd. The time from
// then until now is the overhead of a receive.
func (c *cluster) endWait(r int32, now sim.Time) {
	k := &c.ranks[r]
	if c.occupied(k, now) {
		c.resume(r, max(k.busy, now))
		return
	}
	if c.interrupted || k.awaited == nobody {
		k.opEnd = now
	}
	if k.awaited == nobody {
		c.endScheduleWait(r, now)
		return
	}
	if len(k.unbooked) > 0 {
		c.cameAt(r, c.came(k.awaited))
	}
	c.splitWait(r, k.opEnd)
	b := c.receiveCharge(r, k.awaited)
	end := k.opEnd + b.time
	c.causes.waited(c, r, b)
	c.leastWait(r, k.awaited)
	if k.any = false; k.choice != nil {
		k.choice.Ended = programs.Ended{Request: k.waitsOn, At: k.opEnd}
	}
	k.requests[k.waitsOn+1] = noRequest
	c.drop(k.awaited)
	if end <= now {
		c.spend(r, results.Overhead, now)
		k.done()
		return
	}
	k.state, k.in = receiving, inPost
	k.opEnd = end
	c.resume(r, end)
}
