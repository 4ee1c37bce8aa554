package sim

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/fschuetz04/simgo"
)

// run runs v until nothing is pending and ends what is left.
func run(t *testing.T, v *Env) {
	t.Helper()
	defer v.Shutdown()
	if err := v.Run(); err != nil {
		t.Fatal(err)
	}
}

func TestPanicCarriesTheProcessName(t *testing.T) {
	v := NewEnv(NewKernel())
	cause := errors.New("out of flour")
	v.Process("baker", func(p *Process) {
		p.Sleep(3 * Microsecond)
		panic(cause)
	})
	v.Process("waiter", func(p *Process) { p.Park() })
	message := panicOf(func() { v.Run() })
	for _, want := range []string{`process "baker" at 3us`, "out of flour", "TestPanicCarriesTheProcessName.func1"} {
		if !strings.Contains(message, want) {
			t.Errorf("panic lacks %q:\n%s", want, message)
		}
	}
	v.Shutdown()
}

func TestMisusePanics(t *testing.T) {
	for _, c := range []struct {
		name, want string
		body       func(p *Process)
	}{
		{"shutdown", `process "p" called Shutdown`, func(p *Process) { p.Env().Shutdown() }},
		{"park another", `process "q" cannot wait`, func(p *Process) { p.Env().Process("q", nil).Park() }},
		{"resume inside", `Resume of process "p"`, func(p *Process) { p.Resume() }},
		{"negative sleep", "before now 0s", func(p *Process) { p.Sleep(-1) }},
		{"release", "capacity 2 that nobody holds", func(p *Process) { p.Env().Resource(2).Release() }},
	} {
		v := NewEnv(NewKernel())
		v.Process("p", c.body)
		if message := panicOf(func() { v.Run() }); !strings.Contains(message, c.want) {
			t.Errorf("%s: panic %q lacks %q", c.name, message, c.want)
		}
		v.Shutdown()
	}
}

// TestSimgoTimeIsRefused: every way to let time pass in simgo ends the run with an error
// that says what to call instead.
func TestSimgoTimeIsRefused(t *testing.T) {
	for name, body := range map[string]func(p *Process){
		"Timeout":        func(p *Process) { p.Await(p.Env().Simulation().Timeout(5)) },
		"TriggerDelayed": func(p *Process) { p.Env().Signal().TriggerDelayed(5) },
	} {
		v := NewEnv(NewKernel())
		v.Process("hasty", func(p *Process) {
			p.Sleep(2 * Microsecond)
			body(p)
			p.Sleep(Microsecond)
			t.Errorf("%s: the process went on at %v", name, p.Now())
		})
		err := v.Run()
		if err == nil {
			t.Fatalf("%s: no error", name)
		}
		for _, want := range []string{"at 2us", `process "hasty"`, "of 5 ", "Process.Sleep, Env.Timeout or Signal.TriggerAfter"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error lacks %q: %v", name, want, err)
			}
		}
		if again := v.RunUntil(Second); again != err || v.Err() != err {
			t.Errorf("%s: the error is forgotten: %v", name, again)
		}
		v.Shutdown()
	}
}

// TestHandlersMustDrain: a kernel handler that triggers a signal ends with Drain; without
// it the next use of the environment panics, which may be an event or the end of the run.
func TestHandlersMustDrain(t *testing.T) {
	for _, drains := range []bool{true, false} {
		for _, more := range []bool{true, false} {
			k := NewKernel()
			v := NewEnv(k)
			s := v.Signal()
			id := k.Register(handlerFunc(func(Event) {
				s.Trigger()
				if drains {
					v.Drain()
				}
			}))
			var woken Time
			v.Process("waits", func(p *Process) {
				p.Await(s)
				woken = p.Now()
			})
			k.Schedule(Microsecond, id, 0, 0)
			if more {
				v.After(Millisecond, func() {})
			}
			message := panicOf(func() { v.Run() })
			switch {
			case drains && (message != "" || woken != Microsecond):
				t.Errorf("woken at %v, panic %q", woken, message)
			case !drains && !strings.Contains(message, "Env.Drain"):
				t.Errorf("no Drain, more events %v: panic %q", more, message)
			}
			v.Shutdown()
		}
	}
}

