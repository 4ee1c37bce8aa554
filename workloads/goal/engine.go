package goal

import (
	"fmt"
	"slices"

	"overlapsim/nodes/match"
	"overlapsim/sim"
)

// Events of the kernel. The bits of the kind above kindBits hold a rank. The argument
// holds an operation and, above it, the running number.
const (
	evStart   = iota // a calc or send may start
	evPost           // a receive is posted
	evArrive         // a message, or its request to send, reaches its rank; rank: its sender
	evClear          // the clearance to send reaches the sender
	evData           // the data behind a handshake reaches its rank
	evDeliver        // the NIC has the bytes of a message in memory
	kindBits  = 3
)

// Kinds of lanes.
const (
	laneCompute uint8 = iota // calcs and requests to send: CPU
	laneSend                 // eager sends: CPU and send side of the NIC
	laneReceive              // receptions: CPU and receive side
	laneData                 // data behind a handshake: send side
	laneDeposit              // receptions by the NIC: receive side
	laneDeliver              // their overhead: CPU
	laneKinds
)

// engine runs one schedule.
//
// An operation gets a running number and an event when it is released, for the earliest
// time at which it may start. A message gets them when it is sent. Therefore the kernel delivers
// events of equal time in order of their numbers. An element that finds its resources
// busy joins a lane and keeps its number; the agenda holds the first element of each
// lane. Events and lanes are served together, in order of (time, number).
type engine struct {
	s      *Schedule
	ops    []Op
	p      Params
	kernel *sim.Kernel
	self   sim.HandlerID

	ready    []sim.Time // of each operation, the latest end of its requirements so far; see also matched
	waits    waits      // its open dependencies
	clocks   []sim.Time // when each resource is free; see cpu
	stride   int        // clocks of one host
	lanes    *lanes
	agenda   agenda
	matching *match.Matching[uint32]
	released []uint32   // operations, within one event
	ends     []sim.Time // of sends behind handshakes, by rank; nil: there are none
	hiding   hiding

	last     lastSize
	seq      uint32
	open     int // operations that have not ended
	messages uint64
	err      error
}

func newEngine(s *Schedule, p Params) *engine {
	e := &engine{
		s: s, ops: s.ops, p: p,
		kernel:   sim.NewKernel(),
		ready:    large[sim.Time](len(s.Ops())),
		waits:    waitsOf(s),
		stride:   s.cpus + 2*s.nics,
		lanes:    newLanes(s, int(laneKinds)),
		matching: match.NewMatching[uint32](s.Ranks()),
		hiding:   newHiding(s),
		open:     len(s.Ops()),
	}
	e.clocks = make([]sim.Time, s.Ranks()*e.stride)
	e.self = e.kernel.Register(e)
	return e
}

// The clocks of a host: its CPUs, then send and receive side of each NIC.

func (e *engine) cpu(host uint32, cpu uint8) *sim.Time {
	return &e.clocks[int(host)*e.stride+int(cpu)]
}

func (e *engine) sendSide(host uint32, nic uint8) *sim.Time {
	return &e.clocks[int(host)*e.stride+e.s.cpus+2*int(nic)]
}

func (e *engine) receiveSide(host uint32, nic uint8) *sim.Time {
	return &e.clocks[int(host)*e.stride+e.s.cpus+2*int(nic)+1]
}

// perByte is Params.perByte.
func (e *engine) perByte(size uint64) (kO, kG sim.Time) { return e.last.perByte(&e.p, size) }

// schedule gives an event the next running number.
func (e *engine) schedule(at sim.Time, kind, rank, op uint32) {
	e.kernel.Schedule(at, e.self, kind|rank<<kindBits, uint64(e.seq)<<32|uint64(op))
	e.seq++
}

// run serves events and lanes until there are none.
func (e *engine) run() {
	e.begin()
	for e.err == nil {
		if len(e.agenda) > 0 {
			turn := &e.agenda[0]
			if next, some := e.kernel.Peek(); !some || turn.at < uint64(next) {
				e.serveUntil(sim.Time(turn.at), turn.seq)
				continue
			}
		}
		if !e.kernel.Step() {
			return
		}
	}
}

// Handle implements sim.Handler.
func (e *engine) Handle(ev sim.Event) {
	rank, op, seq := ev.Kind>>kindBits, uint32(ev.Arg), uint32(ev.Arg>>32)
	e.serveUntil(ev.At, seq)
	switch ev.Kind & (1<<kindBits - 1) {
	case evStart:
		e.start(rank, op, seq, ev.At)
	case evPost:
		e.post(rank, op, ev.At)
	case evArrive:
		e.arrive(rank, op, seq, ev.At)
	case evClear:
		e.offer(laneData, rank, 0, e.ops[op].NIC, op, rank, seq, ev.At)
	case evData:
		e.take(rank, op, seq, ev.At)
	case evDeliver:
		e.offer(laneDeliver, rank, e.receiver(op), 0, op, rank, seq, ev.At)
	}
}

// begin handles the roots of all ranks as events at time 0, with the first numbers. No
// operation that they release can come between them.
func (e *engine) begin() {
	receives := 0
	for op, waits := range e.waits.few {
		if waits == 0 {
			e.seq++
			if e.ops[op].Kind == Recv {
				receives++
			}
		}
	}
	roots := make([]uint32, 0, e.seq)
	for op, waits := range e.waits.few {
		if waits == 0 {
			roots = append(roots, uint32(op))
		}
	}
	e.matching.Reserve(receives)
	rank := uint32(0)
	for seq, op := range roots {
		for op >= e.s.ranks[rank+1] {
			rank++
		}
		if e.ops[op].Kind == Recv {
			e.post(rank, op, 0)
		} else {
			e.start(rank, op, uint32(seq), 0)
		}
	}
}

