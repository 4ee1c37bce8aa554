package nodes

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/network"
	"overlapsim/nodes/cores"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// twoWay returns a machine of nodes with n cores of two contexts. Floating point takes
// half as long again next to floating point, and a quarter longer next to the communication
// library. The library takes twice as long next to floating point.
func twoWay(n int) *machines.Machine {
	m := &machines.Machine{Name: "two-way", Cores: n, Processes: 2 * n, Sharing: &machines.Sharing{Contexts: 2, Synchronizing: cores.Poll}}
	s := &m.Sharing.SlowDown
	s[cores.FP][cores.FP], s[cores.FP][cores.Stack], s[cores.Stack][cores.FP], s[cores.FP][cores.Poll] = 1.5, 1.25, 2, 1.1
	return m
}

func computes(t ...sim.Time) (ops []programs.Op) {
	for _, t := range t {
		ops = append(ops, programs.Op{Kind: programs.OpCompute, Amount: int64(t)})
	}
	return ops
}

func runScript(t *testing.T, m *machines.Machine, o Options, ops ...[]programs.Op) *results.Result {
	t.Helper()
	return must.Get(Run(m, &script{atOnce: 2, ops: ops}, m.Processes, o))(t)
}

func wantFinish(t *testing.T, r *results.Result, want ...sim.Time) {
	t.Helper()
	if !slices.Equal(r.Finish, want) {
		t.Errorf("finish %d, want %d", r.Finish, want)
	}
}

// The first ranks of a node get a core each, the next ones its second context.
func TestSiblingsInterfere(t *testing.T) {
	m := twoWay(2)
	r := runScript(t, m, Options{}, computes(1000), computes(300), computes(400), nil)
	wantFinish(t, r, 600+800-200, 300, 600, 0) // rank 2 takes 400 * 1.5, next to rank 0
	if l := r.Ledgers[0][0]; l[results.Compute] != 1000 || l[results.Interference] != 200 {
		t.Errorf("ledger %v", l)
	}
	if l := r.Ledgers[1][0]; l[results.Compute] != 300 || l[results.Interference] != 0 {
		t.Errorf("ledger %v", l)
	}
}

// unpinned returns a machine of two cores that moves processes, which sleep when they wait.
func unpinned(first bool, balance sim.Time) *machines.Machine {
	m := twoWay(2)
	m.Sharing.Synchronizing, m.Barrier.Threads = cores.Blocked, 10
	m.Sharing.Scheduler = &machines.Scheduler{First: first, Balance: balance}
	return m
}

// A core that has been idle long enough takes over the second process of the other core.
func TestSchedulerBalances(t *testing.T) {
	for balance, want := range map[sim.Time]sim.Time{0: 300 + 800, 300: 600 + 600, 1199: 1499 + 1, 1300: 1500} {
		r := runScript(t, unpinned(false, balance), Options{Critical: true}, computes(1000), computes(300), computes(1000))
		wantFinish(t, r, want, 300, want)
		if l := r.Ledgers[2][0]; l[results.Compute] != 1000 || l[results.Interference] != want-1000 {
			t.Errorf("balance %v: ledger %v", balance, l)
		}
	}
}

// A process wakes up on the context that it had, or on the first one, where rank 2 is next to it.
func TestSchedulerWakes(t *testing.T) {
	meet := func(peer int32) []programs.Op { return []programs.Op{{Kind: programs.OpMeet, Peer: peer}} }
	for first, want := range map[bool][]sim.Time{false: {460, 1460, 2150}, true: {460, 1960, 2650}} {
		wantFinish(t, runScript(t, unpinned(first, 10_000), Options{Critical: true},
			append(computes(300), meet(1)...), append(meet(0), computes(1000)...), computes(2000)), want...)
	}
}

// A process sleeps while its post has no room. What lets it post wakes it, and so unbalances the cores.
func TestSchedulerSeesPosts(t *testing.T) {
	m := unpinned(false, 10)
	m.Network.Gap, m.Network.Outstanding, m.Network.QueueDepth, m.Network.Transfer = 5, 1, 1, network.PerByte(1)
	m.Runtime = &machines.Runtime{Waiting: machines.Block}
	put := func(request int32) programs.Op {
		return programs.Op{Kind: programs.OpPut, Peer: 4, Amount: 100, Request: request}
	}
	r := runScript(t, m, Options{Critical: true}, []programs.Op{put(0), put(1)}, nil, computes(1000), nil, nil)
	if l := r.Ledgers[0][0]; l[results.NICStall] == 0 {
		t.Errorf("nothing waits for room: %v", l)
	}
}

// Threads of a process stay together, as if nothing moved.
func TestThreadsStay(t *testing.T) {
	p := threaded{&script{atOnce: 1, ops: [][]programs.Op{computes(1000), computes(1000), computes(100), nil}}}
	r := must.Get(Run(unpinned(false, 0), p, 4, Options{}))(t)
	wantFinish(t, r, 1500, 1500, 100, 0)
}

