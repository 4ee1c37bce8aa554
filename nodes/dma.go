package nodes

import "overlapsim/sim"

// dma makes the transfer of bytes of a message load the memories at both its ends.
func (c *cluster) dma(id, from, to int32, bytes int64, start, sent, arrived sim.Time) {
	if !c.sharers.streams || sent <= start || bytes == 0 {
		return
	}
	c.symmetry.loads(id)
	rate := sim.RateOf(bytes, sent-start)
	by := c.causes.moves(c, rankPair{from, to}, start, sent, arrived)
	c.stream(from, stream{rate: rate, began: by[0], ended: by[1]}, start, sent)
	c.stream(to, stream{rate: rate, began: by[2], ended: by[3]}, arrived-(sent-start), arrived)
}

// stream is a movement of bytes through a memory by a NIC.
type stream struct {
	context      int
	rate         sim.Rate
	open         bool // its end is not known yet
	began, ended cause
}

// stream makes the NIC move bytes through the memory of a rank for a while.
func (c *cluster) stream(r int32, s stream, begin, end sim.Time) {
	id := c.moving.add()
	s.context = c.sharers.context[r]
	*c.moving.at(id) = s
	c.schedule(begin, evStream, uint64(id))
	if !s.open {
		c.schedule(end, evStreamEnd, uint64(id))
	}
}

// loadMemories makes the NIC of a contended fabric begin to move a transfer through memory: now
// in the memory of the sending rank, and when the bytes arrive in the memory of the receiving rank.
func (c *cluster) loadMemories(from, to int32, t *carried, now sim.Time) {
	if !c.loads(t) {
		return
	}
	s := stream{rate: t.rate(), open: true}
	come := now + c.latency(from, to)
	s.began = c.causes.reaches(c, rankPair{from, to}, now, come)
	c.loadMemory(from, t, +1, now)
	c.stream(to, s, come, sim.Forever)
}

// loadMemory makes the NIC begin (+1) or stop (-1) moving a transfer through the memory of a rank.
func (c *cluster) loadMemory(r int32, t *carried, sign sim.Rate, now sim.Time) {
	if c.loads(t) {
		c.sharers.contexts.Stream(c.sharers.context[r], sign*t.rate(), now)
	}
}

// loads tells whether a transfer loads memories.
func (c *cluster) loads(t *carried) bool {
	return c.sharers.streams && t.startup+t.length > 0
}

// rate returns the rate at which the NIC moves a transfer.
func (t *carried) rate() sim.Rate { return sim.RateOf(t.bytes, t.startup+t.length) }

// streamed updates what a NIC moves through a memory when a stream begins (+1) or ends (-1).
func (c *cluster) streamed(id int32, sign sim.Rate, now sim.Time) {
	s := c.moving.at(id)
	by := &s.began
	if sign < 0 {
		by = &s.ended
	}
	if sign < 0 || s.open {
		c.moving.remove(id)
	}
	c.causes.streams(by, now)
	c.sharers.contexts.Stream(s.context, sign*s.rate, now)
}
