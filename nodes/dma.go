package nodes

import "overlapsim/sim"

// dma lets the transfer of a message load the memories at both its ends.
func (c *cluster) dma(from, to int32, bytes int64, start, sent, arrived sim.Time) {
	if c.sharers == nil || !c.sharers.streams || sent <= start || bytes == 0 {
		return
	}
	rate := max(1, int64(float64(bytes)/(sent-start).Seconds()/megabyte))
	c.stream(from, rate, start, sent)
	c.stream(to, rate, arrived-(sent-start), arrived)
}

// stream lets the NIC move so many MB/s in the memory of a rank for a while.
func (c *cluster) stream(r int32, rate int64, begin, end sim.Time) {
	arg := uint64(c.sharers.context[r]) | uint64(rate)<<32
	c.schedule(begin, evStream, arg)
	c.schedule(end, evStreamEnd, arg)
}

// moves tells that the NIC of a contended fabric begins (+1) or ends (-1) to move
// bytes in the memory of a rank, at the speed of the NIC.
func (c *cluster) moves(r int32, bytes int64, sign int64) {
	if s := c.sharers; s != nil && s.streams && bytes > 0 {
		cost := c.machine.Network.Transfer
		rate := int64(1e12 / max(1, cost[len(cost)-1].PerByte))
		s.contexts.Stream(s.context[r], sign*rate, c.kernel.Now())
	}
}

// streamed changes what a NIC moves.
func (c *cluster) streamed(arg uint64, sign int64, now sim.Time) {
	c.sharers.contexts.Stream(int(uint32(arg)), sign*int64(arg>>32)*megabyte, now)
}