// TestResume: a kernel handler wakes a process directly, and the signals that the process
// triggers are delivered before the next event.
func TestResume(t *testing.T) {
	k := NewKernel()
	v := NewEnv(k)
	var log []string
	note := func(who string) { log = append(log, fmt.Sprintf("%s at %v", who, v.Now())) }
	s := v.Signal()
	served := v.Process("served", func(p *Process) {
		p.Park()
		note("served")
		s.Trigger()
		p.WakeAt(5 * Microsecond) // stale: the handler comes first
		p.Park()
		note("served again")
		p.Sleep(10 * Microsecond)
		note("slept")
	})
	v.Process("friend", func(p *Process) {
		p.Await(s)
		note("friend")
	})
	id := k.Register(handlerFunc(func(e Event) {
		note("handler")
		served.Resume()
	}))
	k.Schedule(Microsecond, id, 0, 0)
	k.Schedule(Microsecond, id, 0, 0)
	run(t, v)
	want := []string{"handler at 1us", "served at 1us", "friend at 1us", "handler at 1us", "served again at 1us", "slept at 11us"}
	if !slices.Equal(log, want) {
		t.Errorf("log %q, want %q", log, want)
	}
}

// TestShutdown: processes in every state end, their deferred functions run,
// and no goroutine is left.
func TestShutdown(t *testing.T) {
	before := runtime.NumGoroutine()
	v := NewEnv(NewKernel())
	ended := 0
	never := v.Signal()
	for _, body := range []func(p *Process){
		func(p *Process) { p.Sleep(Second) },
		func(p *Process) { p.Await(never) },
		func(p *Process) { p.AwaitFor(never, Second) },
		func(p *Process) { p.Await(v.AllOf(v.Process("child", (*Process).Park))) },
		func(p *Process) {
			defer p.Sleep(1) // waits while it ends
			p.Park()
		},
	} {
		v.Process("waits", func(p *Process) {
			defer func() { ended++ }()
			body(p)
			t.Error("went on after Shutdown")
		})
	}
	v.RunUntil(Microsecond)
	v.Process("never started", func(p *Process) { t.Error("started") })
	if n := len(v.Waiting()); n != 7 {
		t.Errorf("%d processes wait, want 7", n)
	}
	v.Shutdown()
	if ended != 5 || len(v.Waiting()) != 0 {
		t.Errorf("%d of 5 deferred functions ran, %d processes left", ended, len(v.Waiting()))
	}
	awaitGoroutines(before)
}

// awaitGoroutines waits for goroutines that have nothing more to do to end, on a slow machine too:
// where they do not, the time limit of the tests shows them.
func awaitGoroutines(want int) {
	for runtime.NumGoroutine() > want {
		time.Sleep(time.Millisecond)
	}
}

func TestShutdownPassesPanicsOn(t *testing.T) {
	before := runtime.NumGoroutine()
	v := NewEnv(NewKernel())
	for range 2 {
		v.Process("sore loser", func(p *Process) {
			defer func() { panic("no") }()
			p.Park()
		})
	}
	v.Run()
	if message := panicOf(v.Shutdown); !strings.Contains(message, `process "sore loser" at 0s: panic: no`) {
		t.Errorf("panic %q", message)
	}
	awaitGoroutines(before)
}

// TestNothingIsLeftBehind: a process that gives up on a long-lived signal leaves no
// watcher in it, and ids and calls are reused.
func TestNothingIsLeftBehind(t *testing.T) {
	v := NewEnv(NewKernel())
	long := v.Signal()
	v.Process("impatient", func(p *Process) {
		for range 1000 {
			p.AwaitFor(long, Microsecond)
			p.Await(v.AnyOf(long, v.Timeout(Microsecond)))
			p.Await(v.Process("child", func(p *Process) { p.Sleep(1) }))
		}
	})
	run(t, v)
	if n := long.watchers.Len(); n != 0 {
		t.Errorf("%d watchers left in the signal", n)
	}
	// simgo's list of handlers cannot shrink: it may hold only our own handler.
	if n := reflect.ValueOf(long.Event).Elem().FieldByName("handlers").Len(); n != 1 {
		t.Errorf("%d handlers left in the signal, want 1", n)
	}
	if len(v.processes) > 2 || len(v.calls) > 1 {
		t.Errorf("%d ids and %d calls, want 2 and 1", len(v.processes), len(v.calls))
	}
}

