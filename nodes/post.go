package nodes

import "overlapsim/sim"

// post starts a put or a send: the CPU waits while the NIC takes nothing, then
// pays the overhead and hands the message over.
func (c *cluster) post(r int32, op *Op, now sim.Time) {
	k := &c.ranks[r]
	if c.local(r, op, now) {
		return
	}
	if at := k.nic.Room(k.slot); at > now {
		k.state = stalled
		c.resume(r, at)
		return
	}
	if c.full(r) {
		k.state = stalled
		c.enterLibrary(r, now)
		return
	}
	overhead := c.machine.Network.SendOverhead.Of(op.Amount)
	accepted, insert, ready := k.nic.Insert(now, overhead)
	id := c.newMessage(r, op, c.protocol(op), accepted)
	if rec := c.recorder; rec != nil {
		c.messages.at(id).record = rec.post(r, op, accepted, insert, c.machine.Network.Gap)
	}
	if c.messages.at(id).protocol != eager {
		c.hold(r, op.Request, id)
	}
	switch {
	case c.machine.Copying != nil: // when the overhead is paid
	case c.messages.at(id).protocol == rendezvous:
		c.ask(id, now, ready)
	default:
		c.send(id, now, ready)
	}
	k.awaited = id
	k.state = posting
	c.spend(r, NICStall, accepted)
	k.opEnd = accepted + overhead
	c.resume(r, k.opEnd)
}

// protocol chooses how the message of an operation travels. Without RDMA
// nobody could read it, so it is always eager.
func (c *cluster) protocol(op *Op) protocol {
	s := c.machine.Network.Rendezvous
	switch {
	case op.Kind == OpPut:
		return oneSided
	case s > 0 && op.Amount > s && c.machine.Copying == nil:
		return rendezvous
	}
	return eager
}

// posted ends the overhead of a post.
func (c *cluster) posted(r int32, now sim.Time) {
	k := &c.ranks[r]
	if c.machine.Copying != nil && k.awaited >= 0 {
		k.state = copying
		c.submit(r, k.awaited, now)
		return
	}
	k.done()
}

// local does a message to the process itself, or inside the node where that
// does not use the NIC: the CPU copies the bytes, if that is said to cost
// anything.
func (c *cluster) local(r int32, op *Op, now sim.Time) bool {
	k := &c.ranks[r]
	self := op.Peer == r
	if !self && (c.machine.IntraNode == nil || c.node(op.Peer) != c.node(r)) {
		return false
	}
	var copy, latency sim.Time
	if in := c.machine.IntraNode; in != nil {
		copy = sim.PerByte(op.Amount, in.PerByte)
		if !self {
			latency = in.Latency
		}
	}
	p := oneSided
	if op.Kind == OpSend {
		p = eager
	}
	id := c.newMessage(r, op, p, now)
	m := c.messages.at(id)
	m.sent, m.arrived = now+copy, now+copy+latency
	m.delivered, m.completed = m.arrived, m.arrived
	if p == eager {
		c.kernel.Schedule(m.arrived, c.self, evArrive, uint64(id))
	} else {
		c.hold(r, op.Request, id)
	}
	if copy == 0 {
		k.done()
		return true
	}
	k.awaited = -1
	k.state = posting
	k.opEnd = now + copy
	c.resume(r, k.opEnd)
	return true
}

// send books the transfer of a whole message (RDMA).
func (c *cluster) send(id int32, now, ready sim.Time) {
	m := c.messages.at(id)
	k := &c.ranks[m.from]
	start, sent, through := k.nic.Send(now, ready, k.slot, c.length(m.bytes))
	from, to := c.node(m.from), c.node(m.to)
	m.start, m.sent, m.through = start, sent, through
	m.arrived = c.fabric.Arrival(from, to, m.bytes, start, sent)
	if c.recorder != nil {
		c.recorder.send(m.record, from, start, sent)
	}
	if m.protocol != oneSided {
		c.kernel.Schedule(m.arrived, c.self, evArrive, uint64(id))
		k.flight = max(k.flight, m.arrived)
		return
	}
	m.delivered = m.arrived
	m.completed = c.fabric.Arrival(to, from, 0, m.delivered, m.delivered)
	k.flight = max(k.flight, m.completed)
	if c.recorder != nil {
		c.recorder.delivered(m.record, m.delivered)
	}
}

// wait waits for a request; one that is not in use is complete.
func (c *cluster) wait(r, request int32, now sim.Time) {
	k := &c.ranks[r]
	if int(request)+1 >= len(k.requests) || k.requests[request+1] == noRequest {
		k.done()
		return
	}
	k.state = waiting
	k.waitsOn = request
	k.awaited = k.requests[request+1] - 1
	if k.requests[request+1] == pendingReceive {
		k.awaited = nobody
	} else if c.ended(r, k.awaited) <= now {
		k.opEnd = now
		c.endWait(r, now)
		return
	}
	k.since = k.nic.Served(now, k.slot)
	c.enterLibrary(r, now)
	c.expect(r)
}

const nobody int32 = -1

// ended is when the awaited message is over for the rank, if that is known.
func (c *cluster) ended(r, id int32) sim.Time {
	m := c.messages.at(id)
	if m.from == r && m.protocol != eager {
		return m.completed
	}
	return m.delivered
}

// over is when a request of the rank is over, sim.Forever if that is not
// known yet.
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
		return c.ended(r, id-1)
	}
}

// expect resumes a waiting rank when what it waits for is over; the overhead
// of a receive comes with it, unless copies may come in between.
func (c *cluster) expect(r int32) {
	k := &c.ranks[r]
	if k.state != waiting || k.awaited == nobody {
		return
	}
	at := c.ended(r, k.awaited)
	if at == sim.Forever {
		return
	}
	k.opEnd = at
	if c.machine.Copying == nil {
		at += c.takingCost(r, k.awaited)
	}
	c.resume(r, at)
}

// takingCost is the overhead of a receive, for its receiver.
func (c *cluster) takingCost(r, id int32) sim.Time {
	m := c.messages.at(id)
	if m.to != r || m.protocol == oneSided || m.from == r && m.protocol == rendezvous {
		return 0
	}
	return c.machine.Network.ReceiveOverhead.Of(m.bytes)
}

// endWait ends a wait, unless the CPU still copies; opEnd is when it was over,
// the rest until now is overhead of a receive.
func (c *cluster) endWait(r int32, now sim.Time) {
	k := &c.ranks[r]
	if busy := k.copyEnd(); busy > now {
		c.resume(r, busy)
		return
	}
	if c.machine.Copying != nil {
		k.opEnd = now
	}
	c.splitWait(r, k.opEnd, now)
	end := k.opEnd + c.takingCost(r, k.awaited)
	k.requests[k.waitsOn+1] = noRequest
	c.drop(k.awaited)
	if end <= now {
		c.spend(r, Overhead, now)
		k.done()
		return
	}
	k.state = receiving
	k.opEnd = end
	c.resume(r, end)
}
