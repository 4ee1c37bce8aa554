package goal

import (
	"cmp"
	"container/heap"
	"fmt"
	"math"
	"slices"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
)

// Processes is a schedule as a program: each rank is a process with one thread, which
// does one operation at a time, as operations become possible.
//
//   - A receive is posted as soon as its requirements are met. Every other operation
//     waits for its turn, in the order in which operations became possible (rule 9).
//   - An operation that requires messages of its rank waits for them, once its other
//     requirements are met: for one message at a time, in the order of the file. If
//     several operations wait in this way, the process continues with the message that
//     completes first. A receive that nothing requires is waited for with them.
//   - While there is other work to do, the process tests before each operation whether
//     such a message has arrived, and takes in those that came before the operation
//     became possible.
//   - At the end it waits for the remaining requests.
//   - A calc of 0 is a call that does nothing, unless it follows a wait: the
//     communication library may work in it.
type Processes struct{ s *Schedule }

// Processes returns the schedule as a program; Mistakes tells whether it can be one.
func (s *Schedule) Processes() *Processes { return &Processes{s} }

// Ranks implements programs.Program.
func (p *Processes) Ranks() int { return p.s.Ranks() }

// Phases implements programs.Program.
func (p *Processes) Phases() []string { return nil }

// Step does the operations in the order of the file, and waits at the end.
func (p *Processes) Step(rank, step int, do *programs.Ops) bool {
	ops, _ := p.s.Rank(rank)
	switch {
	case step < len(ops):
		perform(&ops[step], step, do)
	case step == len(ops):
		for i := range ops {
			do.Wait(i)
		}
	default:
		return false
	}
	return true
}

// perform appends an operation; request is the request of a message.
func perform(op *Op, request int, do *programs.Ops) {
	switch op.Kind {
	case Calc:
		do.Compute(machines.Task{Time: op.duration()}, 1)
	case Send:
		do.Isend(int(op.Peer), int64(op.Size), int(int32(op.Tag)), request)
	case Recv:
		do.Irecv(int(int32(op.Peer)), int64(op.Size), int(int32(op.Tag)), request)
	}
}

