package sim

import (
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/fschuetz04/simgo"
	"pgregory.net/rapid"
)

// compareLive runs a program both ways and compares what happened.
func compareLive(t interface{ Fatalf(string, ...any) }, program *liveProgram) {
	want := runReference(program)
	got := runLive(program)
	defer got.env.Shutdown()
	for i := range min(len(got.liveLog), len(want.liveLog)) {
		if got.liveLog[i] != want.liveLog[i] {
			t.Fatalf("%v\nline %d is\n%s, want\n%s", program, i, got.liveLog[i], want.liveLog[i])
		}
	}
	if len(got.liveLog) != len(want.liveLog) {
		t.Fatalf("%v\n%d lines, want %d", program, len(got.liveLog), len(want.liveLog))
	}
}

func TestLiveMatchesReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := NewStream(rapid.Uint64().Draw(t, "seed"))
		for range 50 {
			compareLive(t, drawLive(random))
		}
	})
}

// TestLiveUnderCollection: the garbage collector runs all the time, and no result
// changes. With simgo's finalizers left on, events that only a waiting process refers to
// are aborted; the race detector sees that too.
func TestLiveUnderCollection(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	random := NewStream(2)
	for range 200 {
		compareLive(t, drawLive(random))
	}
	v := NewEnv(NewKernel())
	for name, unreachable := range map[string]func() simgo.Awaitable{
		"AllOf(signal)": func() simgo.Awaitable { return v.AllOf(v.Signal()) },
		"AllOf(AllOf)":  func() simgo.Awaitable { return v.AllOf(v.AllOf(v.Signal())) },
		"AllOf(simgo's)": func() simgo.Awaitable {
			return v.AllOf(v.Simulation().AllOf(v.Signal()))
		},
		"simgo's AllOf": func() simgo.Awaitable { return v.Simulation().AllOf(v.Signal()) },
		"AllOf(AnyOf)":  func() simgo.Awaitable { return v.AllOf(v.AnyOf(v.Signal(), v.Signal())) },
	} {
		v.Process(name, func(p *Process) {
			for range 3 {
				start := p.Now()
				if p.AwaitFor(unreachable(), Microsecond) || p.Now() != start+Microsecond {
					t.Errorf("%s, which cannot happen, ended a wait of 1us after %v", name, p.Now()-start)
				}
			}
		})
	}
	v.Process("collects", func(p *Process) {
		for range 6 {
			p.Sleep(Microsecond / 2)
			collect()
		}
	})
	run(t, v)
}

// collect runs the garbage collector and waits until the finalizers have run.
func collect() {
	for range 2 {
		done := make(chan bool)
		runtime.SetFinalizer(&struct{ *int }{new(int)}, func(any) { close(done) })
		runtime.GC()
		<-done
	}
}

// TestLiveTwice: the same program gives the same log, with and without
// a busy collector.
func TestLiveTwice(t *testing.T) {
	random := NewStream(3)
	for range 50 {
		program := drawLive(random)
		first, second := runLive(program), runLive(program)
		if !slices.Equal(first.liveLog, second.liveLog) {
			t.Fatalf("%v: two runs differ", program)
		}
		first.env.Shutdown()
		second.env.Shutdown()
	}
}
