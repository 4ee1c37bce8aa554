package workloads

import (
	"slices"
	"strings"
	"testing"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// interpret makes a process run a compiled program, call by call.
func interpret(p *nodes.Process, program programs.Program) {
	var do programs.Ops
	for step := 0; ; step++ {
		do.Reset()
		more := program.Step(p.Rank(), step, &do)
		for i := 0; i < len(do.List()); i++ {
			op := do.List()[i]
			switch op.Kind {
			case programs.OpStart:
				rest := do.List()[i+1:]
				n := slices.IndexFunc(rest, func(op programs.Op) bool { return op.Kind == programs.OpStarted })
				p.Start(func(do *programs.Ops) { do.Add(rest[:n]...) }, int(op.Request))
				i += n + 1
			case programs.OpCompute:
				p.Compute(machines.Task{Time: sim.Time(op.Amount), Activity: op.Activity()}, 1)
			case programs.OpPut:
				p.Put(int(op.Peer), op.Amount, int(op.Request))
			case programs.OpGet:
				p.Get(int(op.Peer), op.Amount, int(op.Request))
			case programs.OpSignal:
				p.Signal(int(op.Peer), op.Amount, int(op.Tag), int(op.Request))
			case programs.OpTest:
				p.Test(int(op.Request))
			case programs.OpSend:
				if op.Strided {
					p.IsendStrided(int(op.Peer), op.Amount, int(op.Tag), int(op.Request))
					continue
				}
				p.Isend(int(op.Peer), op.Amount, int(op.Tag), int(op.Request))
			case programs.OpReceive:
				p.Irecv(int(op.Peer), op.Amount, int(op.Tag), int(op.Request))
			case programs.OpWait:
				p.Wait(int(op.Request))
			case programs.OpBarrier:
				p.Barrier()
			case programs.OpMeet:
				p.Meet(int(op.Peer))
			case programs.OpPhase:
				p.Phase(int(op.Phase))
			}
		}
		if !more {
			return
		}
	}
}

// The same program takes the same time compiled and live: every span, message, ledger and
// finish time is equal.
func TestLiveEqualsCompiled(t *testing.T) {
	must.Long(t)
	m := peerMachine()
	m.Cores, m.Processes = 4, 2
	m.Network.Rendezvous = 5000
	m.Network.QueueDepth, m.Network.Outstanding = 1, 4
	m.Barrier.PerRound = 3000 * ns
	m.Barrier.Threads = 2000 * ns
	m.Kernels, m.Peak = allKernels, 1e9
	copying := *m
	copying.Copying = &machines.Copying{SendPerByte: 300, ReceivePerByte: 200, Buffer: 4096, Chunk: 1024, Interrupts: true,
		Interrupt: 500 * ns}
	for _, m := range []*machines.Machine{m, &copying} {
		for _, name := range Names() {
			kind, _ := Lookup(name)
			w := kind.New()
			if _, ok := w.(Filed); ok {
				continue // its order depends on what comes first
			}
			shrink(w)
			ranks := 8
			switch w.(type) {
			case *denseWorkload, *denseBest:
				ranks = 4
			}
			if strings.HasPrefix(name, "overlap-") {
				ranks = 2
			}
			program, err := w.Program(m, ranks)
			if err != nil {
				t.Fatal(name, err)
			}
			want, err := nodes.Run(m, program, 2, nodes.Options{Timeline: true})
			if err != nil {
				t.Fatal(name, err)
			}
			body := func(p *nodes.Process) { interpret(p, program) }
			got, err := nodes.RunLive(m, ranks, program.Phases(), body, 2, nodes.Options{Timeline: true})
			if err != nil {
				t.Fatal(name, err)
			}
			compare(t, name, want, got)
		}
	}
}

// shrink makes a workload small enough to compare span by span.
func shrink(w Workload) {
	switch w := w.(type) {
	case *ft:
		w.Rows, w.RowLength = 64, 64
	case *ftContinuum:
		w.Rows, w.RowLength, w.Messages = 64, 64, 16
	case *floodLinks:
		w.X, w.Y, w.Z, w.Links, w.Messages, w.Window = 4, 2, 1, 2, 6, 2
	case *nasFT:
		w.NX, w.NY, w.NZ = 32, 16, 16
	case *denseWorkload:
		w.Size = 64
	case *halo:
		w.Iterations = 5
	case *advection:
		w.X, w.Y, w.Steps = 21, 10, 17
	case *shift:
		w.Bytes, w.Repeat = 3000, 3
	case *oneCollective:
		w.Bytes = 9000
	case *osuNBC:
		w.Bytes = 9000
	case *collective:
		w.Bytes = min(w.Bytes, 9000)
	}
}

func compare(t *testing.T, name string, want, got *results.Result) {
	t.Helper()
	if !slices.Equal(want.Finish, got.Finish) || want.Messages != got.Messages || want.Events != got.Events {
		t.Errorf("%s: finish %v, %d events, want %v, %d", name, got.Finish, got.Events, want.Finish, want.Events)
	}
	for r := range want.Ledgers {
		if !slices.Equal(want.Ledgers[r], got.Ledgers[r]) {
			t.Errorf("%s: rank %d: %v, want %v", name, r, got.Ledgers[r], want.Ledgers[r])
		}
	}
	if !slices.Equal(want.Timeline.Messages, got.Timeline.Messages) {
		t.Errorf("%s: the messages differ", name)
	}
	for i, lane := range want.Timeline.Lanes {
		if !slices.Equal(lane.Spans, got.Timeline.Lanes[i].Spans) {
			t.Errorf("%s: %s differs", name, lane.Name)
		}
	}
}

// A process that tests for a message can do other things until the message arrives.
func TestLiveTest(t *testing.T) {
	m := &machines.Machine{Name: "test", Cores: 1, Processes: 1, Network: network.LogGOPS{Latency: 10 * ns}}
	tests := 0
	_, err := nodes.RunLive(m, 2, nil, func(p *nodes.Process) {
		if p.Rank() == 0 {
			p.Compute(machines.Task{Time: 25 * ns}, 1)
			p.Send(1, 1, 0)
			return
		}
		p.Irecv(0, 1, 0, 0)
		for !p.Test(0) {
			p.Compute(machines.Task{Time: 10 * ns}, 1)
			tests++
		}
		if p.Now() != 40*ns { // sent at 25, there at 35, seen at the end of the fourth
			t.Errorf("seen at %v", p.Now())
		}
		p.Wait(0)
	}, 1, nodes.Options{})
	if err != nil || tests != 4 {
		t.Errorf("%d tests, %v", tests, err)
	}
}

// Processes that wait for ever end with the run, whose error names them.
func TestLiveDeadlock(t *testing.T) {
	m := &machines.Machine{Name: "test", Cores: 1, Processes: 1}
	ended := 0
	_, err := nodes.RunLive(m, 2, nil, func(p *nodes.Process) {
		defer func() { ended++ }()
		p.Recv(1-p.Rank(), 8, 7)
	}, 1, nodes.Options{})
	const want = "deadlock: rank 0 waits for a message with tag 7 from rank 1, which waits for a message with tag 7 from rank 0: a cycle"
	if err == nil || err.Error() != want || ended != 2 {
		t.Errorf("%v, %d ended; want %s", err, ended, want)
	}
}

func TestLivePanicNamesTheRank(t *testing.T) {
	m := &machines.Machine{Name: "test", Cores: 1, Processes: 1}
	_, err := nodes.RunLive(m, 2, nil, func(p *nodes.Process) {
		if p.Rank() == 1 {
			panic("lost")
		}
	}, 1, nodes.Options{})
	if err == nil || !strings.HasPrefix(err.Error(), "rank 1: panic: lost\n") {
		t.Errorf("got %v", err)
	}
}

// A process waits for the first of: one of two messages, a timer, or
// a signal of another process.
func TestLiveComposition(t *testing.T) {
	m := &machines.Machine{Name: "test", Cores: 1, Processes: 1, Network: network.LogGOPS{Latency: 10 * ns}}
	var door *sim.Signal
	var seen []sim.Time
	look := func(p *nodes.Process) { seen = append(seen, p.Now()) }
	must.Get(nodes.RunLive(m, 3, nil, func(p *nodes.Process) {
		switch p.Rank() {
		case 0:
			door = p.Env().Signal()
			p.Irecv(1, 1, 0, 0)
			p.Irecv(2, 1, 0, 1)
			early, late := p.Done(0), p.Done(1)
			p.Await(p.Env().AnyOf(p.Env().Timeout(20*ns), early, late)) // the timer, at 20
			look(p)
			p.Await(p.Env().AnyOf(early, late)) // rank 2's message, sent at 15
			look(p)
			p.Await(p.Env().AllOf(early, late)) // and rank 1's, sent at 60
			look(p)
			p.Wait(0)
			p.Wait(1)
			door.Trigger()
		case 1:
			p.Compute(machines.Task{Time: 60 * ns}, 1)
			p.Send(0, 1, 0)
			p.Await(door) // triggered by rank 0 when it has both
			look(p)
		case 2:
			p.Compute(machines.Task{Time: 15 * ns}, 1)
			p.Send(0, 1, 0)
		}
	}, 1, nodes.Options{}))(t)
	if want := []sim.Time{20 * ns, 25 * ns, 70 * ns, 70 * ns}; !slices.Equal(seen, want) {
		t.Errorf("seen at %v, want %v", seen, want)
	}
}

func TestLiveAwaitForEver(t *testing.T) {
	m := &machines.Machine{Name: "test", Cores: 1, Processes: 1}
	_, err := nodes.RunLive(m, 1, nil, func(p *nodes.Process) { p.Await(p.Env().Signal()) }, 1, nodes.Options{})
	if err == nil || err.Error() != "deadlock: rank 0 waits for an event that never happens" {
		t.Errorf("got %v", err)
	}
}

func TestLiveRequestUsedTwice(t *testing.T) {
	m := &machines.Machine{Name: "test", Cores: 1, Processes: 1}
	_, err := nodes.RunLive(m, 2, nil, func(p *nodes.Process) {
		p.Put(1-p.Rank(), 8, 3)
		p.Put(1-p.Rank(), 8, 3)
	}, 1, nodes.Options{})
	if err == nil || err.Error() != "rank 0 uses request 3 again before it has waited for it" {
		t.Errorf("got %v", err)
	}
}
