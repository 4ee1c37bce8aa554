package nodes

import (
	"fmt"
	"iter"
	"runtime"
	"strings"

	"github.com/fschuetz04/simgo"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// Process is a rank whose program is an ordinary Go function. Its methods take as much simulated
// time as the operations of a compiled program. Between calls the function may make any decision
// based on what it has seen.
type Process struct {
	rank    int
	cluster *cluster
	do      *programs.Ops
	yield   func(struct{}) bool
}

// RunLive runs body once for every rank of the machine. The phases are the names for
// Process.Phase. The same behaviour takes exactly the same time as in Run, because both drive the
// same engine.
//
// A panic in body is the error of the run, of type [sim.Panic]. When the run is over,
// processes that have not ended are unwound: their deferred functions run.
func RunLive(m *machines.Machine, ranks int, phases []string, body func(*Process), perNode int, o Options) (
	result *results.Result, err error) {
	live := &liveProgram{ranks: ranks, phases: phases, body: body}
	defer func() {
		if wrong := live.stop(); wrong != nil && err == nil {
			result, err = nil, wrong
		}
	}()
	return run(m, live, perNode, o, func(c *cluster) { live.start(c) })
}

// liveProgram is a program whose steps come from coroutines. For other programs (nil) its methods do nothing.
type liveProgram struct {
	ranks     int
	phases    []string
	body      func(*Process)
	env       *sim.Env
	cluster   *cluster
	awaited   []simgo.Awaitable // by rank
	watches   [][]watch         // by rank
	firing    slab[*sim.Signal] // by the argument of their event
	processes []*Process
	next      []func() (struct{}, bool)
	stops     []func()
}

func (l *liveProgram) Ranks() int       { return l.ranks }
func (l *liveProgram) Phases() []string { return l.phases }

func (l *liveProgram) start(c *cluster) {
	c.live, l.cluster = l, c
	l.env = sim.NewEnv(c.kernel)
	l.awaited = make([]simgo.Awaitable, l.ranks)
	l.watches = make([][]watch, l.ranks)
	for r := range l.ranks {
		p := &Process{rank: r, cluster: c}
		next, stop := iter.Pull(func(yield func(struct{}) bool) {
			defer p.leave()
			p.yield = yield
			l.body(p)
		})
		l.processes = append(l.processes, p)
		l.next = append(l.next, next)
		l.stops = append(l.stops, stop)
	}
}

// watch is a request whose end triggers a signal.
type watch struct {
	request int32
	signal  *sim.Signal
}

// drain lets the environment do what it has to do now.
func (l *liveProgram) drain() {
	if l != nil {
		l.env.Drain()
	}
}

// settled fires the signals of those requests of a rank whose end is known now.
func (l *liveProgram) settled(r int32) {
	if l != nil {
		l.fires(r)
	}
}

func (l *liveProgram) fires(r int32) {
	open := l.watches[r][:0]
	for _, w := range l.watches[r] {
		if at := l.cluster.over(r, w.request); at < sim.Forever {
			id := l.firing.add()
			*l.firing.at(id) = w.signal
			l.cluster.schedule(max(at, l.env.Now()), evSignal, uint64(id))
		} else {
			open = append(open, w)
		}
	}
	l.watches[r] = open
}

// fire triggers a signal.
func (l *liveProgram) fire(id int32) {
	signal := l.firing.at(id)
	(*signal).Trigger()
	*signal = nil
	l.firing.remove(id)
}

// await lets a rank wait for an event of the environment.
func (l *liveProgram) await(r int32) {
	sim.Watch(l.awaited[r], func() { l.cluster.resume(r, l.env.Now()) })
}

// stop ends the processes that have not ended, including the processes of the environment. It returns the
// error of a panic in their deferred functions.
func (l *liveProgram) stop() (err error) {
	for _, stop := range l.stops {
		stop()
	}
	if l.env == nil {
		return nil
	}
	defer sim.Catch("end of the run", &err)
	l.env.Shutdown()
	return l.cluster.err
}

// Step lets a process go on until its next operation.
func (l *liveProgram) Step(rank, _ int, do *programs.Ops) bool {
	l.processes[rank].do = do
	_, more := l.next[rank]()
	return more
}

// stopped is the panic that unwinds a process whose run is over.
type stopped struct{}

// leave ends the unwinding of a stopped process. Any other panic ends the run.
func (p *Process) leave() {
	switch v := recover().(type) {
	case nil, stopped:
	default:
		p.cluster.fail(sim.Caught(fmt.Sprintf("rank %d", p.rank), v))
	}
}

// until hands over the operations asked for, and returns when they are done. It panics with the caller's line if no run can do one.
func (p *Process) until() {
	for i := range p.do.List() {
		if wrong := p.wrong(&p.do.List()[i]); wrong != "" {
			p.do.Reset()
			panic(caller() + wrong)
		}
	}
	if !p.yield(struct{}{}) {
		panic(stopped{})
	}
}

// wrong says why no run can do an operation; "": runs can.
func (p *Process) wrong(op *programs.Op) string {
	switch op.Kind {
	case programs.OpPhase:
		if int(op.Phase) >= max(1, len(p.cluster.live.phases)) {
			return fmt.Sprintf("phase %d, of %d", op.Phase, len(p.cluster.live.phases))
		}
	case programs.OpSend, programs.OpReceive, programs.OpPut, programs.OpGet, programs.OpSignal:
		any := op.Kind == programs.OpReceive && op.Peer == programs.AnySource
		switch {
		case !any && (op.Peer < 0 || int(op.Peer) >= p.Ranks()):
			return fmt.Sprintf("a message with rank %d, of %d ranks", op.Peer, p.Ranks())
		case op.Amount < 0:
			return fmt.Sprintf("a message of %d bytes", op.Amount)
		}
		fallthrough
	case programs.OpWait, programs.OpTest, programs.OpStart:
		return wrongRequest(int(op.Request))
	}
	return ""
}

// wrongRequest says why a number is not one of a request; "": it is.
func wrongRequest(request int) string {
	if request < -1 && request != int(programs.NoRequest) {
		return fmt.Sprintf("request %d: the least number of one is -1", request)
	}
	return ""
}

// caller is the line that called the methods of a process, as a place.
func caller() string {
	list := make([]uintptr, 16)
	frames := runtime.CallersFrames(list[:runtime.Callers(2, list)])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "overlapsim/nodes.") {
			return fmt.Sprintf("%s:%d: ", f.File, f.Line)
		}
		if !more {
			return ""
		}
	}
}

