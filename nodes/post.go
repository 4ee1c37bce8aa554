package nodes

import (
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// post starts a put or a send. The CPU waits while the NIC accepts nothing, then pays the
// overhead and hands the message over.
func (c *cluster) post(r int32, op *programs.Op, now sim.Time) {
	k := &c.ranks[r]
	c.leavesNode(r, op)
	if c.local(r, op, now) {
		return
	}
	nic, _ := c.nic(r)
	if c.full(r, now) {
		c.causes.postWaits(r)
		c.delayPost(r, stalled, now)
		return
	}
	b := c.slowed(r, c.postCharge(op))
	accepted, insert, ready := nic.Insert(now, b.time)
	c.within(insert + c.machine.Network.Gap)
	id := c.newMessage(r, op, c.protocol(op), accepted)
	m := c.messages.at(id)
	elsewhere := c.region.posts(m)
	c.leastPost(r, op, id, m)
	c.noteOf(m, accepted, results.Overhead)
	c.causes.posts(c, r, id, now, accepted, insert, ready, b)
	m.record = c.recorder.post(r, m, insert, c.machine.Network.Gap)
	if m.held() {
		c.hold(r, op.Request, id)
	}
	if c.overtaken(m) {
		m.holders++
	}
	if c.prompt { // otherwise this happens when the overhead is paid
		m.paid = accepted
		if !c.machine.Network.Early {
			m.paid += b.time
		}
		c.launch(id, now, ready)
	} else {
		k.inserted = insert + c.machine.Network.Gap
	}
	if k.awaited = id; elsewhere {
		k.awaited = nobody
	}
	if !c.instant && accepted > now {
		c.resume(r, accepted)
		c.causes.postWaits(r)
		c.delayPost(r, queued, now)
		return
	}
	c.idle(r, results.NICStall, accepted)
	c.pay(r, accepted, b)
}

// full tells whether the NIC has no room for a post of a rank. The rank wakes when there is room.
func (c *cluster) full(r int32, now sim.Time) bool {
	nic, process := c.nic(r)
	if at := nic.Room(process); at > now {
		c.causes.stalls(r)
		c.resume(r, at)
		return true
	}
	return c.limit > 0 && c.ranks[r].posted >= c.limit
}

// delayPost makes a post wait for the NIC. The rank's agent may work meanwhile.
func (c *cluster) delayPost(r int32, state state, now sim.Time) {
	c.ranks[r].state = state
	c.busyWith(r, inWait, now)
}

// pay makes the CPU work for a post from some time on, after its pending copies.
func (c *cluster) pay(r int32, from sim.Time, b *charge) {
	k := &c.ranks[r]
	k.state, k.in = posting, inPost
	k.opEnd = max(from, k.copyEnd()) + b.time
	c.causes.pays(c, r, b, k.opEnd)
	c.resume(r, k.opEnd)
}

// protocol chooses how the message of an operation travels. Without RDMA no target can read the
// bytes, so only a library that replies has a rendezvous.
func (c *cluster) protocol(op *programs.Op) protocol { return protocolOf(c.machine, op) }

func protocolOf(on *machines.Machine, op *programs.Op) protocol {
	s := on.Network.Rendezvous
	switch ranks, _ := op.Combined(); {
	case ranks > 0:
		return combined
	case op.Kind == programs.OpPut:
		return oneSided
	case op.Kind == programs.OpGet:
		return got
	case op.Kind == programs.OpSignal:
		return signalled
	case s > 0 && op.Amount > s && (on.Copying == nil || on.Runtime != nil):
		return rendezvous
	}
	return eager
}

// posted ends the overhead of a post.
func (c *cluster) posted(r int32, now sim.Time) {
	k := &c.ranks[r]
	if k.awaited == nobody {
		k.done()
		return
	}
	m := c.messages.at(k.awaited)
	if !c.prompt || c.place.inside(m.from, m.to) {
		m.paid = now
	}
	switch {
	case c.place.inside(m.from, m.to):
		c.localDone(k.awaited, now)
	case c.machine.Copying != nil:
		k.state = copying
		c.submit(r, k.awaited, now)
		return
	case !c.prompt:
		c.causes.readies(r, max(now, k.inserted))
		c.launch(k.awaited, now, max(now, k.inserted))
	}
	if c.overtaken(m) {
		c.drop(k.awaited)
	}
	k.done()
}

// overtaken tells whether a message can be received before its sender has paid for it. The sender
// holds it until then.
func (c *cluster) overtaken(m *message) bool {
	return c.prompt && c.machine.Network.Early && m.protocol == eager && !c.place.inside(m.from, m.to) && !c.region.crosses(m)
}

// local handles a message to the process itself, or within the node if that bypasses the NIC. The
// CPU copies the bytes if the copy has a cost.
func (c *cluster) local(r int32, op *programs.Op, now sim.Time) bool {
	if !c.place.inside(r, op.Peer) {
		return false
	}
	p := c.protocolInside(r, op)
	id := c.newMessage(r, op, p, now)
	if p != eager {
		c.hold(r, op.Request, id)
	}
	c.note(id, now, results.Overhead)
	k := &c.ranks[r]
	k.awaited = id
	b := c.addLocal(c.charge.reset(), r, op)
	c.leastCopy(&k.least, c.messages.at(id), b.alone)
	c.slowed(r, b)
	c.causes.copies(c, r, id, b)
	if b.time == 0 && !c.occupied(k, now) {
		c.posted(r, now)
		return true
	}
	c.pay(r, now, b)
	return true
}

// protocolInside is protocol for a message to the process itself, or within the node.
func (c *cluster) protocolInside(r int32, op *programs.Op) protocol {
	p := c.protocol(op)
	switch {
	case c.copiedByTarget(r, op):
		return rendezvous
	case p == rendezvous:
		return eager
	}
	return p
}

// copiedByTarget tells whether the target of a message within the node copies it.
func (c *costs) copiedByTarget(r int32, op *programs.Op) bool {
	in, rt := c.machine.IntraNode, c.machine.Runtime
	return in != nil && rt != nil && in.Threshold > 0 && op.Amount > in.Threshold && op.Kind == programs.OpSend && op.Peer != r &&
		!rt.Progress.By.OfNIC()
}

// insideLatency returns how long after its copy another process of the node sees a message.
func (c *cluster) insideLatency(m *message) sim.Time {
	if m.from == m.to || m.protocol == got {
		return 0
	}
	return c.charge.prices[c.place.insideOf(m.from, m.to).latency].Time
}

// localDone ends the copy of a message within a node. Other processes see the message later.
func (c *cluster) localDone(id int32, now sim.Time) {
	m := c.messages.at(id)
	if m.protocol == rendezvous {
		m.sent = now
		c.sendInside(id, request, now)
		return
	}
	m.sent, m.arrived = now, now+c.insideLatency(m)
	c.causes.copied(c, m, id, now)
	c.note(id, now, results.Latency)
	if m.protocol != eager || c.machine.Runtime == nil {
		m.delivered, m.completed = m.arrived, m.arrived
	}
	if m.protocol >= signalled {
		c.schedule(m.arrived, evArrive, uint64(id))
	}
}

// sendInside sends a leg without bytes of a message that the target copies within the node.
func (c *cluster) sendInside(id int32, l leg, now sim.Time) {
	m := c.messages.at(id)
	at := now + c.insideLatency(m)
	c.causes.sendsInside(c, m, id, l, now, at)
	c.note(id, now, results.Latency)
	c.schedule(at, evArrive, uint64(uint32(id))|uint64(l)<<32)
}
