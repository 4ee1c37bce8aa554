package nodes

import (
	"fmt"

	"overlapsim/network"
	"overlapsim/network/calibrated"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// least is the least that a rank must do, with any library and any fabric.
type least struct {
	clock  sim.Time // the rank cannot get to this place in the program earlier
	work   sim.Time // of its CPU
	copied sim.Time // copies of bytes on their way, by any CPU
	wild   bool     // it has posted a wildcard receive: from then on chance decides who sent what
	chosen bool     // it has continued with what came first: from then on chance decides what it does
	since  sim.Time // its work since it chose
}

// service is the least that a NIC must do.
type service struct {
	out, in sim.Time // time for bytes that leave, and for bytes that come in
	posts   int64    // descriptors of posts
	ofJobs  int64    // descriptors of messages that jobs send
	starts  sim.Time // startups of what leaves
}

// works books work of the processor.
func (l *least) works(t sim.Time) {
	l.work += t
	if l.chosen {
		l.since += t
	} else {
		l.clock += t
	}
}

// waits keeps the rank from continuing before a time.
func (l *least) waits(until sim.Time) {
	if !l.chosen {
		l.clock = max(l.clock, until)
	}
}

// earliestEnd returns the earliest time at which the rank can end.
func (l *least) earliestEnd() sim.Time { return l.clock + l.since }

// leastPost books the post of a message that leaves the node.
func (c *cluster) leastPost(r int32, op *programs.Op, id int32, m *message) {
	l := &c.ranks[r].least
	price := &c.charge.prices[parts.SendOverhead]
	o := price.of(op.Amount)
	switch op.Kind {
	case programs.OpGet:
		o = price.none
	case programs.OpSend: // the library decides between o(s) and o(0)
		o = min(o, price.none)
	}
	p, ready := &c.machine.Network, o
	switch {
	case c.machine.Copying != nil:
	case p.Early:
		ready = p.Gap
	default:
		ready = max(o, p.Gap)
	}
	if op.Kind == programs.OpGet { // its request travels first
		ready += c.shortened(id, c.length(0)) + p.Latency
	}
	m.there = c.leastWay(id, m, l.clock+ready)
	if l.chosen { // another message may come in its place
		m.there = l.clock
	}
	l.works(o)
}

// leastWay books the way of a message that leaves the node, and returns the earliest time at which it
// can arrive if it is ready at a time.
func (c *cluster) leastWay(id int32, m *message, ready sim.Time) sim.Time {
	p, out := &c.machine.Network, c.leastOut(id, m)
	c.serve(m, out, +1)
	if p.Channels > 1 && c.streams(m) { // the pieces may leave over different channels
		out /= sim.Time(p.Channels)
	}
	return ready + out + p.Latency
}

// serve adds a message to the least that its NICs must do (+1), or takes it out (-1).
func (c *cluster) serve(m *message, out sim.Time, sign sim.Time) {
	if sign > 0 && !c.region.has(m.from) { // such a get has ended the run in regions
		return
	}
	if nic := &c.services[c.place.nic[m.poster()]]; m.byJob {
		nic.ofJobs += int64(sign)
	} else {
		nic.posts += int64(sign)
	}
	from, share := &c.services[c.place.nic[m.from]], c.leastShare(m, out)
	from.out += sign * share
	if !c.atOnce.inTurns {
		from.starts += sign * min(share, c.machine.Network.Startup)
	}
	if m.protocol >= eager && (sign < 0 || !c.region.crosses(m)) { // another region adds it to its own NIC
		c.services[c.place.nic[m.to]].in += sign * c.leastIntake(m, out)
	}
}

// leastShare returns the least that a message takes of what its NIC does. Where a NIC serves messages in turns,
// they share its rate, and the rest of their times passes side by side.
func (c *cluster) leastShare(m *message, out sim.Time) sim.Time {
	if !c.atOnce.inTurns {
		return out
	}
	return c.leastAt(c.atOnce.injection, m, out)
}

// leastIntake is leastShare of the NIC that takes a message in.
func (c *cluster) leastIntake(m *message, out sim.Time) sim.Time {
	switch {
	case c.atOnce.lanes > 0:
		return out
	}
	return c.leastAt(c.atOnce.ejection, m, out)
}

// leastAt returns the least time of a message where messages share a rate.
func (c *cluster) leastAt(rate sim.Rate, m *message, out sim.Time) sim.Time {
	if rate == 0 { // no limit
		return 0
	}
	bytes := rate.Time(c.stripe(m.bytes))
	return min(out, max(0, bytes-sim.Time(c.pieces(m)))) // each piece is rounded, and so is what they share
}

// leastCopy books the copy of a message to the rank itself or within its node.
func (c *cluster) leastCopy(l *least, m *message, cost sim.Time) {
	l.works(cost)
	m.there = l.clock + c.insideLatency(m)
}

// leastOut returns the least time for which a message occupies the NIC of its sender.
func (c *cluster) leastOut(id int32, m *message) sim.Time {
	if m.protocol == rendezvous && m.way == machines.Copy {
		return 0
	}
	out := c.length(m.bytes)
	if c.streams(m) {
		if c.calibration.of(id) < 1 {
			return 0
		}
		out = min(out, c.leastPieces(m))
	}
	return c.shortened(id, out)
}

// shortened returns how long bytes occupy the NIC, given their time without calibration. It is
// less than that time if a calibrated factor is below 1.
func (c *cluster) shortened(id int32, alone sim.Time) sim.Time {
	factor := c.calibration.of(id)
	if factor >= 1 {
		return alone
	}
	return max(0, alone+calibrated.Added(factor, alone+c.machine.Network.Latency))
}

// leastPieces returns the least time for which a message in pieces occupies the NIC of its sender.
func (c *cluster) leastPieces(m *message) sim.Time {
	p := &c.machine.Network
	return p.Startup + p.Transfer.InPieces(c.stripe(m.bytes), c.pieces(m), c.stripe(c.largestPiece(m)))
}

// pieces returns the largest number of pieces into which this library cuts a message.
func (c *cluster) pieces(m *message) int64 {
	if !c.streams(m) {
		return 1
	}
	return 2 + m.bytes/c.cut(m)
}

// largestPiece returns the size of the largest piece into which this library cuts a message.
func (c *cluster) largestPiece(m *message) int64 { return max(c.cut(m), c.first(m)) }

// leastWait books a rank's wait for a message.
func (c *cluster) leastWait(r, id int32) {
	l, m := &c.ranks[r].least, c.messages.at(id)
	received := c.leastEnd(r, m)
	switch {
	case received && l.wild, !received && m.protocol >= eager:
	case received, m.protocol == got, m.protocol == combined, c.place.inside(m.from, m.to):
		l.waits(m.there)
	default:
		l.waits(m.there + c.machine.Network.Latency)
	}
}

// leastEnd books that a message is over for a rank, and tells whether the rank has received it.
func (c *cluster) leastEnd(r int32, m *message) (received bool) {
	received = m.to == r && m.protocol >= signalled
	m.seen = m.seen || received || m.protocol < eager
	if received && m.protocol == rendezvous && m.way == machines.Copy {
		c.ranks[r].least.copied += c.charge.cost(c.targetCopy(m), m.bytes)
	}
	if cp := c.machine.Copying; cp != nil && (received || m.protocol <= got) && !c.place.inside(m.from, m.to) {
		c.ranks[m.to].least.copied += network.PerByte(cp.ReceivePerByte).InPieces(m.bytes, c.pieces(m), m.bytes)
		c.ranks[m.from].least.copied += network.PerByte(cp.SendPerByte).InPieces(m.bytes, c.pieces(m), m.bytes)
	}
	return received
}

// leastInRound books that a message whose end a round of a schedule needs is over. If the program
// of its receiver has ended, the message may arrive after the end of the run.
func (c *cluster) leastInRound(s *schedule, id int32, m *message) {
	k := &c.ranks[s.rank]
	switch {
	case !k.over():
		if c.leastEnd(s.rank, m) && !k.least.wild {
			s.there = max(s.there, m.there)
		}
	case m.to == s.rank && !m.seen && !c.place.inside(m.from, m.to):
		c.serve(m, c.leastOut(id, m), -1)
		m.seen = true
	}
}

// leastMeet books a barrier of two threads.
func leastMeet(cost sim.Time, a, b *least) {
	both := max(a.clock, b.clock) + cost
	a.waits(both)
	b.waits(both)
}

// leastBarrier books a barrier of all ranks.
func (c *cluster) leastBarrier(cost sim.Time) {
	var last sim.Time
	for r := range c.ranks {
		last = max(last, c.ranks[r].least.clock)
	}
	for r := range c.ranks {
		c.ranks[r].least.waits(last + cost)
	}
}

// receives notes that a rank posts a receive.
func (l *least) receives(op *programs.Op) {
	l.wild = l.wild || op.Peer == programs.AnySource || op.Tag == programs.AnyTag
}

// bound returns the bound of the run. A run that is faster than its bound is an error.
func (c *cluster) bound(r *results.Result) (b results.Bound, err error) {
	c.forget()
	for i := range c.ranks {
		l := &c.ranks[i].least
		if l.earliestEnd() > r.Finish[i] {
			err = fmt.Errorf("bug: rank %d ended at %v, before %v, when it can end at the earliest", i, r.Finish[i], l.earliestEnd())
		}
		b.Work, b.Chain = max(b.Work, l.work, l.copied), max(b.Chain, l.earliestEnd())
	}
	for i := range c.services {
		messages, bytes := c.leastService(&c.services[i])
		b.Messages, b.Bytes = max(b.Messages, messages), max(b.Bytes, bytes)
	}
	if end := r.Makespan(); b.Time() > end {
		err = fmt.Errorf("bug: the run ended at %v, which is before its bound: %+v", end, b)
	}
	return b, err
}

// leastService returns the least time for which a NIC is busy, because of the number of its messages and of their bytes with the startup of
// each. Without RDMA, descriptors and incoming bytes set no limit. On a calibrated fabric, incoming bytes set none.
func (c *cluster) leastService(s *service) (messages, bytes sim.Time) {
	channels, lanes := sim.Time(max(1, c.machine.Network.Channels)), sim.Time(max(1, c.atOnce.lanes))
	messages, bytes = s.starts/channels, s.out/channels
	if c.machine.Copying != nil {
		return messages, bytes
	}
	messages = max(messages, sim.Time(s.posts+max(0, s.ofJobs-1))*c.machine.Network.Gap) // the first one of a job may pay nothing
	if !c.place.own {
		bytes = max(bytes, s.in/lanes)
	}
	return messages, bytes
}

// forget takes messages that no rank has waited for out of the bound, because they may arrive
// after the end.
func (c *cluster) forget() {
	for id := range c.messages.all() {
		if m := c.messages.at(id); !m.seen && !c.place.inside(m.from, m.to) {
			c.serve(m, c.leastOut(id, m), -1)
		}
	}
}
