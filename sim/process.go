package sim

import (
	"fmt"
	"iter"

	"github.com/fschuetz04/simgo"
)

// Process is a Go function that lives in simulated time: a coroutine that
// runs whenever the kernel wakes it, alone, until it waits again.
type Process struct {
	env  *Env
	name string
	id   uint32
	turn uint32 // how often it was woken; a wake for another turn is stale
	body func(*Process)
	done *Signal // happens when it returns; nil if no process waits for that

	state state
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
}

type state uint8

const (
	created state = iota // its function was not yet called
	alive
	stopping // Shutdown ends it
	ended
)

// Process starts a process at Now, after all events that are already scheduled for Now.
// The name is used in messages.
func (v *Env) Process(name string, body func(*Process)) *Process {
	p := &Process{env: v, name: name, body: body}
	if n := len(v.freeIDs); n > 0 {
		p.id, v.freeIDs = v.freeIDs[n-1], v.freeIDs[:n-1]
		p.turn = v.processes[p.id].turn + 1
		v.processes[p.id] = p
	} else {
		p.id = uint32(len(v.processes))
		v.processes = append(v.processes, p)
	}
	p.next, p.stop = iter.Pull(p.live)
	p.WakeAt(v.Now())
	return p
}

// Name returns the name given to the process.
func (p *Process) Name() string { return p.name }

// Env returns the environment the process lives in.
func (p *Process) Env() *Env { return p.env }

// Now returns the simulated time.
func (p *Process) Now() Time { return p.env.Now() }

// Processed reports whether the process has returned. With it and the following methods a
// process is itself an event to await, which happens when the process returns.
func (p *Process) Processed() bool { return p.state == ended }

// Aborted returns false: a process is never given up, except by Shutdown, when no process
// waits any more.
func (p *Process) Aborted() bool { return false }

// AddHandler calls h when the process has returned.
func (p *Process) AddHandler(h simgo.Handler) { p.returned().AddHandler(h) }

// AddAbortHandler does nothing.
func (p *Process) AddAbortHandler(simgo.Handler) {}

// returned is the signal that p has returned.
func (p *Process) returned() *Signal {
	if p.done == nil {
		p.done = p.env.Signal()
	}
	return p.done
}

// Sleep lets d pass.
func (p *Process) Sleep(d Time) {
	p.WakeAt(Later(p.Now(), d))
	p.Park()
}

// Await waits until ev has happened, and reports whether it did: false means that it was
// aborted, or that something else woke p. It returns at once if ev was over before.
func (p *Process) Await(ev simgo.Awaitable) bool {
	if !ev.Processed() && !ev.Aborted() {
		p.watch(ev)
		p.Park()
	}
	return ev.Processed()
}

// AwaitFor waits until ev has happened, but no longer than d. It reports
// whether ev did.
func (p *Process) AwaitFor(ev simgo.Awaitable, d Time) bool {
	if !ev.Processed() && !ev.Aborted() {
		unwatch := p.watch(ev)
		p.WakeAt(Later(p.Now(), d))
		p.Park()
		unwatch()
	}
	return ev.Processed()
}

// watch wakes p in this turn when ev happens or is aborted. An abort may come from a
// running process, so its wake goes through the kernel.
func (p *Process) watch(ev simgo.Awaitable) (unwatch func()) {
	turn := p.turn
	return watch(ev, func() {
		switch {
		case p.turn != turn:
		case ev.Aborted():
			p.WakeAt(p.Now())
		default:
			p.run()
		}
	})
}

// Park waits until Resume is called or an event of WakeAt comes. All other waits are
// built on it: the code that parks a process is responsible for waking it.
func (p *Process) Park() {
	if p.env.current != p && p.state != stopping {
		panic(fmt.Sprintf("sim: process %q cannot wait: it does not run", p.name))
	}
	p.env.current = nil
	if !p.yield(struct{}{}) {
		panic(shutdown)
	}
}

// WakeAt schedules a kernel event that wakes p at the given time. If p is woken before
// that, the event does nothing. Forever never comes.
func (p *Process) WakeAt(at Time) {
	if at != Forever {
		p.env.kernel.Schedule(at, p.env.self, wakeEvent, uint64(p.id)<<32|uint64(p.turn))
	}
}

// Resume wakes a parked process now, without a kernel event. Only kernel handlers may
// call it; processes wake each other with WakeAt.
func (p *Process) Resume() {
	if p.env.current != nil || p.state != alive {
		panic(fmt.Sprintf("sim: Resume of process %q, which is not parked, or inside a process", p.name))
	}
	p.run()
	p.env.Drain()
}

// run switches to p until it parks or ends.
func (p *Process) run() {
	p.turn++
	p.env.current, p.env.latest = p, p
	p.next()
}

// live is a sequence; each of its steps is one turn of p.
func (p *Process) live(yield func(struct{}) bool) {
	p.yield, p.state = yield, alive
	defer p.leave()
	p.body(p)
	if p.done != nil {
		p.done.Trigger()
	}
}

// leave makes p an ended process. A panic continues as a *Panic with the
// process's name, unless it is how Shutdown ends p.
func (p *Process) leave() {
	r := recover()
	p.retire()
	if r != nil && r != shutdown {
		panic(Caught(fmt.Sprintf("process %q at %v", p.name, p.Now()), r))
	}
}

// retire frees the id of p.
func (p *Process) retire() {
	p.state, p.body = ended, nil
	p.env.current = nil
	p.env.freeIDs = append(p.env.freeIDs, p.id)
}

// end makes p end wherever it waits, and returns what it panicked with.
func (p *Process) end() (panicked any) {
	defer func() { panicked = recover() }()
	fresh := p.state == created
	p.state = stopping
	p.stop()
	if fresh {
		p.retire()
	}
	return nil
}

// shutdown is what Park panics with in a process that Shutdown ends.
var shutdown any = new(struct{ byte })
