package nodes

import (
	"overlapsim/network"
	"overlapsim/sim"
)

// message is one put, from its post until its request is waited for.
type message struct {
	from, to  int32
	request   int32
	record    int32 // index in the timeline, -1: none
	bytes     int64
	transit   transit
	sent      sim.Time       // last byte has left; Forever: not known yet
	arrived   sim.Time       // last byte is at the target's NIC or memory; Forever
	delivered sim.Time       // in the target's memory; Forever
	completed sim.Time       // the sender knows; Forever
	through   network.Served // of the sender's NIC when sent
}

// transit counts the bytes of a message that still have a stage before them,
// where the stages happen chunk by chunk.
type transit struct{ uncopied, unsent, undelivered int64 }

// put starts a put. The CPU waits before the overhead while the NIC takes
// nothing.
func (c *cluster) put(r int32, op *Op, now sim.Time) {
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
	m := c.newMessage(r, op)
	if rec := c.recorder; rec != nil {
		c.messages[m].record = rec.post(r, op, accepted, insert, c.machine.Network.Gap)
	}
	if c.machine.Copying == nil {
		c.send(m, now, ready)
	}
	k.awaited = m
	k.state = posting
	c.spend(r, NICStall, accepted)
	k.opEnd = accepted + overhead
	c.resume(r, k.opEnd)
}

// local does a put to the process itself, or inside the node where that does
// not use the NIC: the CPU copies the bytes, if that is said to cost anything.
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
	m := &c.messages[c.newMessage(r, op)]
	m.sent, m.arrived = now+copy, now+copy+latency
	m.delivered, m.completed = m.arrived, m.arrived
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
	m := &c.messages[id]
	k := &c.ranks[m.from]
	start, sent, through := k.nic.Send(now, ready, k.slot, m.bytes)
	from, to := c.node(m.from), c.node(m.to)
	m.sent, m.through = sent, through
	m.arrived = c.fabric.Arrival(from, to, m.bytes, start, sent)
	m.delivered = m.arrived
	m.completed = c.fabric.Arrival(to, from, 0, m.delivered, m.delivered)
	k.flight = max(k.flight, m.completed)
	k.wire += sent - start
	if c.recorder != nil {
		c.recorder.send(m.record, c.node(m.from), start, sent)
		c.recorder.delivered(m.record, m.delivered)
	}
}

// posted ends the overhead of a post.
func (c *cluster) posted(r int32, now sim.Time) {
	k := &c.ranks[r]
	if c.machine.Copying == nil || k.awaited < 0 {
		k.done()
		return
	}
	k.state = copying
	c.submit(r, k.awaited, now)
}

// newMessage books a message under the request of the operation.
func (c *cluster) newMessage(r int32, op *Op) int32 {
	c.sent++
	c.bytes += op.Amount
	id := int32(len(c.messages))
	if n := len(c.free); n > 0 {
		id = c.free[n-1]
		c.free = c.free[:n-1]
	} else {
		c.messages = append(c.messages, message{})
	}
	c.messages[id] = message{
		from: r, to: op.Peer, request: op.Request, record: -1, bytes: op.Amount,
		transit: transit{op.Amount, op.Amount, op.Amount},
		sent:    sim.Forever, arrived: sim.Forever, delivered: sim.Forever, completed: sim.Forever,
	}
	k := &c.ranks[r]
	for int(op.Request) >= len(k.requests) {
		k.requests = append(k.requests, 0)
	}
	if k.requests[op.Request] != 0 {
		panic("request used again before it was waited for")
	}
	k.requests[op.Request] = id + 1
	return id
}

// wait waits for a request; one that is not in use is complete.
func (c *cluster) wait(r, request int32, now sim.Time) {
	k := &c.ranks[r]
	if int(request) >= len(k.requests) || k.requests[request] == 0 {
		k.done()
		return
	}
	k.awaited = k.requests[request] - 1
	m := &c.messages[k.awaited]
	k.state = waiting
	if m.completed <= now {
		c.release(r)
		return
	}
	k.since = k.nic.Served(now, k.slot)
	c.enterLibrary(r, now)
	if m.completed < sim.Forever {
		c.resume(r, m.completed)
	}
}

// endWait ends a wait, unless the message is not there yet or the CPU still
// copies.
func (c *cluster) endWait(r int32, now sim.Time) {
	k := &c.ranks[r]
	m := &c.messages[k.awaited]
	if now < m.completed {
		return
	}
	if k.copier.busy > now {
		c.resume(r, k.copier.busy)
		return
	}
	c.splitWait(r, now)
	c.release(r)
}

// release frees the awaited message and ends the wait.
func (c *cluster) release(r int32) {
	k := &c.ranks[r]
	k.requests[c.messages[k.awaited].request] = 0
	c.free = append(c.free, k.awaited)
	k.done()
}
