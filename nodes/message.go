package nodes

import (
	"fmt"
	"iter"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
)

// protocol is how a message gets to its target.
type protocol uint8

const (
	oneSided   protocol = iota // into memory, without asking the target
	got                        // a request is sent; the target's NIC answers it
	combined                   // to the switches, which send the result
	signalled                  // into memory, then matched
	eager                      // sent at once, matched when it arrives
	rendezvous                 // a request is sent and matched; then the target reads the bytes (RDMA)
)

// leg is one of the trips of a message.
type leg uint8

const (
	load    leg = iota // carries the bytes
	request            // asks for a receive, or for the bytes of a get
	reply              // to the request of a rendezvous
	finish             // says that the bytes have been read, written, or copied
)

// message is one message, from its post until all ranks that wait for it have done so. Times that
// are not known yet are sim.Forever.
type message struct {
	from, to int32 // of the bytes
	tag      int32
	record   int32 // index in the timeline, -1: none
	staging  int32 // index in stagings, -1: none
	protocol protocol
	holders  uint8             // ranks that hold a request for it, or will
	way      machines.Protocol // of a rendezvous; for an eager message, whether it is inPlace
	strided  bool
	tells    bool // pipelined: its sender waits for the finish of the target
	seen     bool // a rank has waited until it was at its destination
	byJob    bool // a job posted it
	lay      bool // eager: it came while its target, whose own CPU takes it in, computed, or in the first look of a Wait
	bytes    int64
	posted   sim.Time // when the sender's CPU began
	paid     sim.Time // when the overhead was paid; for a message that leaves early, when it began
	passage
	arrived   sim.Time // last byte is at the target's NIC
	delivered sim.Time // last byte is in the target's memory
	completed sim.Time // when the sender knows of it
	there     sim.Time // for the bound: the earliest time at which it can have arrived
}

// staging is the additional state of a message that does not go straight into memory: one sent by
// rendezvous, or in chunks without RDMA.
type staging struct {
	uncopied, unsent, undelivered int64            // bytes that have not been through that stage
	untaken                       int64            // bytes that the target's CPU has not begun to copy
	stages                        [numStages]int32 // chunks, or fragments, in each stage

	heard  sim.Time // the request of a rendezvous: when it can be answered
	wanted sim.Time // once it has matched: when the program of its target posted the receive; a job: 0

	marks  []mark // what the message did
	stays  []stay // of its legs in NICs
	ended  int    // how many marks have ended
	finish trip   // of a write, until its bytes have arrived

	flying []sim.Time // when each of the chunks left that are on their way through a contended fabric
}

// A request slot of a rank holds the id of a message + 1, or one of these, or less than these: a
// schedule (scheduleSlot).
const (
	noRequest      int32 = 0
	pendingReceive int32 = -1 // posted, no message yet
)

// newMessage books a message for the operation of a rank.
func (c *cluster) newMessage(r int32, op *programs.Op, p protocol, now sim.Time) int32 {
	c.count(r, op.Amount)
	id := c.messages.add()
	m := c.messages.at(id)
	from, to, holders := r, op.Peer, uint8(0)
	if p == got {
		from, to = to, from
	}
	if p >= signalled { // the receiver will hold it
		holders = 1
	}
	*m = message{
		from: from, to: to, tag: op.Tag, record: -1, staging: -1, protocol: p, holders: holders, bytes: op.Amount, posted: now,
		passage: passage{start: now, begun: now, sent: sim.Forever},
		arrived: sim.Forever, delivered: sim.Forever, completed: sim.Forever,
	}
	if p == rendezvous || p == got || c.machine.Copying != nil || c.machine.Runtime != nil {
		m.staging = c.stagings.add()
		d := c.stagings.at(m.staging)
		*d = staging{
			uncopied: m.bytes, unsent: m.bytes, untaken: m.bytes, undelivered: m.bytes, marks: d.marks[:0], stays: d.stays[:0],
			flying: d.flying[:0],
			finish: trip{sim.Forever, sim.Forever, sim.Forever},
		}
	}
	if c.machine.Runtime != nil {
		c.choose(m, op)
	}
	c.uses.Message(c.usesOf(m))
	c.calibrate(id, r, op.Peer)
	if p == combined {
		c.combines(id, r, op)
	}
	return id
}

