package nodes

import (
	"overlapsim/nodes/match"
	"overlapsim/sim"
)

// ask sends the request of a rendezvous.
func (c *cluster) ask(id int32, now, ready sim.Time) {
	m := c.messages.at(id)
	k := &c.ranks[m.from]
	from, to := c.node(m.from), c.node(m.to)
	start, sent, _ := k.nic.Send(now, ready, k.slot, c.length(0))
	d := c.detours.at(m.detour)
	d.asked = c.fabric.Arrival(from, to, 0, start, sent)
	k.flight = sim.Forever
	k.asking++
	c.kernel.Schedule(d.asked, c.self, evArrive, uint64(id))
}

// arrive matches a message, or the request of a rendezvous, that has come to
// the target's NIC.
func (c *cluster) arrive(id int32, now sim.Time) {
	m := c.messages.at(id)
	if m.protocol == eager && m.delivered == sim.Forever {
		c.takeIn(m, now)
	}
	e := match.Envelope[int32]{Source: uint32(m.from), Tag: uint32(m.tag), Value: id}
	if receive, ok := c.matching.Arrive(int(m.to), e); ok {
		c.matched(m.to, receive.Value, id, now)
	}
}

// takeIn lets the bytes of a message pass the receiving NIC, one message after
// the other at the speed at which it sends.
func (c *cluster) takeIn(m *message, now sim.Time) {
	m.delivered = c.ranks[m.to].nic.Receive(now, c.length(m.bytes))
	if c.recorder != nil && m.record >= 0 {
		c.recorder.delivered(m.record, m.delivered)
	}
}

// receive posts a receive.
func (c *cluster) receive(r int32, op *Op, now sim.Time) {
	k := &c.ranks[r]
	k.request(op.Request, pendingReceive)
	e := match.Envelope[int32]{Source: uint32(op.Peer), Tag: uint32(op.Tag), Value: op.Request}
	if message, ok := c.matching.Post(int(r), e); ok {
		c.matched(r, op.Request, message.Value, now)
	}
	k.done()
}

// matched brings a receive and a message together.
func (c *cluster) matched(r, request, id int32, now sim.Time) {
	k := &c.ranks[r]
	c.hold(r, request, id)
	if k.state == waiting && k.awaited == nobody && k.waitsOn == request {
		k.awaited = id
	}
	m := c.messages.at(id)
	if m.protocol != rendezvous {
		c.expect(r)
		return
	}
	c.detours.at(m.detour).matched = now
	if k.state == computing { // only the next call sees the request
		k.unread = append(k.unread, id)
		return
	}
	c.readBytes(id, now)
}

// readUnread asks for the bytes of requests that have come in the meantime.
func (c *cluster) readUnread(r int32, now sim.Time) {
	k := &c.ranks[r]
	for _, id := range k.unread {
		c.readBytes(id, now)
	}
	k.unread = k.unread[:0]
}

// readBytes sends the RDMA read of the target to the sender's NIC.
func (c *cluster) readBytes(id int32, now sim.Time) {
	m := c.messages.at(id)
	c.detours.at(m.detour).read = now
	c.kernel.Schedule(c.fabric.Arrival(c.node(m.to), c.node(m.from), 0, now, now), c.self, evRead, uint64(id))
}

// serveRead sends the bytes that the target reads; the sender's CPU is not
// asked.
func (c *cluster) serveRead(id int32, now sim.Time) {
	m := c.messages.at(id)
	k := &c.ranks[m.from]
	start, sent, through := k.nic.Send(now, now, k.slot, c.length(m.bytes))
	from, to := c.node(m.from), c.node(m.to)
	m.start, m.sent, m.through = start, sent, through
	m.arrived = c.fabric.Arrival(from, to, m.bytes, start, sent)
	c.kernel.Schedule(m.arrived, c.self, evData, uint64(id))
	if c.recorder != nil {
		c.recorder.send(m.record, from, start, sent)
	}
}

// dataArrived ends a rendezvous: the receiver has the bytes, and tells the
// sender.
func (c *cluster) dataArrived(id int32, now sim.Time) {
	m := c.messages.at(id)
	c.takeIn(m, now)
	m.completed = c.fabric.Arrival(c.node(m.to), c.node(m.from), 0, m.delivered, m.delivered)
	k := &c.ranks[m.from]
	if k.asking--; k.asking == 0 {
		k.flight = m.completed
	}
	for _, r := range [2]int32{m.from, m.to} {
		if c.ranks[r].awaited == id {
			c.expect(r)
		}
	}
}
