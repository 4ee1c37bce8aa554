package goal

import (
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"overlapsim/nodes/programs"
	"overlapsim/sim"
)

// FromProgram writes a program as a schedule. GOAL has sends, receives and calcs in whole
// ns. Therefore
//
//   - a computation is rounded to ns; the remainder is added to the rank's next
//     computation, so that the sum is correct to a ns;
//   - a wait becomes a requirement of the next operation. Of several waits in a row,
//     each except the last becomes a calc of 0, so that they keep their order. So does
//     a wait at the end;
//   - a wait for a request that is not in flight, and a test, become a calc of 0 too:
//     a call in which the communication library may work;
//   - a put becomes a send, and at its target a receive that nothing waits for, on a
//     separate tag; waiting for a put waits for the end of its send;
//   - a signal becomes a send; a get cannot be written, since its target does nothing
//     for it;
//   - a barrier becomes a dissemination barrier, on its own tag; two threads that
//     meet exchange messages;
//   - some information is lost: phases, patterns, the demands of a kernel on its core
//     and memory, and whether the bytes of a message are contiguous.
//
// Operations of a rank start in the program's order; only waits, barriers and
// computations delay the next one.
func FromProgram(p programs.Program) (*Schedule, error) {
	x := &exporter{program: p, a: NewAssembler(p.Ranks()), puts: make([][]put, p.Ranks())}
	for r := range p.Ranks() {
		x.findPuts(r)
	}
	for r := range p.Ranks() {
		x.rank(r)
	}
	if x.gets > 0 {
		return nil, fmt.Errorf("the program has %d gets, which GOAL cannot say", x.gets)
	}
	if x.combined {
		return nil, errors.New("the program has collectives by switches that combine (runtime.offload), which GOAL cannot say")
	}
	return x.a.Schedule()
}

// Tags that no program uses: tags of programs are below 1<<31.
const (
	putTag     = 1 << 31
	barrierTag = 1<<31 + 1
	meetTag    = 1<<31 + 2
)

type exporter struct {
	program programs.Program
	a       *Assembler
	puts    [][]put // by target
	gets    int
	do      programs.Ops

	combined bool // by switches
}

// put is an incoming put.
type put struct {
	from  uint32
	bytes uint64
}

// steps calls do for every operation of a rank.
func (x *exporter) steps(rank int, do func(op *programs.Op)) {
	for step := 0; ; step++ {
		x.do.Reset()
		more := x.program.Step(rank, step, &x.do)
		list := x.do.List()
		for i := range list {
			do(&list[i])
		}
		if !more {
			return
		}
	}
}

func (x *exporter) findPuts(rank int) {
	x.steps(rank, func(op *programs.Op) {
		if op.Kind == programs.OpPut {
			x.puts[op.Peer] = append(x.puts[op.Peer], put{uint32(rank), uint64(op.Amount)})
		}
	})
}

// thread is the state of a rank while its operations are written.
type thread struct {
	*exporter
	rank     int
	held     []int // the next operation requires these
	waits    bool  // one of them is a message
	after    int   // the next operation requires the start of this one; -1: none
	requests map[int32]int
	cut      sim.Time // computation not yet written

	started  map[int32][]programs.Op // by request: what is left of a schedule
	starting int32                   // the request of the schedule that begins; -1: none
	later    bool                    // its first round has ended
}

func (x *exporter) rank(rank int) {
	t := &thread{exporter: x, rank: rank, after: -1, requests: map[int32]int{}, started: map[int32][]programs.Op{}, starting: -1}
	for _, in := range x.puts[rank] {
		x.a.Recv(in.bytes, in.from, putTag)
	}
	x.steps(rank, t.next)
	for _, request := range slices.Sorted(maps.Keys(t.started)) {
		t.finish(request)
	}
	t.flush()
	x.a.EndRank()
}