// choose sets how the library treats a message (rules 14, 15 and 21).
func (c *cluster) choose(m *message, op *programs.Op) {
	local := c.place.inside(m.from, m.to)
	m.strided = op.Strided && !local
	switch m.protocol {
	case eager:
		limit := c.machine.Runtime.CopyLimit
		if limit > 0 && m.bytes > limit && !local {
			m.way = inPlace
		} else {
			m.completed = m.posted
		}
	case rendezvous:
		m.way = c.machine.Runtime.Rendezvous
		switch {
		case local:
			m.way = machines.Copy
		case m.way == machines.Copy && c.instant: // a NIC reads
			m.way = machines.Read
		}
		if m.strided || c.machine.Copying != nil && !local {
			m.way = machines.Pipelined
		}
		d := c.stagings.at(m.staging)
		rest := m.bytes - c.first(m)
		d.uncopied, d.unsent, d.untaken, d.undelivered = rest, rest, rest, rest
		if rest == 0 {
			m.completed = m.posted
		}
		m.tells = rest > 0 && c.machine.Copying == nil && m.way == machines.Pipelined && c.pipeline(m).Acknowledged
	}
}

// answers tells whether a leg is bytes that the NIC sends because they are read.
func (m *message) answers(l leg) bool { return m.kind(l) == network.Answer }

// inPlace marks an eager message whose sender waits until it has left.
const inPlace = machines.Copy + 1

func (m *message) inPlace() bool { return m.protocol == eager && m.way == inPlace }

// held tells whether the sender of a message waits for it.
func (m *message) held() bool { return m.protocol != eager || m.inPlace() }

// acknowledged tells whether the sender of a message learns of its delivery one latency later.
func (m *message) acknowledged() bool {
	return m.protocol == oneSided || m.protocol == signalled || m.protocol == rendezvous && m.way == machines.Write
}

// other is the rank at the other end of a message.
func (m *message) other(r int32) int32 { return m.from + m.to - r }

// poster is the rank that posted a message.
func (m *message) poster() int32 {
	if m.protocol == got {
		return m.to
	}
	return m.from
}

// endpoints returns the ranks between which a leg of a message goes.
func (m *message) endpoints(l leg) (from, to int32) {
	back := l == reply || l == request && m.protocol == got || l == finish && m.way != machines.Write
	if back {
		return m.to, m.from
	}
	return m.from, m.to
}

// hold gives a message to a rank's request.
func (c *cluster) hold(r, request, id int32) {
	c.request(r, request, id+1)
	c.messages.at(id).holders++
	c.claim(r, request, id)
}

// request sets a request slot of a rank. The index is the program's; blocking operations use -1.
// The slot of a receive is set twice: when it is posted and when it is matched.
func (c *cluster) request(r, index, value int32) {
	k := &c.ranks[r]
	for int(index)+1 >= len(k.requests) {
		k.requests = append(k.requests, noRequest)
	}
	slot := &k.requests[index+1]
	if *slot > 0 || *slot < pendingReceive || *slot == pendingReceive && value == pendingReceive {
		c.fail(fmt.Errorf("rank %d uses request %d again before it has waited for it", r, index))
	}
	*slot = value
}

// drop releases one hold on a message. The last one frees the message.
func (c *cluster) drop(id int32) {
	m := c.messages.at(id)
	if m.holders > 1 {
		m.holders--
		return
	}
	if m.staging >= 0 {
		c.stagings.remove(m.staging)
	}
	c.messages.remove(id)
}

// all returns the numbers in use in the slab, in ascending order.
func (s *slab[T]) all() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		gone := make([]bool, s.n)
		for _, id := range s.free {
			gone[id] = true
		}
		for id := range s.n {
			if !left(id) && !gone[id] && !yield(id) {
				return
			}
		}
	}
}

// slab holds things by number, in blocks that never move. Most runs are small, so the first block
// is short. The numbers for which it has no room are never used.
type slab[T any] struct {
	blocks [][]T
	n      int32 // the next number
	free   []int32
}

const (
	blockLen = 1024
	firstLen = 32
)

// left tells whether a number is never used.
func left(id int32) bool { return id >= firstLen && id < blockLen }

func (s *slab[T]) at(id int32) *T { return &s.blocks[uint32(id)/blockLen][uint32(id)%blockLen] }

func (s *slab[T]) add() int32 {
	if n := len(s.free); n > 0 {
		id := s.free[n-1]
		s.free = s.free[:n-1]
		return id
	}
	switch {
	case s.n == 0:
		s.blocks = append(s.blocks, make([]T, firstLen))
	case s.n == firstLen:
		s.n = blockLen
		fallthrough
	case s.n%blockLen == 0:
		s.blocks = append(s.blocks, make([]T, blockLen))
	}
	s.n++
	return s.n - 1
}

func (s *slab[T]) remove(id int32) { s.free = append(s.free, id) }
