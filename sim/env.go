package sim

import (
	"fmt"

	"github.com/fschuetz04/simgo"
)

// Env runs live processes on a kernel: ordinary Go functions that sleep and
// wait in simulated time.
//
// The kernel owns time. Each sleep is one kernel event that switches straight
// to the process. Signals, AnyOf and AllOf are simgo events, which
// carry no time: what a process or a kernel handler triggers is delivered
// at the same instant, before the kernel's next event.
type Env struct {
	kernel     *Kernel
	self       HandlerID
	simulation *simgo.Simulation

	processes []*Process // by Process.id; ended ones until their id is reused
	freeIDs   []uint32
	calls     []func() // by the Arg of call events
	freeCalls []uint32

	current  *Process // the running process, if any
	latest   *Process // the process that ran last
	draining bool
	err      error
}

// Kinds of the Env's own events.
const (
	wakeEvent uint32 = iota // Arg is the process and the turn the wake is for
	callEvent               // Arg is the index of the function
)

// NewEnv returns an environment for live processes on k.
func NewEnv(k *Kernel) *Env {
	v := &Env{kernel: k, simulation: simgo.NewSimulation()}
	v.self = k.Register(v)
	return v
}

// Kernel returns the kernel that owns the environment's time.
func (v *Env) Kernel() *Kernel { return v.kernel }

// Now returns the simulated time.
func (v *Env) Now() Time { return v.kernel.Now() }

// Simulation returns the simgo simulation that carries the environment's
// zero-delay events, for use with simgo's own types. Time does not pass in
// it: a simgo Timeout or TriggerDelayed makes Run fail.
func (v *Env) Simulation() *simgo.Simulation { return v.simulation }

// Run runs the kernel until no event is pending. Processes that still wait at the end are
// no error; Waiting returns them. A timer is an event even if no process waits for it any
// more, so Now may be later than the end of the last process.
func (v *Env) Run() error {
	return v.drive(v.kernel.Run)
}

// RunUntil runs the kernel as Kernel.RunUntil does.
func (v *Env) RunUntil(t Time) error {
	return v.drive(func() { v.kernel.RunUntil(t) })
}

func (v *Env) drive(run func()) error {
	v.Drain()
	if v.err == nil {
		run()
		v.checkDrained()
	}
	return v.err
}

// Err returns the error that ended the run, for callers that run the kernel without Run. The only
// such error is that time passed in simgo.
func (v *Env) Err() error { return v.err }

// Handle wakes a process or calls a function, then delivers what it
// triggered.
func (v *Env) Handle(e Event) {
	if v.err != nil {
		return
	}
	v.checkDrained()
	if e.Kind == callEvent {
		v.call(uint32(e.Arg))
	} else if p := v.processes[e.Arg>>32]; p.turn == uint32(e.Arg) && p.state != ended {
		p.run()
	}
	v.Drain()
}

// checkDrained panics if a signal was triggered and not delivered.
func (v *Env) checkDrained() {
	if v.err == nil && v.simulation.Step() {
		panic(fmt.Sprintf("sim: a signal was triggered outside all processes and not delivered until %v: end that kernel handler with "+
			"Env.Drain", v.Now()))
	}
}

// call runs a function of After.
func (v *Env) call(i uint32) {
	f := v.calls[i]
	v.calls[i] = nil
	v.freeCalls = append(v.freeCalls, i)
	f()
}

// After calls f at Now + d, outside all processes. Forever never comes.
func (v *Env) After(d Time, f func()) {
	at := Later(v.Now(), d)
	if at == Forever {
		return
	}
	i := uint32(len(v.calls))
	if n := len(v.freeCalls); n > 0 {
		i, v.freeCalls = v.freeCalls[n-1], v.freeCalls[:n-1]
		v.calls[i] = f
	} else {
		v.calls = append(v.calls, f)
	}
	v.kernel.Schedule(at, v.self, callEvent, uint64(i))
}

// Drain delivers the signals triggered at this instant. A kernel handler that
// triggers one, or uses a Resource, must end with Drain; for
// processes and functions of After the environment does it.
func (v *Env) Drain() {
	if v.draining || v.current != nil {
		return // the caller of the running process drains
	}
	v.draining = true
	for v.err == nil && v.simulation.Step() {
		if late := v.simulation.Now(); late != 0 {
			v.fail(late)
		}
	}
	v.draining = false
}

// fail ends the run because time passed in simgo.
func (v *Env) fail(late float64) {
	who := "outside all processes"
	if v.latest != nil {
		who = fmt.Sprintf("in process %q or one it woke", v.latest.name)
	}
	v.err = fmt.Errorf("sim: at %v, %s: a simgo Timeout or TriggerDelayed of %g passed the kernel's clock by; use Process.Sleep, "+
		"Env.Timeout or Signal.TriggerAfter",
		v.Now(), who, late)
	v.kernel.Stop()
}

// Waiting returns the processes that have not ended, in the same order in every run.
func (v *Env) Waiting() (waiting []*Process) {
	for _, p := range v.processes {
		if p.state != ended {
			waiting = append(waiting, p)
		}
	}
	return waiting
}

// Shutdown ends all processes that have not ended. What they wait for never happens;
// their deferred functions run. Nothing of the environment may be used after it. If
// deferred functions panic, the first panic is passed on once all processes have ended.
func (v *Env) Shutdown() {
	if v.current != nil {
		panic(fmt.Sprintf("sim: process %q called Shutdown", v.current.name))
	}
	var first any
	for _, p := range v.Waiting() {
		if r := p.end(); r != nil && first == nil {
			first = r
		}
	}
	v.simulation.Shutdown()
	if first != nil {
		panic(first)
	}
}