// Rank returns the rank of the process, Ranks how many there are, and Now the
// simulated time.
func (p *Process) Rank() int     { return p.rank }
func (p *Process) Ranks() int    { return len(p.cluster.ranks) }
func (p *Process) Now() sim.Time { return p.cluster.kernel.Now() }

// Phase says that what follows belongs to the phase with this index.
func (p *Process) Phase(index int) { p.do.Phase(index) }

// Pattern does what Ops.Pattern does.
func (p *Process) Pattern(distance int, synchronised bool) { p.do.Pattern(distance, synchronised) }

// PatternAmong does what Ops.PatternAmong does.
func (p *Process) PatternAmong(processes, distance int) { p.do.PatternAmong(processes, distance) }

// Compute runs a task n times.
func (p *Process) Compute(t machines.Task, n int) { p.do.Compute(t, n); p.until() }

// Put starts a one-sided put; Wait for the request.
func (p *Process) Put(to int, bytes int64, request int) { p.do.Put(to, bytes, request); p.until() }

// Combine gives data to the switches of the network; Wait for the request.
func (p *Process) Combine(next, first, ranks int, bytes int64, tag, request int) {
	p.do.Combine(next, first, ranks, bytes, tag, request)
	p.until()
}

// Get starts a one-sided get; Wait for the request.
func (p *Process) Get(from int, bytes int64, request int) {
	p.do.Get(from, bytes, request)
	p.until()
}

// Signal starts a put that matches a receive of the target; Wait for the
// request.
func (p *Process) Signal(to int, bytes int64, tag, request int) {
	p.do.Signal(to, bytes, tag, request)
	p.until()
}

// Isend starts a send; Wait for the request.
func (p *Process) Isend(to int, bytes int64, tag, request int) {
	p.do.Isend(to, bytes, tag, request)
	p.until()
}

// IsendStrided starts a send of bytes that are not contiguous; Wait for the request.
func (p *Process) IsendStrided(to int, bytes int64, tag, request int) {
	p.do.IsendStrided(to, bytes, tag, request)
	p.until()
}

// Irecv posts a receive; Wait for the request.
func (p *Process) Irecv(from int, bytes int64, tag, request int) {
	p.do.Irecv(from, bytes, tag, request)
	p.until()
}

// Send sends a message and waits until its request is complete.
func (p *Process) Send(to int, bytes int64, tag int) { p.do.Send(to, bytes, tag); p.until() }

// Recv waits for a message.
func (p *Process) Recv(from int, bytes int64, tag int) { p.do.Recv(from, bytes, tag); p.until() }

// Wait waits for a request.
func (p *Process) Wait(request int) { p.do.Wait(request); p.until() }

// Start starts a schedule, as Ops.Start does; Wait for the request.
func (p *Process) Start(schedule func(do *programs.Ops), request int) {
	p.do.Start(schedule, request)
	p.until()
}

// Barrier waits until all ranks have come.
func (p *Process) Barrier() { p.do.Barrier(); p.until() }

// Test tells whether Wait for the request would return at once, apart from the overhead of a
// receive. It is a call, so the library may work in it.
func (p *Process) Test(request int) bool {
	p.do.Test(request)
	p.until()
	return p.cluster.over(int32(p.rank), int32(request)) <= p.Now()
}

// Env returns the environment of the run: signals, stores, resources, timers and what is built
// from them. Wait for them with Await, not with the methods of a sim.Process.
func (p *Process) Env() *sim.Env { return p.cluster.live.env }

// Await waits until an event of the environment has happened, and reports
// whether it did: false means that it was aborted. The time is booked as
// waiting for a partner.
func (p *Process) Await(ev simgo.Awaitable) bool {
	if !ev.Processed() && !ev.Aborted() {
		p.cluster.live.awaited[p.rank] = ev
		p.do.Await()
		p.until()
	}
	return ev.Processed()
}

// Done returns a signal that happens when the request is over in the sense of Test. With
// Env.AnyOf a process can wait for the first of several.
func (p *Process) Done(request int) *sim.Signal {
	if wrong := wrongRequest(request); wrong != "" {
		panic(caller() + wrong)
	}
	l, r := p.cluster.live, int32(p.rank)
	s := l.env.Signal()
	l.watches[r] = append(l.watches[r], watch{int32(request), s})
	l.settled(r)
	return s
}
