package sim

import (
	"fmt"
	"slices"
	"strconv"
)

// A live program is a list of operations per process. It is run twice: by processes of an
// Env, and by liveReference, which has neither coroutines nor simgo nor the kernel, only
// two lists of functions to call. Both record what each operation saw.

type opKind int

const (
	opSleep    opKind = iota
	opServe           // hold station a for d
	opTrigger         // signal a
	opDelayed         // trigger signal a after d
	opAwait           // signal a
	opAwaitFor        // signal a, no longer than d
	opAnyOf           // signals a and b and a timeout of d
	opAllOf           // signals a and b
	opAbort           // signal a
	opSpawn           // program a
	opJoin            // the process spawned last
	opKinds
)

type op struct {
	kind opKind
	a, b int
	d    Time
}

// liveProgram is what the processes do: programs[0:started] are started at
// once, the others are spawned.
type liveProgram struct {
	programs [][]op
	started  int
}

const (
	liveThings = 3  // stations, and signals
	spawnLimit = 40 // processes in all
)

// drawLive makes a program of few short times, so that ties abound.
func drawLive(random *Stream) *liveProgram {
	l := &liveProgram{started: 1 + random.Intn(8)}
	for range l.started + 3 {
		var ops []op
		for range random.Intn(12) {
			ops = append(ops, op{
				opKind(random.Intn(int(opKinds))), random.Intn(liveThings), random.Intn(liveThings),
				Time(random.Intn(4)) * Time(1+random.Intn(2)*999),
			})
		}
		l.programs = append(l.programs, ops)
	}
	return l
}

// liveLog is what happened: one line per operation that ended.
type liveLog []string

func (l *liveLog) add(at Time, process, pc int, result any) {
	*l = append(*l, fmt.Sprintf("%d: process %d, operation %d: %v", at, process, pc, result))
}

// liveRun runs a program on an Env.
type liveRun struct {
	liveLog
	*liveProgram
	env      *Env
	stations [liveThings]*Resource
	signals  [liveThings]*Signal
	spawned  int
}

func runLive(program *liveProgram) *liveRun {
	l := &liveRun{liveProgram: program, env: NewEnv(NewKernel())}
	for i := range liveThings {
		l.stations[i] = l.env.Resource(1 + i)
		l.signals[i] = l.env.Signal()
	}
	for i := range program.started {
		l.spawn(i)
	}
	if err := l.env.Run(); err != nil {
		panic(err)
	}
	return l
}

func (l *liveRun) spawn(program int) *Process {
	id := l.spawned
	l.spawned++
	return l.env.Process(strconv.Itoa(id), func(p *Process) {
		var child *Process
		for pc, o := range l.programs[program] {
			var result any
			switch o.kind {
			case opSleep:
				p.Sleep(o.d)
			case opServe:
				l.stations[o.a].Acquire(p)
				p.Sleep(o.d)
				l.stations[o.a].Release()
			case opTrigger:
				result = l.signals[o.a].Trigger()
			case opDelayed:
				l.signals[o.a].TriggerAfter(o.d)
			case opAwait:
				result = p.Await(l.signals[o.a])
			case opAwaitFor:
				result = p.AwaitFor(l.signals[o.a], o.d)
			case opAnyOf:
				result = p.Await(l.env.AnyOf(l.signals[o.a], l.signals[o.b], l.env.Timeout(o.d)))
			case opAllOf:
				result = p.Await(l.env.AllOf(l.signals[o.a], l.signals[o.b]))
			case opAbort:
				result = l.signals[o.a].Abort()
			case opSpawn:
				if l.spawned < spawnLimit {
					child = l.spawn(l.started + o.a)
				}
			case opJoin:
				if child != nil {
					result = p.Await(child)
				}
			}
			l.add(p.Now(), id, pc, result)
		}
	})
}

// liveReference runs a program by continuations.
type liveReference struct {
	liveLog
	*liveProgram
	now      Time
	timed    []timedCall // in order of (time, order of scheduling)
	instant  []*refEvent // triggered at this instant, in order
	stations [liveThings]refStation
	signals  [liveThings]*refEvent
	spawned  int
}

type timedCall struct {
	at   Time
	call func()
}

// refEvent happens once, or is aborted.
type refEvent struct {
	triggered, happened, aborted bool
	waiting                      []func()
}

type refStation struct {
	free    int
	waiting []*refEvent
}

// refProcess is a process: its program and where it is.
type refProcess struct {
	id, pc int
	ops    []op
	ended  bool
	done   *refEvent
	child  *refProcess
}

func runReference(program *liveProgram) *liveReference {
	r := &liveReference{liveProgram: program}
	for i := range liveThings {
		r.stations[i].free = 1 + i
		r.signals[i] = new(refEvent)
	}
	for i := range program.started {
		r.spawn(i)
	}
	for len(r.timed) > 0 {
		next := r.timed[0]
		r.timed = r.timed[1:]
		r.now = next.at
		next.call()
		for len(r.instant) > 0 {
			ev := r.instant[0]
			r.instant = r.instant[1:]
			ev.happened = true
			ev.tell()
		}
	}
	return r
}

