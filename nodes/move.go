package nodes

import (
	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// launch sends a message on its way once it is ready: its bytes, or its request.
func (c *cluster) launch(id int32, now, ready sim.Time) {
	m := c.messages.at(id)
	c.recordPost(m, ready)
	asks := m.protocol == rendezvous || m.protocol == got
	if !c.booked || asks || m.protocol == combined || c.machine.Runtime != nil && m.protocol == eager {
		c.ranks[m.poster()].flying++
	}
	if asks {
		c.send(id, request, c.first(m), now, ready)
		return
	}
	c.send(id, load, m.bytes, now, ready)
}

// send hands bytes of a message to the NIC of the rank that a leg leaves. They leave once they
// are ready. Where NICs are booked, the arrival time of the bytes is known at once.
func (c *cluster) send(id int32, l leg, bytes int64, now, ready sim.Time) {
	if !c.booked {
		c.sendCarried(id, l, bytes, now, ready)
		return
	}
	m := c.messages.at(id)
	from, to := m.endpoints(l)
	passes := l.passes(bytes) && !c.calibration.on()
	other := nobody // NICs keep what is read apart from what their processes send
	if !m.answers(l) {
		other = c.peer(id, from, to)
	}
	p := c.depart(id, from, other, passes, now, ready, c.length(bytes))
	switch since := max(now, m.paid); {
	case m.staging < 0:
	case passes:
		c.legOvertakes(id, l, since, ready, p)
	default:
		c.legPassesNIC(id, l, since, now, p)
	}
	if !l.passes(bytes) {
		c.recorder.send(m.record, c.place.nic[from], p.start, p.sent)
	}
	arrived := p.sent + c.latency(from, to)
	c.causes.sends(c, id, l, from, to, bytes, passes, p, arrived)
	c.dma(id, from, to, bytes, p.start, p.sent, arrived)
	if !c.within(p.sent) || !c.within(arrived) {
		return
	}
	if l == load {
		m.passage, m.arrived = p, arrived
		c.arrivalKnown(id)
		if m.inPlace() {
			c.release(id, p.sent)
		}
	}
	switch {
	case l == load && m.protocol == got:
		c.endFlight(m.to, arrived)
		c.settled(m.to, id)
	case l != load || m.protocol != oneSided:
		c.schedule(arrived, evArrive, uint64(id)|uint64(l)<<32)
	}
}

// passes tells whether a leg of that many bytes passes messages to others in a NIC: requests, replies and finishes do, if
// they carry no bytes of the user. They do not count as outstanding either.
func (l leg) passes(bytes int64) bool { return l != load && bytes == 0 }

// peer returns the rank to which a message goes, which another one may represent.
func (c *cluster) peer(id, from, to int32) int32 {
	if c.symmetry == nil {
		return to
	}
	return c.symmetry.other(c.place.home[from], id)*int32(c.symmetry.perNode) + to%int32(c.symmetry.perNode)
}

// sendCarried hands such bytes to the carrier, which tells later when they have left and arrived.
func (c *cluster) sendCarried(id int32, l leg, bytes int64, now, ready sim.Time) {
	m := c.messages.at(id)
	if from, _ := m.endpoints(l); c.machine.Copying == nil && !l.passes(bytes) {
		c.ranks[from].posted++
	}
	if m.staging >= 0 {
		c.legHandedOver(id, l, max(now, m.paid), now)
	}
	c.carrier.send(carried{message: id, leg: l, bytes: bytes, startup: c.machine.Network.Startup, ready: ready}, now)
}

// arrivalKnown continues once the arrival time of a message's bytes is known. The NIC alone takes in
// one-sided bytes.
func (c *cluster) arrivalKnown(id int32) {
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

// sentAt is called by the carrier when bytes of a message have left.
func (c *cluster) sentAt(transfer int32, t *carried, now sim.Time) {
	m := c.messages.at(t.message)
	from, _ := m.endpoints(t.leg)
	switch {
	case t.leg == load && c.streams(m):
		d := c.stagings.at(m.staging)
		d.flying = append(d.flying, now)
		c.chunkSent(t.message, t.bytes, now)
	case t.leg != load && t.begun == t.started: // any time before that is its wait
		c.legLeaves(t.message, t.leg, 0, now)
	case t.leg != load:
		c.legLeaves(t.message, t.leg, t.begun, now)
	default:
		m.begun, m.sent = t.begun, now
		c.legLeaves(t.message, t.leg, t.begun, now)
		if m.inPlace() {
			c.release(t.message, now)
		}
		if m.way == machines.Write {
			c.carrier.follow(transfer, carried{message: t.message, leg: finish, startup: c.machine.Network.Startup, ready: now})
		}
	}
	if c.machine.Copying == nil && !t.leg.passes(t.bytes) {
		c.unpost(from, now)
	}
}

// unpost makes room for a stalled post.
func (c *cluster) unpost(r int32, now sim.Time) {
	k := &c.ranks[r]
	if k.posted--; k.posted < c.limit && k.state == stalled && k.wakeAt == never {
		c.causes.makesRoom(r)
		c.resume(r, now)
	}
}

// arrivedAt is called by the carrier when bytes of a message have arrived.
func (c *cluster) arrivedAt(t *carried, now sim.Time) {
	m := c.messages.at(t.message)
	c.legArrives(t.message, t.leg, now)
	switch {
	case t.leg != load:
		c.arrive(t.message, t.leg, now)
	case m.protocol == combined:
		c.reachesSwitch(t.message, now)
	case c.streams(m):
		c.chunkHeldUp(t.message, t.started+t.took, now)
		c.chunkArrived(t.message, t.bytes, now)
	default:
		m.arrived = now
		if m.protocol <= signalled {
			c.oneSidedArrived(t.message, now)
		} else {
			c.arrive(t.message, load, now)
		}
	}
}

// oneSidedArrived takes bytes for which no receive was posted through the receiving NIC of a contended
// fabric.
func (c *cluster) oneSidedArrived(id int32, now sim.Time) {
	at := c.intake(id, load, now)
	c.delivered(id, at)
	c.flightEnds(id)
	if c.messages.at(id).protocol == signalled {
		c.passAt(id, load, at, now)
	}
}

// flightEnds ends the flight of a message for its poster. Only now is the end of the flight known.
func (c *cluster) flightEnds(id int32) {
	m := c.messages.at(id)
	r := m.poster()
	c.endFlight(r, c.ended(r, id))
	c.settled(r, id)
}

// arrive takes in a leg of a message that has arrived at the NIC of its target and requires an
// action there.
func (c *cluster) arrive(id int32, l leg, now sim.Time) {
	m := c.messages.at(id)
	if m.protocol == combined {
		c.reachesSwitch(id, now)
		return
	}
	if c.machine.Runtime != nil {
		c.reach(id, l, now)
		return
	}
	switch {
	case l == request:
		if m.protocol == got {
			c.answer(id, now)
			return
		}
		c.deliverRequest(id, now)
		return
	case m.protocol == rendezvous:
		c.dataArrived(id, now)
		return
	case m.delivered == sim.Forever:
		c.takeIn(id, now)
		if !c.booked {
			c.endFlight(m.from, now)
		}
	}
	c.match(id, now)
}

// deliverRequest tells the target of a rendezvous request that has arrived. It matches now, in the order in which messages
// of a pair arrive, and is answered once it is heard.
func (c *cluster) deliverRequest(id int32, now sim.Time) {
	m := c.messages.at(id)
	if delay := c.machine.Network.Asking.Of(m.bytes); delay > 0 && !c.place.inside(m.from, m.to) {
		at := now + delay
		c.stagings.at(m.staging).heard = at
		c.causes.deliversRequest(c, id, m.bytes, at)
		c.within(at)
	}
	if c.machine.Runtime != nil {
		c.offer(m.to, job{step: notice, message: id}, now)
		return
	}
	c.note(id, now, results.Partner)
	c.match(id, now)
}

// answer sends the bytes that a get asks for. The NIC sends them. Without RDMA the CPU copies
// them as if it had posted a put.
func (c *cluster) answer(id int32, now sim.Time) {
	if c.machine.Copying == nil {
		c.serveRead(id, now)
		return
	}
	c.copyBytes(id, now)
}

// queuesIn tells whether messages pass the receiving NIC one after the other on their way into
// memory. They do not on a calibrated fabric, which has no such queues. They do not without RDMA
// either, because CPUs take bytes in.
func (n *nicSide) queuesIn() bool { return !n.place.own && n.machine.Copying == nil }

// takeIn takes the bytes of a message through the receiving NIC.
func (c *cluster) takeIn(id int32, now sim.Time) {
	at := c.intake(id, load, now)
	c.note(id, at, results.Latency)
	c.delivered(id, at)
}

// intake takes a leg of a message that arrives now through the receiving NIC, and returns when it
// has passed.
func (c *cluster) intake(id int32, l leg, now sim.Time) sim.Time {
	if !c.queuesIn() {
		return now
	}
	m := c.messages.at(id)
	_, to := m.endpoints(l)
	bytes := c.legBytes(m, l)
	delivery := c.delivery(m, l)
	at := c.nics[c.place.nic[to]].Receive(now-c.travelled(bytes), now, c.length(bytes), delivery)
	if !m.answers(l) {
		c.comes(c.between(id, l), at, now)
	}
	c.causes.takesIn(c, id, l, to, bytes, delivery, now, at)
	if at > now {
		c.legQueues(id, l, now)
		if delivery > 0 {
			c.note(id, at-delivery, results.Latency)
		}
	}
	return at
}

// comes notes that something will have passed its receiving NIC at a time.
func (c *cluster) comes(between rankPair, at, now sim.Time) {
	q := &c.coming[c.place.nic[between.to]]
	for !q.empty() && q.first().at < now {
		q.pop()
	}
	q.push(entry{between, at})
}

// behind takes in a leg that passes others. It returns when that is over, and whether it waits for something between the same ranks.
func (c *cluster) behind(id int32, l leg, now sim.Time) (at sim.Time, waits bool) {
	between := c.between(id, l)
	at = now
	for _, e := range c.coming[c.place.nic[between.to]].left() {
		if e.between == between && e.at >= now {
			at, waits = max(at, e.at), true
		}
	}
	c.causes.comesBehind(c, id, l, at)
	return at, waits
}

// between returns the ranks between which a leg goes. Another rank may represent the sender.
func (c *cluster) between(id int32, l leg) rankPair {
	from, to := c.messages.at(id).endpoints(l)
	return rankPair{c.peer(id, to, from), to}
}

// waitsIn tells whether what happens at some time waits for it in the NIC of a rank. This also holds
// if that is now, behind what came before it and waits: nothing overtakes in a NIC.
func (n *nicSide) waitsIn(rank int32, at, now sim.Time) bool {
	nic := n.place.nic[rank]
	if at == now && n.queued[nic] == 0 {
		return false
	}
	n.queued[nic]++
	return true
}

// delivery returns how long a leg of a message takes into memory behind the receiving NIC. Only
// the bytes of a whole two-sided message take time.
func (n *nicSide) delivery(m *message, l leg) sim.Time {
	if l != load || m.protocol < eager || !n.queuesIn() {
		return 0
	}
	return n.machine.Network.Delivery.Of(m.bytes)
}

// legQueues notes that a leg of a message waits in the receiving NIC from now on.
func (c *cluster) legQueues(id int32, l leg, now sim.Time) {
	m := c.messages.at(id)
	switch {
	case m.staging < 0:
	case m.earlyFinish(l):
		c.stagings.at(m.staging).finish.arrived = now
	default:
		c.note(id, now, results.Contention)
	}
}

// travelled returns for how long bytes that have arrived now were coming in. That is as long as
// they took to leave.
func (c *cluster) travelled(bytes int64) sim.Time {
	if c.booked {
		return c.length(bytes)
	}
	return c.carrier.arriving.took
}

// passAt makes a leg of a message continue when it has passed the receiving NIC.
func (c *cluster) passAt(id int32, l leg, at, now sim.Time) {
	if _, to := c.messages.at(id).endpoints(l); c.waitsIn(to, at, now) {
		c.passLater(id, l, at)
		return
	}
	c.pass(id, l, now)
}

func (c *cluster) passLater(id int32, l leg, at sim.Time) {
	c.schedule(at, evPassed, uint64(uint32(id))|uint64(l)<<32)
}

// passed continues with a leg that has waited in the receiving NIC.
func (c *cluster) passed(id int32, l leg, now sim.Time) {
	_, to := c.messages.at(id).endpoints(l)
	c.queued[c.place.nic[to]]--
	c.pass(id, l, now)
}

// delivered sets when a message is in the target's memory, and when its sender knows.
func (c *cluster) delivered(id int32, at sim.Time) {
	m := c.messages.at(id)
	m.delivered = at
	m.completed = at + c.latency(m.to, m.from)
	c.causes.delivers(c, id)
	c.within(m.completed)
	c.recorder.delivered(m.record, at)
}

// endFlight ends the flight of one of the rank's own messages.
func (c *cluster) endFlight(r int32, at sim.Time) {
	k := &c.ranks[r]
	k.flying--
	k.flight = max(k.flight, at)
}

// served returns what the NIC of a rank has sent until now.
func (c *cluster) served(r int32, now sim.Time) network.Served {
	if !c.booked {
		return c.carrier.served(r, now)
	}
	nic, process := c.nic(r)
	return nic.Served(now, process)
}