// begun makes an operation depend on the operations before it.
func (t *thread) begun(op int) {
	for _, on := range t.held {
		t.a.Require(op, on)
	}
	t.held, t.waits = t.held[:0], false
	if t.after >= 0 {
		t.a.RequireStart(op, t.after)
	}
	t.after = op
}

// next writes an operation. What follows the first round of a schedule is written where the rank
// waits for the schedule.
func (t *thread) next(op *programs.Op) {
	switch {
	case op.Kind == programs.OpStart:
		t.starting, t.later = op.Request, false
		t.started[op.Request] = nil
	case op.Kind == programs.OpStarted:
		t.starting = -1
	case t.starting >= 0 && (t.later || op.Kind == programs.OpWait):
		t.later = true
		t.started[t.starting] = append(t.started[t.starting], *op)
	default:
		t.op(op)
	}
}

// finish writes what is left of a schedule.
func (t *thread) finish(request int32) {
	for _, op := range t.started[request] {
		t.op(&op)
	}
	delete(t.started, request)
}

func (t *thread) op(op *programs.Op) {
	switch op.Kind {
	case programs.OpCompute:
		t.compute(sim.Time(op.Amount))
	case programs.OpPut:
		if ranks, _ := op.Combined(); ranks > 0 {
			t.combined = true
		}
		t.request(op, t.a.Send(uint64(op.Amount), uint32(op.Peer), putTag))
	case programs.OpGet:
		t.gets++
	case programs.OpSend, programs.OpSignal:
		t.request(op, t.a.Send(uint64(op.Amount), uint32(op.Peer), uint32(op.Tag)))
	case programs.OpReceive:
		t.request(op, t.a.Recv(uint64(op.Amount), uint32(op.Peer), uint32(op.Tag)))
	case programs.OpWait:
		if _, ok := t.started[op.Request]; ok {
			t.finish(op.Request)
			return
		}
		t.wait(op.Request)
	case programs.OpTest:
		t.call()
	case programs.OpBarrier:
		t.barrier()
	case programs.OpMeet:
		t.begun(t.a.Send(1, uint32(op.Peer), meetTag))
		t.hold(t.a.Recv(1, uint32(op.Peer), meetTag))
	}
}

// compute writes a computation in whole ns.
func (t *thread) compute(amount sim.Time) {
	amount = sim.Later(amount, max(t.cut, 0)) + min(t.cut, 0)
	whole := amount / sim.Nanosecond
	if t.cut = amount % sim.Nanosecond; t.cut >= sim.Nanosecond/2 {
		whole, t.cut = whole+1, t.cut-sim.Nanosecond
	}
	if whole > 0 {
		t.hold(t.a.Calc(uint64(whole)))
	}
}

// wait makes the next operation require a message, after the messages of earlier waits.
func (t *thread) wait(request int32) {
	on, ok := t.requests[request]
	if !ok {
		t.call()
		return
	}
	delete(t.requests, request)
	t.flush()
	t.held, t.waits = append(t.held, on), true
}

// flush writes the pending wait for a message as a separate operation.
func (t *thread) flush() {
	if t.waits {
		t.begun(t.a.Calc(0))
	}
}

// call writes a call that does nothing.
func (t *thread) call() {
	t.flush()
	t.begun(t.a.Calc(0))
}

// hold writes an operation that the next one waits for.
func (t *thread) hold(op int) {
	t.begun(op)
	t.held = append(t.held, op)
	t.after = -1
}

func (t *thread) request(op *programs.Op, n int) {
	t.begun(n)
	t.requests[op.Request] = n
}

// barrier writes a dissemination barrier.
func (t *thread) barrier() {
	p := t.program.Ranks()
	for k := range bits.Len(uint(p - 1)) {
		t.begun(t.a.Send(1, uint32((t.rank+1<<k)%p), barrierTag))
		t.hold(t.a.Recv(1, uint32((t.rank-1<<k%p+p)%p), barrierTag))
	}
}
