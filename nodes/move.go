package nodes

import (
	"overlapsim/network"
	"overlapsim/sim"
)

// launch sends a message whose descriptor will be inserted then on its way: its
// bytes, or its request.
func (c *cluster) launch(id int32, now, ready sim.Time) {
	m := c.messages.at(id)
	asks := m.protocol == rendezvous || m.protocol == got
	if c.carrier != nil || asks || c.machine.Runtime != nil && m.protocol == eager {
		c.ranks[m.poster()].flying++
	}
	if asks {
		c.send(id, request, c.first(m), now, ready)
		return
	}
	c.send(id, load, m.bytes, now, ready)
}

// send hands bytes of a message, ready then, to the NIC of the rank that a leg
// leaves. On an ideal fabric it is known at once when they arrive.
func (c *cluster) send(id int32, l leg, bytes int64, now, ready sim.Time) {
	m := c.messages.at(id)
	from, to := m.ends(l)
	if c.carrier != nil {
		if c.machine.Copying == nil {
			c.ranks[from].posted++
		}
		if m.detour >= 0 {
			c.hands(id, l, max(now, m.paid), now)
		}
		c.carrier.send(carried{message: id, leg: l, bytes: bytes, startup: c.machine.Network.Startup}, now, ready)
		return
	}
	p := c.depart(id, from, now, ready, c.length(bytes))
	if m.detour >= 0 {
		c.passes(id, l, max(now, m.paid), now, p)
	}
	if c.recorder != nil {
		c.recorder.send(m.record, c.place.nic[from], p.start, p.sent, l == load || bytes > 0)
	}
	arrived := p.sent + c.latency(from, to)
	if c.causes != nil {
		c.causes.sends(c, id, l, from, bytes, p.start, p.sent, arrived)
	}
	c.dma(from, to, bytes, p.start, p.sent, arrived)
	if !c.within(p.sent) || !c.within(arrived) {
		return
	}
	if l == load {
		m.passage, m.arrived = p, arrived
		c.known(id)
		if m.inPlace() {
			c.release(id, p.sent)
		}
	}
	switch {
	case l == load && m.protocol == got:
		c.land(m.to, arrived)
		c.settled(m.to, id)
	case l != load || m.protocol != oneSided:
		c.schedule(arrived, evArrive, uint64(id)|uint64(l)<<32)
	}
}

// known says what follows at once from the arrival of a message's bytes being
// known: nobody but the NIC takes in what is one-sided.
func (c *cluster) known(id int32) {
	m := c.messages.at(id)
	k := &c.ranks[m.from]
	switch m.protocol {
	case oneSided, signalled:
		c.delivered(id, m.arrived)
		k.flight = max(k.flight, m.completed)
	case got:
		c.delivered(id, m.arrived)
	case eager:
		if c.machine.Runtime == nil {
			k.flight = max(k.flight, m.arrived)
		}
	}
}

// sentAt hears from the carrier that bytes of a message have left.
func (c *cluster) sentAt(t *carried, now sim.Time) {
	m := c.messages.at(t.message)
	from, _ := m.ends(t.leg)
	switch {
	case t.leg == load && c.streams(m):
		c.chunkSent(t.message, t.bytes, now)
	case t.leg != load:
		c.leaves(t.message, t.leg, t.begun, now)
	default:
		m.begun, m.sent = t.begun, now
		c.leaves(t.message, t.leg, t.begun, now)
		if m.inPlace() {
			c.release(t.message, now)
		}
		if m.way == Write {
			c.send(t.message, finish, 0, now, now)
		}
	}
	if c.machine.Copying == nil {
		c.unpost(from, now)
	}
}

// unpost makes room for a stalled post.
func (c *cluster) unpost(r int32, now sim.Time) {
	k := &c.ranks[r]
	if k.posted--; k.posted < c.limit && k.state == stalled && k.wakeAt == never {
		if c.causes != nil {
			c.causes.room[r] = c.causes.now
		}
		c.resume(r, now)
	}
}

// arrivedAt hears from the carrier that bytes of a message have arrived.
func (c *cluster) arrivedAt(t *carried, now sim.Time) {
	m := c.messages.at(t.message)
	c.comes(t.message, t.leg, now)
	if t.leg == load {
		if c.streams(m) {
			c.chunkArrived(t.message, t.bytes, now)
			return
		}
		m.arrived = now
		if m.protocol <= signalled {
			c.delivered(t.message, now)
			c.landed(t.message)
		}
		if m.protocol <= got {
			return
		}
	}
	c.arrive(t.message, t.leg, now)
}

// landed ends the flight of a message whose poster hears now when it is over
// for it.
func (c *cluster) landed(id int32) {
	m := c.messages.at(id)
	r := m.poster()
	c.land(r, c.ended(r, id))
	c.settled(r, id)
}

// arrive takes a leg of a message that has come to the NIC of its target and
// that somebody there must hear of.
func (c *cluster) arrive(id int32, l leg, now sim.Time) {
	if c.machine.Runtime != nil {
		c.reach(id, l, now)
		return
	}
	m := c.messages.at(id)
	switch {
	case l == request:
		if m.protocol == got {
			c.answer(id, now)
			return
		}
		c.note(id, now, Partner)
	case m.protocol == rendezvous:
		c.dataArrived(id, now)
		return
	case m.delivered == sim.Forever:
		c.takeIn(id, now)
		if c.carrier != nil {
			c.land(m.from, now)
		}
	}
	c.match(id, now)
}

// answer sends the bytes that a get asks for: the NIC does, or, without RDMA,
// the CPU copies them as if it had posted a put.
func (c *cluster) answer(id int32, now sim.Time) {
	if c.machine.Copying == nil {
		c.serveRead(id, now)
		return
	}
	c.copyBytes(id, now)
}

// queuesIn tells whether messages pass the receiving NIC one after the other: on
// the ideal fabric, into memory.
func (c *cluster) queuesIn() bool {
	return c.carrier == nil && c.crowd == nil && c.machine.Copying == nil
}

// takeIn lets the bytes of a message pass the receiving NIC, on the ideal
// fabric one message after the other at the speed at which it sends; a
// contended fabric has seen to that, and a calibrated one knows of no queues.
func (c *cluster) takeIn(id int32, now sim.Time) {
	m := c.messages.at(id)
	at := now
	if c.queuesIn() {
		at = c.nics[c.node(m.to)].Receive(now, c.length(m.bytes))
		if m.detour >= 0 {
			c.note(id, now, Contention)
			c.note(id, at, Latency)
		}
		if c.causes != nil {
			c.causes.takesIn(c, id, m.to, m.bytes, now, at)
		}
	}
	c.delivered(id, at)
}

// delivered says when a message is in the target's memory, and when its sender
// knows.
func (c *cluster) delivered(id int32, at sim.Time) {
	m := c.messages.at(id)
	m.delivered = at
	m.completed = at + c.latency(m.to, m.from)
	if c.causes != nil {
		c.causes.delivers(c, id)
	}
	c.within(m.completed)
	if c.recorder != nil && m.record >= 0 {
		c.recorder.delivered(m.record, at)
	}
}

// land ends the flight of one of the rank's own messages.
func (c *cluster) land(r int32, at sim.Time) {
	k := &c.ranks[r]
	k.flying--
	k.flight = max(k.flight, at)
}

// served is what the NIC of a rank has sent until now.
func (c *cluster) served(r int32, now sim.Time) network.Served {
	if c.carrier != nil {
		return c.carrier.served(r, now)
	}
	nic, process := c.nic(r)
	return nic.Served(now, process)
}
