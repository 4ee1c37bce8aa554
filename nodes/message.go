package nodes

import (
	"overlapsim/network"
	"overlapsim/sim"
)

// protocol is how a message comes to its target.
type protocol uint8

const (
	oneSided   protocol = iota // into memory, nobody asks the target
	eager                      // sent at once, matched when it arrives
	rendezvous                 // a request is sent and matched; then the target reads the bytes (RDMA)
)

// message is one message, from its post until nobody waits for it any more.
// Times that are not known yet are sim.Forever.
type message struct {
	from, to  int32
	tag       int32
	protocol  protocol
	holders   uint8 // ranks that hold a request for it
	record    int32 // index in the timeline, -1: none
	bytes     int64
	transit   transit
	posted    sim.Time       // the sender's CPU began
	asked     sim.Time       // rendezvous: the request was at the target
	matched   sim.Time       // rendezvous: the receive was there as well
	read      sim.Time       // rendezvous: the target asked for the bytes
	start     sim.Time       // first byte left
	sent      sim.Time       // last byte has left
	arrived   sim.Time       // last byte is at the target's NIC
	delivered sim.Time       // last byte is in the target's memory
	completed sim.Time       // the sender knows
	through   network.Served // of the sender's NIC when sent
}

// transit counts the bytes of a message that still have a stage before them,
// where the stages happen chunk by chunk.
type transit struct{ uncopied, unsent, undelivered int64 }

// A request slot of a rank holds a message + 1, or one of these.
const (
	noRequest      int32 = 0
	pendingReceive int32 = -1 // posted, no message yet
)

// newMessage books a message for the operation of a rank.
func (c *cluster) newMessage(r int32, op *Op, p protocol, now sim.Time) int32 {
	c.sent++
	c.bytes += op.Amount
	id := int32(len(c.messages))
	if n := len(c.free); n > 0 {
		id = c.free[n-1]
		c.free = c.free[:n-1]
	} else {
		c.messages = append(c.messages, message{})
	}
	c.messages[id] = message{
		from: r, to: op.Peer, tag: op.Tag, protocol: p, record: -1, bytes: op.Amount,
		transit: transit{op.Amount, op.Amount, op.Amount}, posted: now, asked: now, matched: now, read: now, start: now,
		sent: sim.Forever, arrived: sim.Forever, delivered: sim.Forever, completed: sim.Forever,
	}
	return id
}

// hold gives a rank's request to a message.
func (c *cluster) hold(r, request, id int32) {
	c.ranks[r].request(request, id+1)
	c.messages[id].holders++
}

// request sets a free slot of the rank; the index is the program's, from -1 for
// blocking operations.
func (k *rank) request(index, value int32) {
	index++
	for int(index) >= len(k.requests) {
		k.requests = append(k.requests, noRequest)
	}
	if k.requests[index] > 0 && value > 0 || k.requests[index] < 0 && value < 0 {
		panic("request used again before it was waited for")
	}
	k.requests[index] = value
}

// drop ends one hold on a message; the last one frees it.
func (c *cluster) drop(id int32) {
	m := &c.messages[id]
	if m.holders--; m.holders == 0 {
		c.free = append(c.free, id)
	}
}
