package packet

// message is one direction of an operation.
type message struct {
	way
	kind     kind
	id       uint32
	from, to int32 // nodes
	next     int32 // in its queue, or in the pool
	bytes    int64 // of the operation
	waiting  int64 // packets that are not yet in the injection FIFO
	unsent   int64 // packets that have not left it
	missing  int64 // packets that have not arrived
}

type kind uint8

const (
	put   kind = iota
	ask        // the request of a get
	reply      // its answer
)

// queue is what is to leave by an injection FIFO: messages in order.
type queue struct {
	sending int32 // first with packets that have not left, -1: none
	filling int32 // first with packets that are not in the FIFO, -1: none
	last    int32
	fifo    int32
}

// Start puts bytes from the memory of a node into that of another.
func (f *Fabric) Start(id uint32, from, to int32, bytes int64) {
	f.enqueue(f.open(message{kind: put, id: id, from: from, to: to, bytes: bytes}))
}

// StartGet fetches bytes from the memory of node to into that of node from:
// from sends a request, the interface of to answers. Both messages of a get of
// no bytes are control packets: an acknowledgement of the puts before it.
func (f *Fabric) StartGet(id uint32, from, to int32, bytes int64) {
	f.enqueue(f.open(message{kind: ask, id: id, from: from, to: to, bytes: bytes}))
}

// open notes a message.
func (f *Fabric) open(m message) int32 {
	n := f.messagePool
	if n < 0 {
		n = int32(len(f.messages))
		f.messages = append(f.messages, message{})
	} else {
		f.messagePool = f.messages[n].next
	}
	f.address(&m)
	f.messages[n] = m
	return n
}

// address finds the way of a message and counts its packets.
func (f *Fabric) address(m *message) {
	m.way = f.way(m.from, m.to)
	packets, payload := int64(1), int64(f.params.PayloadBytes)
	if m.kind != ask {
		packets = max(1, (m.bytes-1)/payload+1)
	}
	m.waiting, m.unsent, m.missing = packets, packets, packets
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

// feed returns the queue of a message: that of the first port of its static
// route.
func (f *Fabric) feed(m *message) int {
	port := 0
	if m.steps != 0 {
		port = m.port()
	}
	first := int(m.from) * f.feeds
	if m.kind == reply && f.params.AnswerFIFOs > 0 {
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

// create returns a new packet of a message.
func (f *Fabric) create(n int32) int32 {
	pi := f.packetPool
	if pi < 0 {
		pi = int32(len(f.packets))
		f.packets = append(f.packets, packet{})
	} else {
		f.packetPool = f.packets[pi].next
	}
	m, now := &f.messages[n], f.kernel.Now()
	f.packets[pi] = packet{
		way:      m.way,
		adaptive: m.kind == put && f.params.Put == Adaptive || m.kind == reply && f.params.Get == Adaptive,
		control:  m.kind == ask || m.bytes == 0,
		message:  n,
		ready:    now,
		born:     now,
	}
	return pi
}

// advance notes that a packet has left an injection FIFO and fills it up. It
// returns the message if that was its last packet, else -1.
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

// report tells the sink of a message that was sent and counts a packet that
// has arrived, if there are any.
func (f *Fabric) report(sent, arrived int32) {
	now := f.kernel.Now()
	if sent >= 0 && f.messages[sent].kind != reply {
		f.sink.Sent(f.messages[sent].id, now)
	}
	if arrived < 0 {
		return
	}
	n := f.packets[arrived].message
	f.packets[arrived].next = f.packetPool
	f.packetPool = arrived
	m := &f.messages[n]
	m.missing--
	switch {
	case m.missing > 0:
	case m.kind == ask:
		m.kind, m.from, m.to = reply, m.to, m.from
		f.address(m)
		f.kernel.Schedule(now+f.params.AnswerLatency, f.me, answer, uint64(n))
	default:
		m.next = f.messagePool
		f.messagePool = n
		f.sink.Arrived(m.id, now)
	}
}
