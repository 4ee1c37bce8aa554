package nodes

import (
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// Bytes that CPUs copy travel in chunks through a send buffer (without RDMA), or in the fragments
// of a pipelined rendezvous.

// streams tells whether the bytes of a message travel in chunks or fragments.
func (c *cluster) streams(m *message) bool {
	if m.protocol == rendezvous && m.way == machines.Copy {
		return false
	}
	return c.machine.Copying != nil || m.protocol == rendezvous && m.way == machines.Pipelined
}

// Pieces returns in how many pieces the bytes of a message travel between nodes, with what goes there and back before a long one;
// 0: they travel whole, and at once.
func Pieces(on *machines.Machine, op *programs.Op) int64 {
	var chunk, before int64
	rt, long := on.Runtime, protocolOf(on, op) == rendezvous
	if long {
		before = 3 // the request, the answer and the finish
	}
	switch {
	case on.Copying != nil:
		chunk = on.Copying.Chunk
	case rt == nil || !long:
	case op.Strided:
		chunk = rt.Strided.Chunk
	case rt.Rendezvous == machines.Pipelined:
		chunk = rt.Pipeline.Chunk
	}
	if chunk == 0 {
		return before
	}
	return before + op.Amount/min(chunk, maxChunk)
}

// pipeline returns how a pipelined message travels.
func (c *cluster) pipeline(m *message) *machines.Pipeline {
	if m.strided {
		return &c.machine.Runtime.Strided.Pipeline
	}
	return &c.machine.Runtime.Pipeline
}

// chunk returns how many bytes are copied next.
func (c *cluster) chunk(m *message) int64 { return min(c.stagings.at(m.staging).uncopied, c.cut(m)) }

// cut returns how many bytes each piece of a message has, except the first and the last one.
func (c *cluster) cut(m *message) int64 {
	if c.machine.Copying != nil {
		return c.machine.Copying.Chunk
	}
	if size := c.pipeline(m).Chunk; size > 0 {
		return min(size, maxChunk)
	}
	return maxChunk
}

// room tells whether the next bytes of a message may be copied out.
func (c *cluster) room(k *rank, id int32) bool {
	m := c.messages.at(id)
	if cp := c.machine.Copying; cp != nil {
		return k.buffered+c.chunk(m) <= cp.Buffer && c.connections.fits(m, c.chunk(m))
	}
	depth := c.pipeline(m).Depth
	return depth == 0 || k.fragments < depth
}

// nextCopy returns the next copy out, if there is room for it.
func (c *cluster) nextCopy(k *rank) (j job, ok bool) {
	id := k.outgoing.first()
	if !c.room(k, id) {
		return j, false
	}
	m := c.messages.at(id)
	d := c.stagings.at(m.staging)
	j = job{step: copyOut, message: id, bytes: c.chunk(m)}
	k.buffered += j.bytes
	k.fragments++
	k.copies++
	c.connections.fill(m, j.bytes)
	if d.uncopied -= j.bytes; d.uncopied == 0 {
		k.outgoing.pop()
	}
	return j, true
}

// submit takes over a message whose overhead is paid. The post ends when the CPU has copied as
// much as there is room for.
func (c *cluster) submit(r, id int32, now sim.Time) {
	k := &c.ranks[r]
	if p := c.messages.at(id).protocol; p == got || p == rendezvous {
		c.launch(id, now, now)
		k.done()
		return
	}
	k.flying++
	k.posted++
	c.note(id, now, results.Progress)
	k.outgoing.push(id)
	c.progress(r, now)
	c.endCopying(r)
}

// copyBytes makes the CPU of a message's sender copy its bytes out.
func (c *cluster) copyBytes(id int32, now sim.Time) {
	r := c.messages.at(id).from
	k := &c.ranks[r]
	if c.machine.Copying != nil {
		k.posted++
	}
	c.note(id, now, results.Progress)
	k.outgoing.push(id)
	c.progress(r, now)
}

// endCopying ends a post when the CPU has nothing left to copy.
func (c *cluster) endCopying(r int32) {
	if k := &c.ranks[r]; k.state == copying && (k.jobs.empty() || c.agent.cpu != ownCPU) {
		k.done()
	}
}

// sendChunk gives copied bytes to the NIC.
func (c *cluster) sendChunk(j job, now sim.Time) {
	m := c.messages.at(j.message)
	c.ranks[m.from].copies--
	d := c.stagings.at(m.staging)
	first := d.unsent == m.bytes || c.machine.Copying == nil
	d.unsent -= j.bytes
	c.move(j.message, copied, inNIC, now)
	if d.unsent == 0 && (m.protocol == rendezvous && !m.tells || m.inPlace()) {
		c.release(j.message, now)
	}
	if c.booked {
		c.bookChunk(j, first, now)
		return
	}
	if c.machine.Copying == nil {
		c.ranks[m.from].posted++
	}
	c.carrier.send(carried{message: j.message, bytes: j.bytes, startup: c.startup(first), ready: now}, now)
}

// startup returns how long a NIC needs before bytes leave. It needs that once for a message that is copied.
func (n *nicSide) startup(first bool) sim.Time {
	if !first {
		return 0
	}
	return n.machine.Network.Startup
}

// bookChunk books copied bytes where their arrival time is known at once.
func (c *cluster) bookChunk(j job, first bool, now sim.Time) {
	m := c.messages.at(j.message)
	length := c.startup(first) + c.machine.Network.Transfer.Of(c.stripe(j.bytes))
	p := c.depart(j.message, m.from, c.peer(j.message, m.from, m.to), false, now, now, length)
	start, sent := p.start, p.sent
	arrived := sent + c.latency(m.from, m.to)
	c.causes.sendsChunk(c, j.message, m.from, j.bytes, first, start, sent, arrived)
	c.dma(j.message, m.from, m.to, j.bytes, start, sent, arrived)
	if c.stagings.at(m.staging).unsent == 0 {
		m.passage, m.arrived = p, arrived
	}
	arg := uint64(uint32(j.message)) | uint64(j.bytes)<<32
	c.schedule(sent, evChunkSent, arg)
	c.schedule(arrived, evChunkArrived, arg)
	c.recorder.send(m.record, c.place.nic[m.from], start, sent)
}

// chunkSent makes room for the next copy.
func (c *cluster) chunkSent(id int32, bytes int64, now sim.Time) {
	m := c.messages.at(id)
	k := &c.ranks[m.from]
	k.buffered -= bytes
	k.fragments--
	d := c.stagings.at(m.staging)
	c.move(id, inNIC, flying, now)
	if d.stages[inNIC] == 0 && d.unsent == 0 {
		m.sent = now
		if c.machine.Copying != nil {
			c.unpost(m.from, now)
		}
	}
	c.progress(m.from, now)
}

// chunkArrived takes bytes through the receiving NIC.
func (c *cluster) chunkArrived(id int32, bytes int64, now sim.Time) {
	m := c.messages.at(id)
	if d := c.stagings.at(m.staging); d.unsent == 0 && d.stages[inNIC] == 0 {
		m.arrived = now
	}
	if c.queuesIn() {
		at := c.nics[c.place.nic[m.to]].Receive(now-c.travelled(bytes), now, c.length(bytes), 0)
		c.comes(c.between(id, load), at, now)
		waits := c.waitsIn(m.to, at, now)
		c.causes.passesChunk(c, id, bytes, now, at, waits)
		if waits {
			c.move(id, flying, passing, now)
			c.schedule(at, evChunkPassed, uint64(uint32(id))|uint64(bytes)<<32)
			return
		}
	}
	c.chunkPassed(id, bytes, flying, now)
}

// chunkPassed makes what has arrived available for the target's CPU to copy.
func (c *cluster) chunkPassed(id int32, bytes int64, from stage, now sim.Time) {
	c.move(id, from, lying, now)
	if c.servesInterrupts() {
		c.kernelWorks(id, bytes, now)
		return
	}
	c.copyable(id, bytes, now)
}

// deliver ends the way of copied bytes. The last bytes complete the message.
func (c *cluster) deliver(j job, now sim.Time) {
	id := j.message
	m := c.messages.at(id)
	c.move(id, takenOn, gone, now)
	c.emptied(id, j.bytes, now)
	if d := c.stagings.at(m.staging); d.undelivered > j.bytes {
		d.undelivered -= j.bytes
		return
	}
	if c.machine.Runtime != nil && m.protocol >= eager {
		c.inMemory(id, now)
		switch {
		case m.protocol == eager:
			c.match(id, now)
		case m.tells:
			c.send(id, finish, 0, now, now)
		}
		return
	}
	c.delivered(id, now)
	if m.protocol == eager {
		c.endFlight(m.from, now)
	} else {
		c.flightEnds(id)
	}
	switch {
	case m.protocol >= signalled && c.machine.Runtime == nil:
		c.match(id, now)
	case m.protocol == signalled:
		c.signalled(id, now)
	}
}