// after calls f at now + d, after all calls that are already scheduled for that time.
func (r *liveReference) after(d Time, f func()) {
	at := r.now + d
	i := len(r.timed)
	for i > 0 && r.timed[i-1].at > at {
		i--
	}
	r.timed = slices.Insert(r.timed, i, timedCall{at, f})
}

func (r *liveReference) trigger(ev *refEvent) bool {
	if ev.triggered || ev.aborted {
		return false
	}
	ev.triggered = true
	r.instant = append(r.instant, ev)
	return true
}

func (r *liveReference) abort(ev *refEvent) bool {
	if ev.triggered || ev.aborted {
		return false
	}
	ev.aborted = true
	ev.tell()
	return true
}

func (ev *refEvent) tell() {
	for _, f := range ev.waiting {
		f()
	}
	ev.waiting = nil
}

// await calls f once ev has happened or was aborted. An abort goes through a new event in
// the list of timed ones.
func (r *liveReference) await(ev *refEvent, f func()) {
	if ev.happened || ev.aborted {
		f()
		return
	}
	ev.waiting = append(ev.waiting, func() {
		if ev.aborted {
			r.after(0, f)
		} else {
			f()
		}
	})
}

func (r *liveReference) awaitFor(ev *refEvent, d Time, f func()) {
	over := false
	once := func() {
		if !over {
			over = true
			f()
		}
	}
	wait := !ev.happened && !ev.aborted
	r.await(ev, once)
	if wait {
		r.after(d, once)
	}
}

func (r *liveReference) anyOf(events ...*refEvent) *refEvent {
	first := new(refEvent)
	for _, ev := range events {
		if ev.happened {
			r.trigger(first)
			return first
		}
	}
	for _, ev := range events {
		ev.waiting = append(ev.waiting, func() {
			if ev.happened {
				r.trigger(first)
			}
		})
	}
	return first
}

func (r *liveReference) allOf(events ...*refEvent) *refEvent {
	last := new(refEvent)
	missing := 0
	for _, ev := range events {
		if ev.happened {
			continue
		}
		missing++
		if ev.aborted {
			continue // and so last never happens
		}
		ev.waiting = append(ev.waiting, func() {
			if ev.aborted {
				r.abort(last)
				return
			}
			if missing--; missing == 0 {
				r.trigger(last)
			}
		})
	}
	if missing == 0 {
		r.trigger(last)
	}
	return last
}

func (r *liveReference) timeout(d Time) *refEvent {
	ev := new(refEvent)
	r.after(d, func() { r.trigger(ev) })
	return ev
}

func (r *liveReference) spawn(program int) *refProcess {
	p := &refProcess{id: r.spawned, ops: r.programs[program], done: new(refEvent)}
	r.spawned++
	r.after(0, func() { r.step(p) })
	return p
}

// step runs the next operation of p, which then continues with the one after it.
func (r *liveReference) step(p *refProcess) {
	if p.pc == len(p.ops) {
		p.ended = true
		r.trigger(p.done)
		return
	}
	o := p.ops[p.pc]
	end := func(result any) {
		r.add(r.now, p.id, p.pc, result)
		p.pc++
		r.step(p)
	}
	happened := func(ev *refEvent) func() { return func() { end(ev.happened) } }
	switch o.kind {
	case opSleep:
		r.after(o.d, func() { end(nil) })
	case opServe:
		r.serve(&r.stations[o.a], o.d, func() { end(nil) })
	case opTrigger:
		end(r.trigger(r.signals[o.a]))
	case opDelayed:
		r.after(o.d, func() { r.trigger(r.signals[o.a]) })
		end(nil)
	case opAwait:
		r.await(r.signals[o.a], happened(r.signals[o.a]))
	case opAwaitFor:
		r.awaitFor(r.signals[o.a], o.d, happened(r.signals[o.a]))
	case opAnyOf:
		first := r.anyOf(r.signals[o.a], r.signals[o.b], r.timeout(o.d))
		r.await(first, happened(first))
	case opAllOf:
		last := r.allOf(r.signals[o.a], r.signals[o.b])
		r.await(last, happened(last))
	case opAbort:
		end(r.abort(r.signals[o.a]))
	case opSpawn:
		if r.spawned < spawnLimit {
			p.child = r.spawn(r.started + o.a)
		}
		end(nil)
	case opJoin:
		if p.child == nil {
			end(nil)
			return
		}
		if p.child.ended {
			end(true) // at once, even at the instant it ended
			return
		}
		r.await(p.child.done, happened(p.child.done))
	}
}

func (r *liveReference) serve(s *refStation, d Time, end func()) {
	hold := func() {
		r.after(d, func() {
			if len(s.waiting) > 0 {
				next := s.waiting[0]
				s.waiting = s.waiting[1:]
				r.trigger(next)
			} else {
				s.free++
			}
			end()
		})
	}
	if s.free > 0 {
		s.free--
		hold()
		return
	}
	turn := new(refEvent)
	s.waiting = append(s.waiting, turn)
	r.await(turn, hold)
}
