package packet

import (
	"overlapsim/network"
	"overlapsim/sim"
)

// message is a transfer in flight.
type message struct {
	network.Transfer
	way
	paced   bool     // its NIC needs longer for its bytes than a link does
	start   sim.Time // if paced: when its first byte leaves
	next    int32    // in its queue, or in the pool
	packets int64
	waiting int64 // packets that are not yet in the injection FIFO
	unsent  int64 // packets that have not left that FIFO
	missing int64 // packets that have not arrived
}

// queue holds the messages that will leave by an injection FIFO, in order.
type queue struct {
	sending int32 // first message with packets that have not left, -1: none
	filling int32 // first message with packets that are not in the FIFO, -1: none
	last    int32
	fifo    int32
}

// Start implements network.Contended. A request is one control packet, and so is a message
// without bytes.
func (f *Fabric) Start(t network.Transfer) {
	packets := f.packetsOf(&t)
	f.enqueue(f.open(message{
		Transfer: t, way: f.way(t.From, t.To), start: f.kernel.Now(), paced: t.Length > f.onLink(&t),
		packets: packets, waiting: packets, unsent: packets, missing: packets,
	}))
}

// packetsOf returns how many packets a transfer takes.
func (f *Fabric) packetsOf(t *network.Transfer) int64 {
	if t.Kind == network.Request {
		return 1
	}
	payload := int64(f.params.PayloadBytes)
	return max(1, (t.Bytes-1)/payload+1)
}

// open records a message and returns its number.
func (f *Fabric) open(m message) int32 {
	n := f.messagePool
	if n < 0 {
		f.messages = append(f.messages, m)
		return int32(len(f.messages) - 1)
	}
	f.messagePool = f.messages[n].next
	f.messages[n] = m
	return n
}

// enqueue appends a message to the queue of its injection FIFO.
func (f *Fabric) enqueue(n int32) {
	m := &f.messages[n]
	m.next = -1
	qi := f.feed(m)
	q := &f.queues[qi]
	if q.sending < 0 {
		q.sending = n
	} else {
		f.messages[q.last].next = n
	}
	if q.filling < 0 {
		q.filling = n
	}
	q.last = n
	f.fill(qi)
}

// feed returns the queue of a message: the queue of the first port of its static route.
func (f *Fabric) feed(m *message) int {
	port := 0
	if m.steps != 0 {
		port = f.port(m.way)
	}
	first := int(f.place[m.From]) * f.feeds
	if m.Kind == network.Answer && f.params.AnswerFIFOs > 0 {
		return first + f.params.InjectionFIFOs + port%f.params.AnswerFIFOs
	}
	return first + port%f.params.InjectionFIFOs
}

// fill moves packets of a queue into its injection FIFO while there is room.
func (f *Fabric) fill(qi int) {
	q := &f.queues[qi]
	for q.filling >= 0 && int(f.fifos[q.fifo].count) < f.params.Slots {
		n := q.filling
		m := &f.messages[n]
		m.waiting--
		if m.waiting == 0 {
			q.filling = m.next
		}
		f.push(int(q.fifo), f.create(n))
	}
}

// create makes the next packet of a message. The last byte of the k-th of n packets leaves the
// NIC no earlier than k/n of the NIC's time for the message. All messages of a node share the
// NIC's rate, packet by packet, in the order in which there is room for their packets.
func (f *Fabric) create(n int32) int32 {
	pi := f.packetPool
	if pi < 0 {
		pi = int32(len(f.packets))
		f.packets = append(f.packets, packet{})
	} else {
		f.packetPool = f.packets[pi].next
	}
	m, now := &f.messages[n], f.kernel.Now()
	p := &f.packets[pi]
	*p = packet{
		way:      m.way,
		adaptive: m.Kind == network.Bytes && f.params.Put == Adaptive || m.Kind == network.Answer && f.params.Get == Adaptive,
		control:  m.Kind == network.Request || m.Bytes == 0,
		message:  n,
		ready:    now,
		born:     now,
	}
	k := m.packets - m.waiting
	if m.paced {
		p.ready = max(now, m.start+part(m.Length, k, m.packets)-f.length(p))
	}
	if t := f.inNIC(&m.Transfer); t > 0 {
		until := &f.nics[m.From]
		*until = max(*until, m.start) + part(t, k, m.packets) - part(t, k-1, m.packets)
		p.ready = max(p.ready, *until-f.length(p))
	}
	return pi
}

// part returns k/n of a time, rounded down.
func part(t sim.Time, k, n int64) sim.Time {
	return t/sim.Time(n)*sim.Time(k) + t%sim.Time(n)*sim.Time(k)/sim.Time(n)
}

// advance records that a packet has left an injection FIFO, and refills the FIFO. If it was the
// last packet of its message, advance returns that message, otherwise -1.
func (f *Fabric) advance(qi int) (sent int32) {
	q := &f.queues[qi]
	sent = q.sending
	m := &f.messages[sent]
	m.unsent--
	if m.unsent > 0 {
		sent = -1
	} else {
		q.sending = m.next
	}
	f.fill(qi)
	return sent
}

// report tells the sink that a message was sent, and counts a packet that has arrived. Either
// argument may be -1 for none.
func (f *Fabric) report(sent, arrived int32) {
	now := f.kernel.Now()
	if sent >= 0 {
		f.sink.Sent(f.messages[sent].ID, now, sim.Forever)
	}
	if arrived < 0 {
		return
	}
	n := f.packets[arrived].message
	f.packets[arrived].next = f.packetPool
	f.packetPool = arrived
	m := &f.messages[n]
	if m.missing--; m.missing > 0 {
		return
	}
	m.next = f.messagePool
	f.messagePool = n
	f.arrived(m.ID, m.Kind, now)
}

// arrived delivers a message whose last packet has arrived.
func (f *Fabric) arrived(id uint32, kind network.TransferKind, now sim.Time) {
	if latency := f.behind(kind); latency > 0 {
		f.kernel.Schedule(now+latency, f.me, deliver, uint64(id))
	} else {
		f.sink.Arrived(id, now)
	}
}

// behind is the latency after the last link.
func (f *Fabric) behind(kind network.TransferKind) sim.Time {
	if kind == network.Request {
		return f.params.Latency + f.params.AnswerLatency
	}
	return f.params.Latency
}