// offer serves an element, or puts it in its lane if it has to wait; from is the sender of a
// message that arrives, else the host.
func (e *engine) offer(kind uint8, host uint32, cpu, nic uint8, op, from, seq uint32, now sim.Time) {
	at := e.free(kind, host, cpu, nic)
	if at <= now {
		e.serve(kind, host, cpu, nic, op, from, now)
		return
	}
	l := e.lanes.at(host, kind, cpu, nic)
	if e.lanes.push(l, op, from, seq) {
		e.wake(l, seq, at)
	}
}

// free returns the time at which all resources that a lane waits for are free.
func (e *engine) free(kind uint8, host uint32, cpu, nic uint8) sim.Time {
	switch kind {
	case laneSend:
		return max(*e.cpu(host, cpu), *e.sendSide(host, nic))
	case laneReceive:
		return max(*e.cpu(host, cpu), *e.receiveSide(host, nic))
	case laneData:
		return *e.sendSide(host, nic)
	case laneDeposit:
		return *e.receiveSide(host, nic)
	}
	return *e.cpu(host, cpu)
}

// wake puts a lane into the agenda; seq is the number of its first element.
func (e *engine) wake(lane, seq uint32, at sim.Time) {
	e.lanes.lanes[lane].wake = uint64(at)
	e.agenda.push(entry{at: uint64(at), seq: seq, what: lane})
}

// serveUntil serves the lanes whose turn is not after (now, seq).
func (e *engine) serveUntil(now sim.Time, seq uint32) {
	if now > horizon {
		e.fail("the run lasts longer than %v", horizon)
	}
	for len(e.agenda) > 0 && !e.agenda[0].after(uint64(now), seq) {
		x := e.agenda.pop()
		first, some := e.lanes.first(x.what)
		if some && first == x.seq && e.lanes.lanes[x.what].wake == x.at {
			e.turn(x.what, now)
		}
	}
}

// fail ends the run with an error, and keeps the first one.
func (e *engine) fail(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(format, args...)
	}
}

// turn serves the first element of a lane, if its resources are still free.
func (e *engine) turn(lane uint32, now sim.Time) {
	l := e.lanes.lanes[lane]
	if e.free(l.kind, l.host, l.cpu, l.nic) <= now {
		op, from := e.lanes.pop(lane)
		e.serve(l.kind, l.host, l.cpu, l.nic, op, from, now)
	}
	if seq, some := e.lanes.first(lane); some {
		e.wake(lane, seq, e.free(l.kind, l.host, l.cpu, l.nic))
	}
}

// release tells the dependants of an operation the times of its start and its end.
func (e *engine) release(op uint32, start, end sim.Time) {
	for _, d := range e.s.after(op) {
		if d&onStart != 0 {
			e.satisfy(d&^onStart, start)
		} else {
			e.satisfy(d, end)
		}
	}
}

// releaseStart and releaseEnd do this for the start and for the end alone, for operations
// whose end is not known when they start.
func (e *engine) releaseStart(op uint32, start sim.Time) {
	if !e.ops[op].starts {
		return
	}
	for _, d := range e.s.after(op) {
		if d&onStart == 0 {
			break
		}
		e.satisfy(d&^onStart, start)
	}
}

func (e *engine) releaseEnd(op uint32, end sim.Time) {
	for _, d := range e.s.after(op) {
		if d&onStart == 0 {
			e.satisfy(d, end)
		}
	}
}

func (e *engine) satisfy(op uint32, at sim.Time) {
	e.ready[op] = max(e.ready[op], at)
	if e.waits.end(op) {
		e.released = append(e.released, op)
	}
}

// commit schedules the operations that the current event has released, in the
// order of the file.
func (e *engine) commit(host uint32) {
	if len(e.released) == 0 {
		return
	}
	if len(e.released) > 1 {
		slices.Sort(e.released)
	}
	for _, x := range e.released {
		op := &e.ops[x]
		at := max(e.ready[x], *e.cpu(host, op.CPU))
		switch {
		case op.Kind == Recv:
			e.schedule(at, evPost, host, x)
		case op.Kind == Send && op.Size <= e.p.Rendezvous:
			e.schedule(max(at, *e.sendSide(host, op.NIC)), evStart, host, x)
		default:
			e.schedule(at, evStart, host, x)
		}
	}
	e.released = e.released[:0]
}

// result collects the results of the run.
func (e *engine) result() *Result {
	r := &Result{
		Finish: make([]sim.Time, e.s.Ranks()), Events: uint64(e.seq), Messages: e.messages,
		schedule: e.s, params: e.p,
	}
	for rank := range r.Finish {
		r.Finish[rank] = slices.Max(e.clocks[rank*e.stride : rank*e.stride+e.s.cpus])
		if e.ends != nil {
			r.Finish[rank] = max(r.Finish[rank], e.ends[rank])
		}
		posted, unexpected := e.matching.Waiting(rank)
		r.Unmatched += posted + unexpected
	}
	r.Hidden = e.hiding.total()
	return r
}
