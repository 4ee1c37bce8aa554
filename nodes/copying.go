package nodes

import "overlapsim/sim"

// copier is the CPU's work for messages on a machine without RDMA: it copies
// bytes into the send buffer of its NIC, chunk by chunk as there is room, and
// what has arrived out of the receive buffer. The CPU does these jobs one
// after the other: at once when the process is inside a call; when it
// computes, by interrupts that push the end of the computation back, or not
// before the next call.
type copier struct {
	outgoing []int32  // messages with bytes still to be copied out, oldest first
	incoming []chunk  // arrived, not yet begun to copy out
	jobs     []job    // begun or booked, in order of their ends
	buffered int64    // bytes in, or being copied into, the send buffer
	busy     sim.Time // the CPU copies until here
}

// chunk is a part of a message.
type chunk struct {
	message int32
	bytes   int64
}

// job is a copy, out of or into user memory.
type job struct {
	chunk
	send bool
}

// copyEnd is until when the CPU copies.
func (k *rank) copyEnd() sim.Time {
	if k.copier == nil {
		return 0
	}
	return k.busy
}

// submit takes over a message whose overhead is paid; the post ends when the
// CPU has copied what there is room for.
func (c *cluster) submit(r, id int32, now sim.Time) {
	k := &c.ranks[r]
	if c.messages.at(id).protocol == got {
		c.launch(id, now, now)
	} else {
		k.outgoing = append(k.outgoing, id)
		k.posted++
		k.flying++
	}
	c.enterLibrary(r, now)
	c.endCopying(r)
}

// endCopying ends a post when the CPU has nothing left to copy.
func (c *cluster) endCopying(r int32) {
	if k := &c.ranks[r]; k.state == copying && len(k.jobs) == 0 {
		k.done()
	}
}

// enterLibrary books every copy that is possible now. The process is inside a
// call, or interrupted.
func (c *cluster) enterLibrary(r int32, now sim.Time) {
	cp := c.machine.Copying
	if cp == nil {
		return
	}
	k := &c.ranks[r]
	for _, in := range k.incoming {
		c.book(r, job{in, false}, sim.PerByte(in.bytes, cp.ReceivePerByte), now)
	}
	k.incoming = k.incoming[:0]
	for len(k.outgoing) > 0 {
		id := k.outgoing[0]
		d := c.detours.at(c.messages.at(id).detour)
		bytes := min(d.uncopied, cp.Chunk)
		if k.buffered+bytes > cp.Buffer {
			return
		}
		k.buffered += bytes
		c.book(r, job{chunk{id, bytes}, true}, sim.PerByte(bytes, cp.SendPerByte), now)
		if d.uncopied -= bytes; d.uncopied == 0 {
			k.outgoing = k.outgoing[1:]
		}
	}
}

// interrupt does what enterLibrary does if the process can be made to.
func (c *cluster) interrupt(r int32, now sim.Time) {
	if c.ranks[r].state != computing || c.machine.Copying.Interrupts {
		c.enterLibrary(r, now)
	}
}

// book lets the CPU do a job after those it has.
func (c *cluster) book(r int32, j job, cost, now sim.Time) {
	k := &c.ranks[r]
	begin := max(now, k.busy)
	switch k.state {
	case computing:
		cost += c.machine.Copying.Interrupt
		c.compute(r, begin)
		k.opEnd += cost
	case posting, receiving:
		c.spend(r, Overhead, begin)
		k.opEnd += cost
	case waiting:
		c.splitWait(r, begin, now)
	case stalled, queued:
		c.spend(r, NICStall, begin)
	case inBarrier:
		c.spend(r, BarrierTime, begin)
	}
	k.busy = begin + cost
	if !k.over() {
		c.spend(r, Overhead, k.busy)
	}
	k.jobs = append(k.jobs, j)
	c.schedule(k.busy, evJobDone, uint64(r))
}

// over says that the program of the rank has ended.
func (k *rank) over() bool { return k.ended && int(k.next) == len(k.ops) }

// jobDone ends the oldest job of a rank.
func (c *cluster) jobDone(r int32, now sim.Time) {
	k := &c.ranks[r]
	j := k.jobs[0]
	k.jobs = k.jobs[1:]
	if j.send {
		c.sendChunk(j.chunk, now)
	} else {
		c.deliver(j.chunk, now)
	}
	if k.state == waiting {
		k.since = c.served(r, now)
	}
	c.interrupt(r, now)
	if k.state == copying {
		c.endCopying(r)
		if k.state == ready {
			c.wake(r, now)
		}
	}
}

// sendChunk gives a copied chunk to the NIC.
func (c *cluster) sendChunk(ch chunk, now sim.Time) {
	m := c.messages.at(ch.message)
	d := c.detours.at(m.detour)
	first := d.unsent == m.bytes
	d.unsent -= ch.bytes
	d.leaving++
	startup := sim.Time(0)
	if first {
		d.read, d.heard = now, now
		startup = c.machine.Network.Startup
	}
	if c.carrier != nil {
		c.carrier.send(carried{message: ch.message, bytes: ch.bytes, startup: startup}, now, now)
		return
	}
	length := startup + c.machine.Network.Transfer.Of(ch.bytes)
	nic, process := c.nic(m.from)
	start, sent, through := nic.Send(now, now, process, length)
	arrived := sent + c.latency(m.from, m.to)
	if d.unsent == 0 {
		m.sent, m.through, m.arrived = sent, through, arrived
	}
	arg := uint64(uint32(ch.message)) | uint64(ch.bytes)<<32
	c.schedule(sent, evChunkSent, arg)
	c.schedule(arrived, evChunkArrived, arg)
	if c.recorder != nil {
		c.recorder.send(m.record, c.node(m.from), start, sent)
	}
}

// chunkSent frees the room of a chunk in the send buffer.
func (c *cluster) chunkSent(id int32, bytes int64, now sim.Time) {
	m := c.messages.at(id)
	k := &c.ranks[m.from]
	k.buffered -= bytes
	d := c.detours.at(m.detour)
	if d.leaving--; d.leaving == 0 && d.unsent == 0 {
		m.sent = now
		c.unpost(m.from, now)
	}
	c.interrupt(m.from, now)
}

// chunkArrived lets the CPU of the target copy a chunk out.
func (c *cluster) chunkArrived(id int32, bytes int64, now sim.Time) {
	m := c.messages.at(id)
	if d := c.detours.at(m.detour); d.unsent == 0 && d.leaving == 0 {
		m.arrived = now
	}
	k := &c.ranks[m.to]
	k.incoming = append(k.incoming, chunk{id, bytes})
	c.interrupt(m.to, now)
}

// deliver ends the way of a chunk; the last one completes the message.
func (c *cluster) deliver(ch chunk, now sim.Time) {
	m := c.messages.at(ch.message)
	if d := c.detours.at(m.detour); d.undelivered > ch.bytes {
		d.undelivered -= ch.bytes
		return
	}
	c.delivered(m, now)
	if m.protocol == eager {
		c.land(m.from, m.completed)
	} else {
		c.landed(ch.message)
	}
	if m.protocol >= signalled {
		c.match(ch.message, now)
	}
}