// A process that moves cannot be where the kernel works, and nothing happens before it is due.
func TestSchedulerMistakes(t *testing.T) {
	m := unpinned(false, 0)
	m.Copying = &machines.Copying{Buffer: 1, Chunk: 1, Protocols: 1}
	for _, m := range []*machines.Machine{m, unpinned(false, -1)} {
		if _, err := Run(m, &script{atOnce: 1, ops: [][]programs.Op{nil}}, 1, Options{}); err == nil {
			t.Error("no error")
		}
	}
}

// Threads of a process are siblings.
func TestThreadsAreSiblings(t *testing.T) {
	m := twoWay(2)
	p := threaded{&script{atOnce: 1, ops: [][]programs.Op{computes(1000), computes(100), computes(1000), nil}}}
	r := must.Get(Run(m, p, 4, Options{}))(t)
	wantFinish(t, r, 1050, 150, 1000, 0)
	m.Sharing.Contexts = 1
	if _, err := Run(m, p, 2, Options{}); err == nil {
		t.Error("two threads on one context")
	}
}

type threaded struct{ *script }

func (threaded) Threads() int { return 2 }

// A rank in a barrier polls, or does not poll.
func TestWaitingProfile(t *testing.T) {
	barrier := programs.Op{Kind: programs.OpBarrier}
	m := twoWay(1)
	wantFinish(t, runScript(t, m, Options{}, append(computes(1000), barrier), []programs.Op{barrier}), 1100, 1100)
	m.Sharing.Synchronizing = cores.Blocked
	wantFinish(t, runScript(t, m, Options{}, append(computes(1000), barrier), []programs.Op{barrier}), 1000, 1000)
}

// Library work takes longer next to computation, and slows it.
func TestOverheadInterferes(t *testing.T) {
	m := twoWay(1)
	m.Network.SendOverhead = network.Constant(100)
	put := programs.Op{Kind: programs.OpPut, Peer: 2, Amount: 1}
	r := runScript(t, m, Options{}, computes(1000), []programs.Op{put}, nil)
	wantFinish(t, r, 1000+40, 200, 0) // 200 next to the library are 160 of work
	if l := r.Ledgers[1][0]; l[results.Overhead] != 200 {
		t.Errorf("ledger %v", l)
	}
}

// Interrupts suspend a computation; its sibling then runs next to the library.
func TestInterruptsSuspend(t *testing.T) {
	m := twoWay(1)
	m.Copying = &machines.Copying{ReceivePerByte: 10, Buffer: 100, Chunk: 100, Interrupts: true}
	send := programs.Op{Kind: programs.OpSend, Peer: 0, Amount: 20}
	receive := programs.Op{Kind: programs.OpReceive, Peer: 2, Request: 0}
	wait := programs.Op{Kind: programs.OpWait, Request: 0}
	r := runScript(t, m, Options{}, append([]programs.Op{receive}, append(computes(1500), wait)...), computes(1500), []programs.Op{send})
	// The chunk comes at 0 and is copied next to computation: 200 * 2. Rank 1 does
	// 400 / 1.25 in that time. Both then do the rest next to each other.
	wantFinish(t, r, 400+1180*3/2+320, 400+1180*3/2, 0)
	if l := r.Ledgers[0][0]; l[results.Compute] != 1500 || l[results.Overhead] != 400 || l[results.Interference] != 1180/2 {
		t.Errorf("ledger %v", l)
	}
}

// A helper thread next to its process slows the process. A helper on its own core
// does not. Both do the same work.
func TestHelperThread(t *testing.T) {
	send := programs.Op{Kind: programs.OpSend, Peer: 0, Amount: 20}
	receive := programs.Op{Kind: programs.OpReceive, Peer: 1, Request: 0}
	wait := programs.Op{Kind: programs.OpWait, Request: 0}
	for own, want := range map[bool]sim.Time{false: 1500 + 400/5, true: 1500} {
		m := twoWay(2)
		m.Processes = 1
		m.Network.ReceiveOverhead = network.Constant(200)
		m.Runtime = &machines.Runtime{Progress: machines.Progression{By: machines.Thread}}
		m.Sharing.OwnCore = own
		r := runScript(t, m, Options{}, append([]programs.Op{receive}, append(computes(1500), wait)...), []programs.Op{send})
		wantFinish(t, r, want, 0) // next to computation the job take lasts 400, and costs the computation a fifth of that
		if l := r.Ledgers[0][0]; l[results.Compute] != 1500 || l[results.Interference] != want-1500 {
			t.Errorf("ledger %v", l)
		}
	}
}

