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
	if c.limit > 0 && k.posted >= c.limit {
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
	if c.machine.Copying == nil { // else when the overhead is paid
		c.launch(id, now, ready)
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
		c.schedule(m.arrived, evArrive, uint64(id))
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
