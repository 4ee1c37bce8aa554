package network

import (
	"math"

	"overlapsim/sim"
)

// NIC is the pipeline of one interface. It serves the processes of its node in the order in which
// they post. Its stages are first-in first-out servers. Therefore the times of a message are known when
// it is posted, and a message costs no event.
//
// Calls must come in the order of simulated time.
type NIC struct {
	gap        sim.Time
	early      bool
	insertions ring       // ends of the last QueueDepth insertions
	insertEnd  sim.Time   // end of the last insertion
	sendEnd    sim.Time   // end of the last transfer
	receiveEnd sim.Time   // end of the last message taken in
	worked     ring       // when the NIC finished its work on the last received messages, one entry per lane
	queue      []transfer // booked transfers that have not ended, starting at head
	head       int
	last       map[pair]sim.Time // when the last transfer from one process to another one ends; nil: no message has asked
	served     sim.Time          // transfer time of all ended transfers
	booked     sim.Time          // transfer time of all booked transfers
	processes  []process
}

// process is what the NIC keeps of one of its processes.
type process struct {
	sent           ring // ends of its last transfers
	served, booked sim.Time
}

type transfer struct {
	start, end  sim.Time
	process, to int32
}

// pair is a process of the NIC, and one to which it sends.
type pair struct{ process, to int32 }

// Served is an amount of transfer time of a NIC: of one process, and of all.
type Served struct{ Own, All sim.Time }

// PrepareNICs makes NICs idle, given the number of processes of each. A process may have this
// number of outstanding messages, inserted and not sent (0: no limit).
func PrepareNICs(nics []NIC, p *LogGOPS, processes []int32, outstanding int) {
	total := 0
	for _, n := range processes {
		total += int(n)
	}
	all := make([]process, total)
	for i := range all {
		all[i].sent = newRing(outstanding)
	}
	for i, n := range processes {
		nics[i] = NIC{gap: p.Gap, early: p.Early, insertEnd: -p.Gap, insertions: newRing(p.QueueDepth), worked: newRing(1), processes: all[:n]}
		all = all[n:]
	}
}

// TakeIn makes an idle NIC take in as many messages at once as there are lanes; 0: any number.
func (n *NIC) TakeIn(lanes int) { n.worked = newRing(lanes) }

// Room returns the earliest time at which the process may post again: when fewer of its messages
// than the limit are inserted and not sent.
func (n *NIC) Room(process int) sim.Time { return n.processes[process].sent.oldest() }

// Insert books the insertion of a descriptor that the CPU wants to write now and for which it
// needs overhead. The CPU starts at accepted, when the queue has a free slot. The NIC works at
// the same time, so that on an idle NIC the message is ready max(o, g) later (Nishtala, eq. 4),
// or g later, if messages leave early.
// Processes get their slots in the order in which they ask.
func (n *NIC) Insert(now, overhead sim.Time) (accepted, begin, ready sim.Time) {
	accepted = max(now, n.insertions.oldest())
	begin = max(accepted, n.insertEnd)
	n.insertEnd = begin + n.gap
	if ready = n.insertEnd; !n.early {
		ready = max(ready, accepted+overhead)
	}
	n.insertions.push(n.insertEnd)
	return accepted, begin, ready
}

// InsertAfter books the descriptor of a message that is handed over now without waiting for a slot. The message is
// ready g after the last insertion ended, or at once if that has passed.
func (n *NIC) InsertAfter(now sim.Time) (begin, ready sim.Time) {
	ready = max(now, n.insertEnd+n.gap)
	begin = min(max(now, n.insertEnd), ready)
	n.insertEnd = ready
	n.insertions.push(ready)
	return begin, ready
}

// Send books, at now, a transfer of a process to another one, which will be ready at the given time and takes the given length. Without
// another one (negative) no message without bytes waits for it, nor it for one.
func (n *NIC) Send(now, ready sim.Time, process int, to int32, length sim.Time) (start, end sim.Time, through Served) {
	between := pair{int32(process), to}
	start = max(ready, n.sendEnd)
	ordered := n.last != nil && to >= 0
	if ordered {
		start = max(start, n.last[between])
	}
	end = start + length
	if ordered {
		n.last[between] = end
	}
	n.sendEnd = end
	p := &n.processes[process]
	p.sent.push(end)
	p.booked += length
	n.booked += length
	n.push(now, transfer{start, end, int32(process), to})
	return start, end, Served{p.booked, n.booked}
}

// Pass books a message without bytes. It waits only for what its process sends to the same one, and only that waits for it: NICs serve
// their queue pairs in turns.
func (n *NIC) Pass(ready sim.Time, process int, to int32, length sim.Time) (start, end sim.Time) {
	if n.last == nil {
		n.last = map[pair]sim.Time{}
		for _, t := range n.queue[n.head:] {
			if t.to >= 0 {
				n.last[pair{t.process, t.to}] = t.end
			}
		}
	}
	between := pair{int32(process), to}
	start = max(ready, n.last[between])
	end = start + length
	n.last[between] = end
	return start, end
}

// Receive takes in a message, and returns when the message is in memory. The first byte came at
// first and the last one now, and the NIC works on the message for length. The NIC takes bytes in
// as they come, at most one message per lane at a time. After that the message needs the time
// delivery, in which the NIC works on others. Messages get into memory in the order in which they
// came.
func (n *NIC) Receive(first, now, length, delivery sim.Time) sim.Time {
	worked := max(n.worked.oldest(), first) + length
	n.worked.push(worked)
	n.receiveEnd = max(n.receiveEnd, max(now, worked)+delivery)
	return n.receiveEnd
}

// Served returns the transfer time of the NIC until now, for a process and in total. Calls must
// not go back in time.
func (n *NIC) Served(now sim.Time, process int) Served {
	for n.head < len(n.queue) && n.queue[n.head].end <= now {
		t := &n.queue[n.head]
		n.processes[t.process].served += t.end - t.start
		n.served += t.end - t.start
		n.head++
	}
	s := Served{n.processes[process].served, n.served}
	if n.head < len(n.queue) {
		if t := &n.queue[n.head]; t.start < now {
			s.All += now - t.start
			if int(t.process) == process {
				s.Own += now - t.start
			}
		}
	}
	return s
}

// push appends a transfer. When ended transfers fill half of the queue, their room is used again.
func (n *NIC) push(now sim.Time, t transfer) {
	if len(n.queue) == cap(n.queue) {
		n.Served(now, 0)
		if n.head > len(n.queue)/2 {
			n.queue = n.queue[:copy(n.queue, n.queue[n.head:])]
			n.head = 0
		}
	}
	n.queue = append(n.queue, t)
}

// ring remembers the last most times that were pushed. If that is 0, it sets no limit. It grows
// with what is pushed, because many NICs never send as much as they may.
type ring struct {
	times []sim.Time
	most  int32
	next  int32
}

func newRing(n int) ring { return ring{most: int32(min(n, math.MaxInt32))} }

// oldest returns the time that was pushed most pushes ago; 0 if there were fewer pushes.
func (r *ring) oldest() sim.Time {
	if len(r.times) < int(r.most) || r.most == 0 {
		return 0
	}
	return r.times[r.next]
}

func (r *ring) push(t sim.Time) {
	switch {
	case r.most == 0:
		return
	case len(r.times) < int(r.most):
		r.times = append(r.times, t)
		return
	}
	r.times[r.next] = t
	if r.next++; int(r.next) == len(r.times) {
		r.next = 0
	}
}