// Mistakes returns the operations that a process cannot do, up to maxProblems, under the
// name of the file; nil if it can do all.
func (p *Processes) Mistakes(name string) error {
	problems, several := slices.Clone(p.s.twice), false
	for i := range p.s.Ops() {
		if len(problems) == maxProblems {
			break
		}
		text := p.s.ops[i].mistake()
		if text == "" || several && p.s.ops[i].CPU > 0 { // one is enough
			continue
		}
		several = several || p.s.ops[i].CPU > 0
		line := 1
		if i < len(p.s.lines) {
			line = int(p.s.lines[i])
		} else {
			text = fmt.Sprintf("rank %d, %s: %s", p.s.rankOf(uint32(i)), p.s.place(uint32(i)), text)
		}
		problems = append(problems, Problem{name, line, 1, text})
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	if problems == nil {
		return nil
	}
	return problems
}

// mistake tells why a process cannot do an operation, "" if it can.
func (op *Op) mistake() string {
	switch {
	case op.CPU > 0:
		return fmt.Sprintf("cpu %d: a process of a workload has one CPU; 'overlapsim replay' runs several", op.CPU)
	case op.NIC > 0:
		return fmt.Sprintf("nic %d: a node of a machine has one NIC; 'overlapsim replay' runs several", op.NIC)
	case op.Kind == Calc && op.Size > uint64(sim.Forever/sim.Nanosecond):
		return fmt.Sprintf("calc %d: must be at most %d ns, which is longer than a run can be", op.Size, sim.Forever/sim.Nanosecond)
	case op.Kind != Calc && op.Size > math.MaxInt64:
		return fmt.Sprintf("%s %d: must be at most %d bytes", op.Kind, op.Size, int64(math.MaxInt64))
	}
	return ""
}

// Begin implements programs.Reactive.
func (p *Processes) Begin() programs.Program {
	return &running{Processes: p, ranks: make([]*process, p.Ranks())}
}

// running is a run of a schedule.
type running struct {
	*Processes
	ranks []*process // nil: has not begun, or has ended
}

// Step implements programs.Program.
func (p *running) Step(rank, step int, do *programs.Ops) bool {
	if step == 0 {
		p.ranks[rank] = newProcess(p.s, rank)
	}
	x := p.ranks[rank]
	x.hear(do)
	if x.decide(do) {
		return true
	}
	p.ranks[rank] = nil
	return false
}

// Doing implements programs.Told: where the first message that the rank waits for is in the file.
func (p *running) Doing(rank int) string {
	x := p.ranks[rank]
	if x == nil {
		return ""
	}
	requests := x.awaited()
	if len(requests) == 0 {
		requests = x.left()
	}
	if len(requests) == 0 {
		return ""
	}
	return x.s.place(x.first + x.slots[requests[0]].op)
}

// Message implements programs.Told.
func (p *running) Message(tag int) string { return fmt.Sprintf("with tag %d", tag) }

// Sent implements programs.Told.
func (p *running) Sent(from, to, tag int) string {
	first, end := p.s.ranks[from], p.s.ranks[from+1]
	for x := end; x > first; x-- {
		if op := &p.s.ops[x-1]; op.Kind == Send && int(op.Peer) == to && int(int32(op.Tag)) == tag {
			return p.s.place(x - 1)
		}
	}
	return ""
}

// process is the state of a rank's operations, which are numbered within the rank.
type process struct {
	s     *Schedule
	ops   []Op
	first uint32

	state    []stand
	requires []uint32 // required messages, by operation, in the order of the file
	rows     []uint32 // index of the first requirement of each operation
	slots    []slot   // requests
	free     []int32

	ready   turns
	posts   []uint32 // receives that are possible
	waiting []uint32 // operations that waited for messages only when they were added
	loose   []int32  // slots of receives that nothing requires
	fresh   []uint32 // scratch of release
	asked   bool     // the step before was a wait or a test
	looked  bool     // the step before was a test that found nothing
}

// stand is the state of an operation. One that waits for messages only has as many open
// requirements as messages.
type stand struct {
	cause           // of the last requirement that was met
	open     uint32 // requirements not met
	messages uint32 // of these: ends of messages in flight
	slot     int32  // request of a message, or one of the constants below
}

// The states of a message that has no slot.
const (
	notBegun int32 = -1
	over     int32 = -2
)

// cause is an event by which operations become possible: an operation begins, or its
// message completes.
type cause struct {
	at sim.Time // beforeTheBegin: the cause is the start of the run
	by uint32   // the operation
}

const beforeTheBegin sim.Time = -1

func (c cause) compare(d cause) int { return cmp.Or(cmp.Compare(c.at, d.at), cmp.Compare(c.by, d.by)) }

// slot is a request: its message, and the event at which its end is known at the latest
// if the process never waits for it.
type slot struct {
	cause
	op uint32
}

// turns is a heap of operations that wait for their turn, in the order of their causes
// and then of the file.
type turns []turn

type turn struct {
	cause
	op     uint32
	called bool // a wait has just ended for it
}

func (t turns) Len() int { return len(t) }
func (t turns) Less(i, j int) bool {
	return cmp.Or(t[i].compare(t[j].cause), cmp.Compare(t[i].op, t[j].op)) < 0
}
func (t turns) Swap(i, j int) { t[i], t[j] = t[j], t[i] }
func (t *turns) Push(x any)   { *t = append(*t, x.(turn)) }
func (t *turns) Pop() any {
	last := len(*t) - 1
	x := (*t)[last]
	*t = (*t)[:last]
	return x
}

func newProcess(s *Schedule, rank int) *process {
	ops, first := s.Rank(rank)
	x := &process{s: s, ops: ops, first: uint32(first), state: make([]stand, len(ops)), rows: make([]uint32, len(ops)+1)}
	x.list()
	for op := range x.ops {
		x.state[op].slot, x.state[op].at = notBegun, beforeTheBegin
		if x.state[op].open == 0 {
			x.fresh = append(x.fresh, uint32(op))
		}
	}
	x.add(false)
	return x
}

// list counts the requirements of each operation, and lists those that are messages.
func (x *process) list() {
	each := func(do func(on, op uint32)) {
		for on := range x.ops {
			for _, d := range x.s.after(x.first + uint32(on)) {
				if d&onStart == 0 && x.ops[on].Kind != Calc {
					do(uint32(on), d-x.first)
				}
			}
		}
	}
	each(func(_, op uint32) { x.rows[op+1]++ })
	for op := range x.ops {
		x.rows[op+1] += x.rows[op]
		for _, d := range x.s.after(x.first + uint32(op)) {
			x.state[d&^onStart-x.first].open++
		}
	}
	x.requires = make([]uint32, x.rows[len(x.ops)])
	at := slices.Clone(x.rows)
	each(func(on, op uint32) {
		x.requires[at[op]] = on
		at[op]++
	})
}

// hear takes in the result of the wait or test of the step before.
func (x *process) hear(do *programs.Ops) {
	if !x.asked {
		return
	}
	x.asked = false
	ended := do.Ended()
	if x.looked = ended.Request == programs.NoRequest; x.looked {
		return
	}
	message := x.slots[ended.Request]
	by := message.cause
	if ended.At >= 0 { // else it was complete when it was issued
		by = cause{ended.At, message.op}
	}
	x.state[message.op].slot = over
	x.free = append(x.free, ended.Request)
	x.loose = slices.DeleteFunc(x.loose, func(s int32) bool { return s == ended.Request })
	x.release(message.op, ofMessage, by)
}

// decide appends the next operations of the process, and returns false if it has ended.
func (x *process) decide(do *programs.Ops) bool {
	for {
		x.post(do)
		requests := x.awaited()
		switch {
		case len(x.ready) > 0 && len(requests) > 0 && !x.looked:
			x.asked = true
			do.TestAny(x.ready[0].at+1, requests...)
			return true
		case len(x.ready) > 0:
			x.looked = false
			if x.perform(heap.Pop(&x.ready).(turn), do) {
				return true
			}
			continue
		case len(requests) == 0:
			requests = x.left()
		}
		if len(requests) > 0 {
			x.asked = true
			do.WaitAny(requests...)
		}
		return len(do.List()) > 0
	}
}

// post posts all receives whose requirements are met.
func (x *process) post(do *programs.Ops) {
	for len(x.posts) > 0 {
		op := x.posts[0]
		x.posts = x.posts[1:]
		by := cause{do.Now(), op}
		request := x.issue(op, by)
		if !x.required(op) {
			x.loose = append(x.loose, request)
		}
		perform(&x.ops[op], int(request), do)
		x.release(op, ofStart, by)
	}
}

// required tells whether anything requires the end of an operation.
func (x *process) required(op uint32) bool {
	return slices.ContainsFunc(x.s.after(x.first+op), func(d uint32) bool { return d&onStart == 0 })
}

// perform does an operation whose turn it is, and returns false if nothing was appended.
func (x *process) perform(t turn, do *programs.Ops) bool {
	op, by := &x.ops[t.op], cause{do.Now(), t.op}
	switch {
	case op.Kind == Send:
		perform(op, int(x.issue(t.op, by)), do)
		x.release(t.op, ofStart, by)
		return true
	case op.Size > 0:
		perform(op, 0, do)
	case !t.called:
		do.Wait(noRequest)
	}
	x.release(t.op, ofCalc, by)
	return len(do.List()) > 0
}

// noRequest is the number of a request that no message uses.
const noRequest = 1 << 30

// issue gives a message a slot, and notifies the operations that require its end.
func (x *process) issue(op uint32, by cause) int32 {
	request := int32(len(x.slots))
	if last := len(x.free) - 1; last >= 0 {
		request = x.free[last]
		x.free = x.free[:last]
	} else {
		x.slots = append(x.slots, slot{})
	}
	x.slots[request], x.state[op].slot = slot{by, op}, request
	for _, d := range x.s.after(x.first + op) {
		if d&onStart == 0 {
			x.state[d-x.first].messages++
			x.consider(d - x.first)
		}
	}
	return request
}

// consider notes an operation if it waits for messages only.
func (x *process) consider(op uint32) {
	if s := &x.state[op]; s.open == s.messages && s.open > 0 {
		x.waiting = append(x.waiting, op)
	}
}

// what tells which events of an operation have happened: its start, its end, or both.
type what struct{ start, end, message bool }

var (
	ofStart   = what{start: true}
	ofCalc    = what{start: true, end: true}
	ofMessage = what{end: true, message: true}
)

// release meets the requirements on the events of an operation that have happened. The
// operations that become possible do so in the order of the file.
func (x *process) release(op uint32, come what, by cause) {
	for _, d := range x.s.after(x.first + op) {
		if start := d&onStart != 0; start && !come.start || !start && !come.end {
			continue
		}
		d = d&^onStart - x.first
		s := &x.state[d]
		if s.open--; by.compare(s.cause) > 0 {
			s.cause = by
		}
		if come.message {
			s.messages--
		}
		if s.open == 0 {
			x.fresh = append(x.fresh, d)
		} else if !come.message { // else it already waits for messages only, or still waits for others
			x.consider(d)
		}
	}
	slices.Sort(x.fresh)
	x.add(come.message)
}

// add puts the operations that have become possible where they wait for their turn.
func (x *process) add(called bool) {
	for _, op := range x.fresh {
		if x.ops[op].Kind == Recv {
			x.posts = append(x.posts, op)
		} else {
			heap.Push(&x.ready, turn{x.state[op].cause, op, called})
		}
	}
	x.fresh = x.fresh[:0]
}

// awaited returns the requests that the process waits for now: the first message of each
// operation that waits for messages only, and the receives that nothing requires.
func (x *process) awaited() (requests []int32) {
	requests = append(requests, x.loose...)
	x.waiting = slices.DeleteFunc(x.waiting, func(op uint32) bool { return x.state[op].open == 0 })
	for _, op := range x.waiting {
		for _, on := range x.requires[x.rows[op]:x.rows[op+1]] {
			if s := x.state[on].slot; s >= 0 {
				requests = append(requests, s)
				break
			}
		}
	}
	return requests
}

// left returns the requests that are not complete.
func (x *process) left() (requests []int32) {
	for request, s := range x.slots {
		if x.state[s.op].slot == int32(request) {
			requests = append(requests, int32(request))
		}
	}
	return requests
}
