package nodes

import (
	"overlapsim/network"
	"overlapsim/sim"
)

// launch sends a message whose descriptor will be inserted then on its way
// (RDMA): its bytes, or its request.
func (c *cluster) launch(id int32, now, ready sim.Time) {
	m := c.messages.at(id)
	if c.carrier != nil {
		c.ranks[m.from].posted++
	}
	if c.carrier != nil || m.protocol == rendezvous {
		c.ranks[m.from].flying++
	}
	bytes := m.bytes
	if m.protocol == rendezvous {
		bytes = 0
	}
	c.send(id, bytes, now, ready)
}

// send hands bytes of a message, ready then, to the NIC of its sender. On an
// ideal fabric it is known at once when they arrive.
func (c *cluster) send(id int32, bytes int64, now, ready sim.Time) {
	if c.carrier != nil {
		c.carrier.send(id, bytes, c.machine.Network.Startup, now, ready)
		return
	}
	m := c.messages.at(id)
	k := &c.ranks[m.from]
	start, sent, through := c.depart(m, now, ready, c.length(bytes))
	if c.recorder != nil {
		c.recorder.send(m.record, c.place.nic[m.from], start, sent)
	}
	m.start, m.sent, m.through = start, sent, through
	m.arrived = sent + c.latency(m.from, m.to)
	if !c.within(sent) || !c.within(m.arrived) {
		return
	}
	if m.protocol != oneSided {
		k.flight = max(k.flight, m.arrived)
		c.schedule(m.arrived, evArrive, uint64(id))
		return
	}
	c.delivered(m, m.arrived)
	k.flight = max(k.flight, m.completed)
}

// sentAt hears from the carrier that bytes of a message have left.
func (c *cluster) sentAt(id int32, bytes int64, now sim.Time) {
	if c.machine.Copying != nil {
		c.chunkSent(id, bytes, now)
		return
	}
	m := c.messages.at(id)
	m.sent, m.through = now, c.served(m.from, now)
	c.unpost(m.from, now)
}

// unpost makes room for a stalled post.
func (c *cluster) unpost(r int32, now sim.Time) {
	k := &c.ranks[r]
	if k.posted--; k.state == stalled && k.wakeAt == never {
		c.resume(r, now)
	}
}

// arrivedAt hears from the carrier that bytes of a message have arrived.
func (c *cluster) arrivedAt(id int32, bytes int64, now sim.Time) {
	m := c.messages.at(id)
	switch {
	case c.machine.Copying != nil:
		c.chunkArrived(id, bytes, now)
	case m.protocol == oneSided:
		m.arrived = now
		c.delivered(m, now)
		c.land(m.from, m.completed)
		c.settled(m.from, id)
	default:
		m.arrived = now
		c.arrive(id, now)
	}
}

// arrive takes a two-sided message, or its request, or its bytes, that has come
// to the target's NIC.
func (c *cluster) arrive(id int32, now sim.Time) {
	m := c.messages.at(id)
	if m.protocol == rendezvous {
		if d := c.detours.at(m.detour); d.asked != sim.Forever {
			c.dataArrived(id, now)
			return
		} else {
			d.asked = now
		}
	} else if m.delivered == sim.Forever {
		c.takeIn(m, now)
		if c.carrier != nil {
			c.land(m.from, now)
		}
	}
	c.match(id, now)
}

// takeIn lets the bytes of a message pass the receiving NIC, on the ideal
// fabric one message after the other at the speed at which it sends; a
// contended fabric has seen to that, and a calibrated one knows of no queues.
func (c *cluster) takeIn(m *message, now sim.Time) {
	at := now
	if c.carrier == nil && c.crowd == nil {
		at = c.nics[c.node(m.to)].Receive(now, c.length(m.bytes))
	}
	c.delivered(m, at)
}

// delivered says when a message is in the target's memory, and when its sender
// knows.
func (c *cluster) delivered(m *message, at sim.Time) {
	m.delivered = at
	m.completed = at + c.latency(m.to, m.from)
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
