package nodes_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"overlapsim/network"
	"overlapsim/network/flow"
	"overlapsim/network/topology"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// faulty is a program that panics in one of its methods, on rank 1.
type faulty struct{ in string }

var errFault = errors.New("lost")

func (p faulty) fault(in string) {
	if p.in == in {
		panic(errFault)
	}
}

func (p faulty) Ranks() int              { p.fault("Ranks"); return 3 }
func (p faulty) Phases() []string        { p.fault("Phases"); return nil }
func (p faulty) Begin() programs.Program { p.fault("Begin"); return p }

func (p faulty) maker() network.Maker {
	return func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
		p.fault("Maker")
		shape, err := topology.NewCrossbar(3)
		if err != nil {
			return nil, err
		}
		f, err := flow.New(k, sink, shape, flow.Params{Latency: 5 * sim.Microsecond})
		return faultyFabric{f, p}, err
	}
}

func (p faulty) Step(rank, step int, do *programs.Ops) bool {
	if rank == 1 && step == 2 {
		p.fault("Step")
	}
	do.Compute(machines.Task{Time: 1}, 1)
	do.Put((rank+1)%3, 1000, 0)
	do.Wait(0)
	return step < 3
}

// faultyFabric panics in one of its methods.
type faultyFabric struct {
	network.Contended
	faulty
}

func (f faultyFabric) Latency(from, to int32, kind network.TransferKind) sim.Time {
	f.fault("Latency")
	return f.Contended.Latency(from, to, kind)
}

func (f faultyFabric) Start(t network.Transfer) {
	f.fault("Start")
	f.Contended.Start(t)
}

// checkPanic checks the error that came of errFault.
func checkPanic(t *testing.T, err error, in, function string) {
	t.Helper()
	var p *sim.Panic
	if !errors.As(err, &p) || !errors.Is(err, errFault) || p.In != in || !strings.Contains(string(p.Stack), function) {
		t.Errorf("in %s: got %v, want a panic in %s", function, err, in)
	}
}

// A panic of a compiled program, or of a fabric, is the error of the run.
func TestPanicsOfPrograms(t *testing.T) {
	for in, where := range map[string]string{
		"Ranks": "run", "Phases": "run", "Begin": "run", "Step": "rank 1", "Maker": "run", "Latency": "run", "Start": "run",
	} {
		p := faulty{in}
		must.Get(nodes.Run(cluster(), faulty{}, 1, nodes.Options{Fabric: faulty{}.maker()}))(t)
		_, err := nodes.Run(cluster(), p, 1, nodes.Options{Fabric: p.maker()})
		checkPanic(t, err, where, "faulty.fault")
	}
}

// fault panics where a live program calls it.
func fault() { panic(errFault) }

// faults are places in a live program where it panics, and what the error says about the place.
var faults = map[string]struct {
	in   string
	rank func(p *nodes.Process)
}{
	"at once":       {"rank 1", func(*nodes.Process) { fault() }},
	"after a while": {"rank 1", func(p *nodes.Process) { p.Compute(machines.Task{Time: 7}, 1); fault() }},
	"at its end":    {"rank 1", func(p *nodes.Process) { defer fault(); p.Compute(machines.Task{Time: 7}, 1) }},
	"in a callback": {"run", func(p *nodes.Process) { p.Env().After(5, fault); p.Await(p.Env().Signal()) }},
	"in a process": {`process "other" at 5ps`, func(p *nodes.Process) {
		p.Env().Process("other", func(o *sim.Process) { o.Sleep(5); fault() })
		p.Await(p.Env().Signal())
	}},
	"of the environment's end": {`process "other" at 11ps`, func(p *nodes.Process) {
		p.Env().Process("other", func(o *sim.Process) { defer fault(); o.Park() })
		p.Compute(machines.Task{Time: 9}, 1)
	}},
}

// Wherever a live program panics, the run ends with that error, even if other processes would go
// on for ever. These are unwound, and none is left behind.
func TestPanicsOfLivePrograms(t *testing.T) {
	for name, f := range faults {
		for _, endless := range []bool{false, true} {
			if name == "of the environment's end" && endless {
				continue // there is none
			}
			before, unwound := runtime.NumGoroutine(), 0
			_, err := nodes.RunLive(cluster(), 4, nil, func(p *nodes.Process) {
				defer func() { unwound++ }()
				if p.Rank() == 1 {
					f.rank(p)
				}
				p.Env().Process(fmt.Sprint("helper of ", p.Rank()), func(o *sim.Process) { o.Park() })
				for p.Compute(machines.Task{Time: 2}, 1); endless; {
					p.Compute(machines.Task{Time: 2}, 1)
				}
			}, 1, nodes.Options{})
			checkPanic(t, err, f.in, "nodes_test.fault")
			if name == "at once" && unwound < 1 || name != "at once" && unwound != 4 {
				t.Errorf("%s: %d ranks were unwound", name, unwound)
			}
			for runtime.NumGoroutine() > before { // where some are left, the time limit of the tests shows them
				time.Sleep(time.Millisecond)
			}
		}
	}
}

// What no run can do is a panic of the line that asks for it.
func TestMisuseOfLivePrograms(t *testing.T) {
	for want, misuse := range map[string]func(p *nodes.Process){
		"a message with rank 4, of 4 ranks":         func(p *nodes.Process) { p.Isend(4, 10, 0, 0) },
		"a message with rank -1, of 4 ranks":        func(p *nodes.Process) { p.Put(-1, 10, 0) },
		"a message of -10 bytes":                    func(p *nodes.Process) { p.Recv(0, -10, 0) },
		"request -9: the least number of one is -1": func(p *nodes.Process) { p.Wait(-9) },
		"request -7: the least number of one is -1": func(p *nodes.Process) { p.Test(-7) },
		"request -4: the least number of one is -1": func(p *nodes.Process) { p.Done(-4) },
		"phase 2, of 1":                             func(p *nodes.Process) { p.Phase(2); p.Barrier() },
		"a message with rank 9, of 4 ranks":         func(p *nodes.Process) { p.Start(func(do *programs.Ops) { do.Isend(9, 1, 0, 0) }, 1) },
	} {
		_, err := nodes.RunLive(cluster(), 4, []string{"all"}, func(p *nodes.Process) {
			if p.Rank() == 1 {
				misuse(p)
			}
			p.Barrier()
		}, 1, nodes.Options{})
		var wrong *sim.Panic
		if !errors.As(err, &wrong) || wrong.In != "rank 1" || !strings.Contains(fmt.Sprint(wrong.Value), "panic_test.go:") ||
			!strings.HasSuffix(fmt.Sprint(wrong.Value), ": "+want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// The memory of a live run does not grow with the number of tests for the end of a request.
func TestSignalsAreUsedAgain(t *testing.T) {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var after [2]uint64
	must.Get(nodes.RunLive(cluster(), 2, nil, func(p *nodes.Process) {
		for round := range 40_000 {
			p.Put(1-p.Rank(), 8, 0)
			p.Await(p.Done(0))
			p.Wait(0)
			if p.Rank() == 0 && (round == 10_000 || round == 39_999) {
				after[round/39_999] = heap()
			}
		}
	}, 1, nodes.Options{}))(t)
	if grown := int64(after[1]) - int64(after[0]); grown > 100_000 {
		t.Errorf("30,000 rounds keep %d bytes", grown)
	}
}
