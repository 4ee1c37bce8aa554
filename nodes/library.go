package nodes

import (
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// complete starts what a finished job leads to.
func (c *cluster) complete(j job, now sim.Time) {
	switch j.step {
	case roundPart:
		c.doPart(&j, now)
		return
	case copyUnexpected, receiveForRound:
		c.received(j.schedule, now)
		return
	}
	id := j.message
	m := c.messages.at(id)
	switch j.step {
	case copyOut:
		c.sendChunk(j, now)
	case copyIn:
		c.deliver(j, now)
	case take:
		c.inMemory(id, now)
		c.match(id, now)
	case notice:
		c.note(id, now, results.Partner)
		c.match(id, now)
	case handle:
		c.note(id, now, results.Progress)
		c.match(id, now)
	case ask:
		switch m.way {
		case machines.Read:
			c.readBytes(id, now)
		case machines.Copy:
			c.targetCopied(id, now)
		default:
			c.send(id, reply, 0, now, now)
		}
	case begin:
		if m.way == machines.Write {
			c.serveRead(id, now)
		} else {
			c.copyBytes(id, now)
		}
	case end:
		c.tellsSender(id, now)
	case finished:
		if m.way == machines.Write {
			c.inMemory(id, now)
		} else {
			c.release(id, now)
		}
	case protocolWork:
		c.copyable(id, j.bytes, now)
	case answer:
		c.copyBytes(id, now)
	}
}

// first returns how many bytes travel with the request of a message. If all bytes do, no reply is
// sent.
func (c *cluster) first(m *message) int64 {
	if m.protocol != rendezvous || m.way != machines.Pipelined || c.machine.Copying != nil {
		return 0
	}
	return min(c.pipeline(m).First, m.bytes)
}

// reach lets a leg of a message pass the receiving NIC.
func (c *cluster) reach(id int32, l leg, now sim.Time) {
	if m := c.messages.at(id); m.protocol < eager || c.place.inside(m.from, m.to) {
		c.pass(id, l, now)
		return
	}
	if !l.passes(c.legBytes(c.messages.at(id), l)) || !c.queuesIn() {
		c.passAt(id, l, c.intake(id, l, now), now)
		return
	}
	at, waits := c.behind(id, l, now)
	if !waits {
		c.pass(id, l, now)
		return
	}
	if at > now {
		c.legQueues(id, l, now)
	}
	_, to := c.messages.at(id).endpoints(l)
	c.queued[c.place.nic[to]]++
	c.passLater(id, l, at)
}

// legBytes is how many bytes a leg carries.
func (c *cluster) legBytes(m *message, l leg) int64 {
	switch l {
	case load:
		return m.bytes
	case request:
		return c.first(m)
	}
	return 0
}

// pass continues after a leg of a message has passed the receiving NIC, most often with a job.
func (c *cluster) pass(id int32, l leg, now sim.Time) {
	m := c.messages.at(id)
	switch {
	case l == request && m.protocol == got:
		if c.machine.Copying == nil {
			c.serveRead(id, now)
		} else {
			c.offer(m.from, job{step: answer, message: id}, now)
		}
	case l == request:
		c.deliverRequest(id, now)
	case l == reply:
		c.offer(m.from, job{step: begin, message: id}, now)
	case l == finish:
		_, to := m.endpoints(l)
		c.offer(to, job{step: finished, message: id}, now)
	case m.protocol == signalled && c.machine.Runtime == nil:
		c.match(id, now)
	case m.protocol == signalled:
		c.signalled(id, now)
	case m.protocol == eager:
		c.offer(m.to, job{step: take, message: id}, now)
	case m.way == machines.Read:
		c.offer(m.to, job{step: end, message: id}, now)
	default:
		c.release(id, now+c.latency(m.to, m.from))
		c.awaitsFinish(id, now)
	}
}

// inMemory delivers a two-sided message.
func (c *cluster) inMemory(id int32, now sim.Time) {
	m := c.messages.at(id)
	m.delivered = now
	c.causes.inMemory(id)
	c.recorder.delivered(m.record, now)
	c.endFlightOfBoth(m)
	c.settled(m.to, id)
}

// release completes the request of a sender at a time.
func (c *cluster) release(id int32, at sim.Time) {
	m := c.messages.at(id)
	m.completed = at
	c.causes.releases(c, id, at)
	c.within(at)
	c.endFlightOfBoth(m)
	c.settled(m.from, id)
}

// endFlightOfBoth ends the flight of a two-sided message when it has ended for both of its ranks.
func (c *cluster) endFlightOfBoth(m *message) {
	if at := max(m.delivered, m.completed); at < sim.Forever && !c.place.inside(m.from, m.to) {
		c.endFlight(m.from, at)
	}
}