// Bytes that a NIC moves slow computations that need the memory, at both ends, and only
// those (Nishtala, Architectural Probes, section 6.6).
func TestDMAInterferes(t *testing.T) {
	m := &machines.Machine{Name: "m", Cores: 2, Processes: 1, Sharing: &machines.Sharing{Bandwidth: 4e9}}
	m.Network.Transfer = network.PerByte(500) // 2 GB/s
	m.Network.Latency = 1000
	put := programs.Op{Kind: programs.OpPut, Peer: 1, Amount: 100} // 50,000 ps
	stream := computationOf(100000, cores.Activity{Profile: cores.Memory, Demand: 3e9})
	// The NIC has 2 GB/s, and each of the others 2 of the 3 GB/s that it asks for.
	slow := sim.Time(100000 + 50000/3)
	r := runScript(t, m, Options{}, []programs.Op{put, stream}, []programs.Op{stream})
	for rank, got := range r.Finish {
		if got < slow || got > slow+1 {
			t.Errorf("rank %d ends at %d, want %d", rank, got, slow)
		}
	}
	light := computationOf(100000, cores.Activity{Profile: cores.FP, Demand: 1e9})
	wantFinish(t, runScript(t, m, Options{}, []programs.Op{put, light}, []programs.Op{light}), 100000, 100000)
}

// drawAny draws an instance; half of the instances have a library that Sharing supports.
func drawAny(t *rapid.T) *instance {
	if rapid.Bool().Draw(t, "library") {
		if in := drawLibrary(t); !in.machine.Runtime.Progress.By.Tests() {
			return in
		}
	}
	return drawInstance(t, rapid.Bool().Draw(t, "copying"))
}

func drawSharing(t *rapid.T, m *machines.Machine, in *instance) {
	s := &machines.Sharing{Contexts: rapid.IntRange(1, 2).Draw(t, "contexts"), Synchronizing: cores.Blocked}
	for a := range s.SlowDown {
		for b := range s.SlowDown[a] {
			s.SlowDown[a][b] = 1 + rapid.SampledFrom([]float64{0, 0.1, 0.5, 1.7}).Draw(t, "excess")
		}
	}
	s.Bandwidth = rapid.SampledFrom([]float64{0, 2e9, 1e12}).Draw(t, "bandwidth")
	m.Cores = (in.perNode + s.Contexts - 1) / s.Contexts
	if m.Runtime != nil && m.Runtime.Progress.By.OfThread() { // each has two threads
		m.Cores = (2*in.perNode + s.Contexts - 1) / s.Contexts
		s.OwnCore = s.Contexts == 1
	}
	if m.Sockets != nil {
		m.Sockets.Number = rapid.SampledFrom([]int{1, m.Cores}).Draw(t, "sockets")
	}
	for _, ops := range in.script.ops {
		for i := range ops {
			if ops[i].Kind == programs.OpCompute {
				ops[i].Profile = cores.Profile(rapid.IntRange(0, int(cores.NumProfiles)-1).Draw(t, "profile"))
				ops[i].Peer = int32(rapid.IntRange(0, 300_000).Draw(t, "demand"))
			}
		}
	}
	if rapid.Bool().Draw(t, "scheduler") {
		s.Scheduler = &machines.Scheduler{First: rapid.Bool().Draw(t, "first"),
			Balance: sim.Time(rapid.SampledFrom([]int{0, 1, 30, 1000}).Draw(t, "balance"))}
	}
	m.Sharing = s
}

// However ranks slow each other down, each computes exactly what it is asked to compute,
// and the ledgers sum to wall time (which every run checks).
func TestComputationIsConserved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawAny(t)
		plain, err := Run(in.machine, in.script, in.perNode, Options{})
		if err != nil {
			return // a deadlock of the program
		}
		drawSharing(t, in.machine, in)
		r, err := Run(in.machine, in.script, in.perNode, Options{})
		if err != nil { // wildcards may match otherwise
			return
		}
		for rank, ops := range in.script.ops {
			var asked, computed, lost sim.Time
			for _, op := range ops {
				if op.Kind == programs.OpCompute {
					asked += sim.Time(op.Amount)
				}
			}
			for _, l := range r.Ledgers[rank] {
				computed += l[results.Compute]
				lost += l[results.Interference]
			}
			if computed != asked || lost < 0 {
				t.Fatalf("rank %d computes %d of %d, and loses %d\n%v", rank, computed, asked, lost, in)
			}
			alone := in.perNode == 1 && in.machine.Sharing.Bandwidth == 0 && in.machine.Runtime == nil && in.machine.Noise == nil &&
				in.machine.NICs == nil // the cores of contexts are divided otherwise, and with them the NICs
			if alone && (lost > 0 || r.Finish[rank] != plain.Finish[rank]) {
				t.Fatalf("rank %d is alone and ends at %d, loses %d, want %d\n%v", rank, r.Finish[rank], lost, plain.Finish[rank], in)
			}
		}
	})
}

