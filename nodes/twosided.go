package nodes

import (
	"overlapsim/nodes/machines"
	"overlapsim/nodes/match"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// match looks for a receive for a message, or for a message's request, that has arrived.
func (c *cluster) match(id int32, now sim.Time) {
	m := c.messages.at(id)
	e := match.Envelope[int32]{Source: uint32(m.from), Tag: uint32(m.tag), Value: id}
	if receive, ok := c.matching.Arrive(int(m.to), e); ok {
		c.matched(m.to, receive.Value, id, now)
	}
}

// receive posts a receive.
func (c *cluster) receive(r int32, op *programs.Op, now sim.Time) {
	c.request(r, op.Request, pendingReceive)
	k := &c.ranks[r]
	k.least.receives(op)
	c.causes.receives(r, op.Request, c.causes.place(r))
	c.wants(r, op.Request, now)
	if message, ok := c.unexpected(r, op); ok {
		if !c.instant && c.agent.cpu == ownCPU {
			c.leads = r
		}
		c.matched(r, op.Request, message, now)
		c.leads = nobody
		c.work(r, c.unexpectedCharge(message), now)
		return
	}
	k.done()
}

// wants remembers when a receive was posted, if requests of rendezvous may then wait for a processor.
func (c *cluster) wants(r, request int32, now sim.Time) {
	if c.machine.Runtime == nil || c.instant || c.machine.Network.Rendezvous == 0 && c.machine.IntraNode == nil {
		return
	}
	w := c.ranks[r].ownWorker()
	for int(request)+1 >= len(w.wanted) {
		w.wanted = append(w.wanted, 0)
	}
	w.wanted[request+1] = now
}

// unexpected posts a receive in the matching, and returns the message that has come for it before.
func (c *cluster) unexpected(r int32, op *programs.Op) (message int32, ok bool) {
	e := match.Envelope[int32]{Source: uint32(op.Peer), Tag: uint32(op.Tag), Value: op.Request}
	come, ok := c.matching.Post(int(r), e)
	return come.Value, ok
}

// work ends a call when the CPU has done its own work, after its pending jobs.
func (c *cluster) work(r int32, b *charge, now sim.Time) {
	k := &c.ranks[r]
	if b.time == 0 {
		k.done()
		return
	}
	k.state = receiving
	k.opEnd = max(now, k.copyEnd()) + b.time
	c.causes.works(r, b, k.opEnd)
	c.resume(r, k.opEnd)
}

// matched joins a receive and a message.
func (c *cluster) matched(r, request, id int32, now sim.Time) {
	k := &c.ranks[r]
	c.request(r, request, id+1)
	c.claim(r, request, id)
	if k.state == waiting && k.awaited == nobody && k.waitsOn == request {
		k.awaited = id
	}
	c.causes.matches(r, request, id, now)
	m := c.messages.at(id)
	if m.protocol != rendezvous {
		c.settled(r, id)
		return
	}
	d := c.stagings.at(m.staging)
	if k.worker != nil && int(request)+1 < len(k.wanted) {
		d.wanted = k.wanted[request+1]
	}
	if at := d.heard; at > now {
		c.note(id, now, results.Latency)
		c.schedule(at, evHeard, uint64(id))
		return
	}
	c.heard(id, now)
}

// heard answers the request of a rendezvous that has matched.
func (c *cluster) heard(id int32, now sim.Time) {
	m := c.messages.at(id)
	if c.stagings.at(m.staging).undelivered == 0 { // all bytes came with the request
		c.inMemory(id, now)
		return
	}
	c.offer(m.to, job{step: ask, message: id}, now)
}

// readBytes sends the RDMA read of the target to the sender's NIC, which sends the bytes
// without the sender's CPU.
func (c *cluster) readBytes(id int32, now sim.Time) {
	m := c.messages.at(id)
	m.sent = sim.Forever
	c.note(id, now, results.Latency)
	arrives := now + c.latency(m.to, m.from)
	c.causes.reads(c, id, now, arrives)
	c.schedule(arrives, evRead, uint64(id))
}

// targetCopied ends the copy of a message by its target's CPU.
func (c *cluster) targetCopied(id int32, now sim.Time) {
	m := c.messages.at(id)
	m.start, m.sent = now-c.charge.cost(c.targetCopy(m), m.bytes), now
	c.recorder.copied(m.record, m.start, now)
	c.tellsSender(id, now)
}

// tellsSender delivers a message that the target has read or copied, and tells its sender.
func (c *cluster) tellsSender(id int32, now sim.Time) {
	c.inMemory(id, now)
	if m := c.messages.at(id); c.place.inside(m.from, m.to) {
		c.sendInside(id, finish, now)
		return
	}
	c.send(id, finish, 0, now, now)
}

// serveRead sends the bytes of a message whole.
func (c *cluster) serveRead(id int32, now sim.Time) {
	m := c.messages.at(id)
	m.start = now
	c.send(id, load, m.bytes, now, now)
	if m.way == machines.Write && c.booked { // otherwise the finish is sent when the bytes have left
		c.send(id, finish, 0, now, now)
	}
}

// dataArrived ends a rendezvous. The receiver has the bytes, and tells the sender.
func (c *cluster) dataArrived(id int32, now sim.Time) {
	m := c.messages.at(id)
	c.takeIn(id, now)
	c.endFlight(m.from, m.completed)
	for _, r := range [2]int32{m.from, m.to} {
		c.settled(r, id)
	}
}