// TestEventsAreCollected: events that are never triggered, and that their own
// handlers hold, are collected. With simgo's finalizers they would not be.
func TestEventsAreCollected(t *testing.T) {
	v := NewEnv(NewKernel())
	for name, event := range map[string]func() *simgo.Event{
		"signal": func() *simgo.Event {
			s := v.Signal()
			s.AddHandler(func(*simgo.Event) { s.Abort() })
			return s.Event
		},
	} {
		pointer := weak.Make(event())
		for range 2 {
			v.Drain()
			runtime.GC()
		}
		if pointer.Value() != nil {
			t.Errorf("the %s is still there", name)
		}
	}
}

// TestTriggerBeforeRun: signals triggered before the run happen at its start.
func TestTriggerBeforeRun(t *testing.T) {
	v := NewEnv(NewKernel())
	s := v.Signal()
	s.Trigger()
	happened := false
	v.Process("late", func(p *Process) { happened = s.Processed() })
	run(t, v)
	if !happened {
		t.Error("the signal did not happen")
	}
}

// TestStaleWakes: a wake for an ended process, scheduled before or after its end, wakes
// neither it nor the next process with its id.
func TestStaleWakes(t *testing.T) {
	v := NewEnv(NewKernel())
	never := v.Signal()
	var log []string
	note := func(what string) { log = append(log, fmt.Sprint(what, " at ", v.Now())) }
	s := v.Signal()
	s.AddHandler(func(*simgo.Event) { note("signal") })
	s.TriggerAfter(4) // a stale wake leaves later waits as they are
	first := v.Process("first", func(p *Process) {
		p.WakeAt(10)
		p.WakeAt(2)
		p.Park()
		p.WakeAt(3)
		p.WakeAt(8)
		note("first ends")
	})
	v.After(5, func() {
		first.WakeAt(5)
		first.WakeAt(7)
		v.After(0, func() { note("between") })
		v.Process("second", func(p *Process) {
			note("second starts")
			p.AwaitFor(never, 15)
			note("second ends")
		})
	})
	run(t, v)
	want := []string{"first ends at 2ps", "signal at 4ps", "between at 5ps", "second starts at 5ps", "second ends at 20ps"}
	if len(v.processes) != 1 || !slices.Equal(log, want) {
		t.Errorf("%d ids, log %q, want %q", len(v.processes), log, want)
	}
}

// TestStrayWake: a process that was woken out of turn is not woken again by what it
// waited for then.
func TestStrayWake(t *testing.T) {
	v := NewEnv(NewKernel())
	s := v.Signal()
	s.TriggerAfter(5)
	p := v.Process("p", func(p *Process) {
		if p.Await(s) || p.Now() != 1 {
			t.Errorf("woken at %v, signal %v", p.Now(), s.Processed())
		}
		p.Sleep(10)
		if p.Now() != 11 {
			t.Errorf("slept until %v, want 11ps", p.Now())
		}
	})
	v.After(0, func() { p.WakeAt(1) })
	run(t, v)
}

// TestForeverNeverComes: a process that waits forever still waits at the end, and does
// not delay the end.
func TestForeverNeverComes(t *testing.T) {
	v := NewEnv(NewKernel())
	never := v.Timeout(Forever)
	v.Process("sleeps", func(p *Process) { p.Sleep(Forever) })
	v.Process("awaits", func(p *Process) {
		p.Sleep(Second)
		p.AwaitFor(never, Forever)
	})
	if err := v.Run(); err != nil || v.Now() != Second || len(v.Waiting()) != 2 {
		t.Errorf("ended at %v with %d waiting, error %v", v.Now(), len(v.Waiting()), err)
	}
	v.Shutdown()
}

