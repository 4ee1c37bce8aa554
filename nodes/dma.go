package nodes

import "overlapsim/sim"

// dma lets the transfer of a message load the memories at both its ends.
func (c *cluster) dma(from, to int32, bytes int64, start, sent, arrived sim.Time) {
	if c.sharers == nil || !c.sharers.streams || sent <= start || bytes == 0 {
		return
	}
	rate := max(1, int64(float64(bytes)/(sent-start).Seconds()))
	var by [4]cause
	if c.causes != nil {
		by = c.causes.moves(c, from, start, sent, arrived)
	}
	c.stream(from, stream{rate: rate, began: by[0], ended: by[1]}, start, sent)
	c.stream(to, stream{rate: rate, began: by[2], ended: by[3]}, arrived-(sent-start), arrived)
}

// stream is what a NIC moves in a memory.
type stream struct {
	context      int
	rate         int64 // bytes per second
	began, ended cause
}

// stream lets the NIC move bytes in the memory of a rank for a while.
func (c *cluster) stream(r int32, s stream, begin, end sim.Time) {
	id := c.moving.add()
	s.context = c.sharers.context[r]
	*c.moving.at(id) = s
	c.schedule(begin, evStream, uint64(id))
	c.schedule(end, evStreamEnd, uint64(id))
}

// moves tells that the NIC of a contended fabric begins (+1) or ends (-1) to move
// bytes in the memory of a rank, at the speed of the NIC.
func (c *cluster) moves(r int32, bytes int64, sign int64) {
	if s := c.sharers; s != nil && s.streams && bytes > 0 {
		rate := int64(1e12 / max(1, c.machine.Network.Transfer.Further()))
		s.contexts.Stream(s.context[r], sign*rate, c.kernel.Now())
	}
}

// streamed changes what a NIC moves: a stream begins (+1) or ends (-1).
func (c *cluster) streamed(id int32, sign int64, now sim.Time) {
	s := c.moving.at(id)
	by := &s.began
	if sign < 0 {
		by = &s.ended
		c.moving.remove(id)
	}
	if c.causes != nil {
		c.causes.now = c.causes.is(*by, now)
		*by = 0
	}
	c.sharers.contexts.Stream(s.context, sign*s.rate, now)
}