// A machine whose contexts do not slow each other is the same as one without contexts,
// except for the order of the things of one instant: a computation that a job suspended
// ends in another place among them. That matters in few cases.
func TestSharingNothing(t *testing.T) {
	cases, others := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		in := drawAny(t)
		in.machine.Sockets, in.machine.NICs = nil, nil // the cores of contexts are divided otherwise
		plain, failure := Run(in.machine, in.script, in.perNode, Options{})
		drawSharing(t, in.machine, in)
		in.machine.Sharing.SlowDown = [cores.NumProfiles][cores.NumProfiles]float64{}
		in.machine.Sharing.Bandwidth = rapid.SampledFrom([]float64{0, 1e15}).Draw(t, "enough")
		r, err := Run(in.machine, in.script, in.perNode, Options{})
		cases++
		if !engineOutcome(r, err).equals(engineOutcome(plain, failure)) {
			others++
		}
	})
	if others*20 > cases {
		t.Errorf("%d of %d cases are another run without contexts", others, cases)
	}
}

// A post that waits for the NIC pays its overhead next to what its sibling does then, not
// next to what the sibling did when the post began, even if both slow it down as much.
func TestQueuedPostBesideSibling(t *testing.T) {
	m := &machines.Machine{Name: "m", Cores: 1, Processes: 2, Copying: &machines.Copying{Buffer: 64, Chunk: 64},
		IntraNode: &machines.IntraNode{Copy: network.PerByte(1e8)}}
	m.Network = network.LogGOPS{SendOverhead: network.PerByte(1e8), Gap: 30_000_100_000, QueueDepth: 1}
	m.Sharing = &machines.Sharing{Contexts: 2, Synchronizing: cores.Poll}
	for a := range cores.NumProfiles {
		for b := range cores.NumProfiles {
			m.Sharing.SlowDown[a][b] = 1
		}
	}
	m.Sharing.SlowDown[cores.Stack][cores.FP], m.Sharing.SlowDown[cores.Stack][cores.Stack] = 1.5, 1.5
	posts := []programs.Op{put(2, 41, 0), put(2, 43, 1), compute(90_000_700_000)}
	sibling := []programs.Op{compute(20_300_000_000), put(0, 401, 0)}
	rapid.Check(t, func(t *rapid.T) {
		var sum smoothTally
		in := &slopeCase{instance: &instance{machine: m, perNode: 2,
			script: &script{phases: 1, atOnce: 1, ops: [][]programs.Op{posts, sibling, nil, nil}}}}
		in.smooth(t, &sum)
		if sum.beside != 1 {
			t.Errorf("the makespan depends on what the sibling does then: %+v", sum)
		}
	})
}

// A wait that begins with a look at an empty queue finds a message that comes during the look. What is left of the look
// and the search after it are slowed down by the sibling: the later the message, the less is left.
func TestLookBesideSibling(t *testing.T) {
	m := &machines.Machine{Name: "m", Cores: 1, Processes: 2,
		Runtime: &machines.Runtime{Search: 2_000_000_000, Unexpected: network.Cost{{Base: 1_500_000_000}}}}
	m.Network.Latency = 1_200_000_000
	m.Sharing = &machines.Sharing{Contexts: 2, Synchronizing: cores.Poll}
	for a := range cores.NumProfiles {
		for b := range cores.NumProfiles {
			m.Sharing.SlowDown[a][b] = 1
		}
	}
	m.Sharing.SlowDown[cores.Stack][cores.FP], m.Sharing.SlowDown[cores.FP][cores.Stack] = 4, 2
	receiver := []programs.Op{irecv(2, 0, 0), compute(700_000_000), wait(0)}
	in := &slopeCase{instance: &instance{machine: m, perNode: 2, script: &script{phases: 1, atOnce: 1,
		ops: [][]programs.Op{receiver, {compute(30_000_000_000)}, {isend(0, 8, 0, 0)}, nil}}}}
	_, r, err := in.run(m)
	if err != nil {
		t.Fatal(err)
	}
	// At 1.2 ms 1.0 ms of the look are left, and 1.0 ms of search: 8 ms at a quarter of the speed, in which the sibling
	// does half of its work. So 1 ms of latency more makes it 4 ms, and the sibling ends 2 ms earlier.
	if want := []sim.Time{9_200_000_000, 34_000_000_000}; !slices.Equal(r.Finish[:2], want) {
		t.Errorf("the receiver and its sibling end at %v, want %v", r.Finish[:2], want)
	}
	at := slices.IndexFunc(r.Slopes, func(s results.Slope) bool { return s.Parameter == "network.latency" })
	if at < 0 || math.Abs(r.Slopes[at].Derivative+2) > 1e-9 {
		t.Errorf("derivatives %v, want -2 by the latency", r.Slopes)
	}
}