func TestAbort(t *testing.T) {
	v := NewEnv(NewKernel())
	lost, kept := v.Signal(), v.Signal()
	var log []string
	v.Process("waits", func(p *Process) {
		log = append(log, fmt.Sprint("lost ", p.Await(lost), p.Now()))
		log = append(log, fmt.Sprint("lost before ", p.Await(lost), p.AwaitFor(lost, Second), p.Now()))
	})
	v.Process("all", func(p *Process) { log = append(log, fmt.Sprint("all ", p.Await(v.AllOf(kept, lost)), p.Now())) })
	v.Process("any", func(p *Process) { log = append(log, fmt.Sprint("any ", p.Await(v.AnyOf(kept, lost)), p.Now())) })
	v.Process("aborts", func(p *Process) {
		p.Sleep(Microsecond)
		lost.Abort()
		log = append(log, "aborted")
		p.Sleep(Microsecond)
		kept.Trigger()
	})
	run(t, v)
	want := []string{"aborted", "lost false 1us", "lost before false false 1us", "all false 1us", "any true 2us"}
	if !slices.Equal(log, want) {
		t.Errorf("log %q, want %q", log, want)
	}
}

func TestResourceGivenUp(t *testing.T) {
	v := NewEnv(NewKernel())
	r := v.Resource(1)
	var log []string
	hold := func(name string) {
		v.Process(name, func(p *Process) {
			r.Acquire(p)
			log = append(log, fmt.Sprint(name, " at ", p.Now()))
			p.Sleep(Microsecond)
			r.Release()
		})
	}
	hold("first")
	v.Process("gives up", func(p *Process) {
		request := r.Request()
		p.AwaitFor(request, Nanosecond)
		request.Abort()
	})
	hold("second")
	hold("third")
	run(t, v)
	if want := []string{"first at 0s", "second at 1us", "third at 2us"}; !slices.Equal(log, want) {
		t.Errorf("log %q, want %q", log, want)
	}
	if r.held != 0 {
		t.Errorf("%d units still held", r.held)
	}
}

// TestMM1 compares a queue with one server with the closed form: with arrivals
// of rate λ and service of rate μ, both exponential, a customer spends
// 1/(μ-λ) in the system on average.
func TestMM1(t *testing.T) {
	const customers, λ, μ = 100_000, 0.5, 1.0 // rates per microsecond
	v := NewEnv(NewKernel())
	server := v.Resource(1)
	arrivals, services := NewStream(1, 0), NewStream(1, 1)
	total := Time(0)
	v.Process("arrivals", func(p *Process) {
		for range customers {
			p.Sleep(arrivals.Exp(Seconds(1e-6 / λ)))
			v.Process("customer", func(p *Process) {
				arrived := p.Now()
				server.Acquire(p)
				p.Sleep(services.Exp(Seconds(1e-6 / μ)))
				server.Release()
				total += p.Now() - arrived
			})
		}
	})
	run(t, v)
	mean, want := total.Seconds()/customers, 1e-6/(μ-λ)
	// Times in the system correlate over about 2/(1-λ/μ)² customers.
	if off := math.Abs(mean/want - 1); off > 5*math.Sqrt(2*8/float64(customers)) {
		t.Errorf("mean time in the system %.4g s, closed form %.4g s", mean, want)
	}
}

// TestWakeDoesNotAllocate: neither a sleep nor a park and resume allocates.
func TestWakeDoesNotAllocate(t *testing.T) {
	k := NewKernel()
	v := NewEnv(k)
	for i := range 100 {
		v.Process("sleeper", func(p *Process) {
			for {
				p.Sleep(Time(i))
				p.WakeAt(p.Now() + 10)
				p.Park()
			}
		})
	}
	for range 100_000 {
		k.Step()
	}
	if n := testing.AllocsPerRun(5, func() {
		for range 10_000 {
			k.Step()
		}
	}); n > 0 {
		t.Errorf("%v allocations for 10000 wakes", n)
	}
	v.Shutdown()
}
