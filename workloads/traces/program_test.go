package traces

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/nodes/without"
	"overlapsim/sim"
	"overlapsim/sim/must"
	"overlapsim/workloads/collectives"
)

// library chooses for tests.
func library(t testing.TB, name string) *collectives.Library {
	t.Helper()
	l := collectives.LibraryNamed(name)
	if l == nil {
		t.Fatal(name)
	}
	return l
}

// program makes a trace a program.
func program(t testing.TB, trace Trace, o Options) *Program {
	t.Helper()
	if o.Blocking == nil {
		o.Blocking, o.Started = library(t, "mpich-4"), library(t, "mpich-4")
	}
	s := must.Get(Look(trace))(t)
	return must.Get(s.Program(o))(t)
}

func run(t testing.TB, p programs.Program, threshold int64) *results.Result {
	t.Helper()
	return must.Get(nodes.Run(cluster(threshold), p, 1, nodes.Options{}))(t)
}

// A program that is written as a trace and as operations takes the same time on every rank,
// with eager messages and with rendezvous.
func TestAsOperations(t *testing.T) {
	for seed := range uint64(400) {
		a := write(seed)
		for _, threshold := range []int64{0, 1000} {
			want, got := run(t, a.lists(), threshold), run(t, program(t, a.trace, Options{}), threshold)
			if !slices.Equal(want.Finish, got.Finish) || want.Messages != got.Messages || want.Bytes != got.Bytes {
				t.Fatalf("seed %d, threshold %d: as operations %v, %d messages; as a trace %v, %d messages", seed, threshold,
					want.Finish, want.Messages, got.Finish, got.Messages)
			}
		}
	}
}

// Steps asked for in any order are those of a rank in order.
func TestStepsAgain(t *testing.T) {
	p := program(t, write(3).trace, Options{})
	var all [][]programs.Op
	for step := 0; ; step++ {
		var do programs.Ops
		if !p.Step(1, step, &do) {
			break
		}
		all = append(all, slices.Clone(do.List()))
	}
	for _, step := range []int{len(all) - 1, 0, 2, 1, 1} {
		var do programs.Ops
		if !p.Step(1, step, &do) || !slices.Equal(do.List(), all[step]) {
			t.Errorf("step %d: %v, first %v", step, do.List(), all[step])
		}
	}
	if do := new(programs.Ops); p.Step(1, len(all), do) {
		t.Error("there is a step behind the last one")
	}
}

// each gives every rank the same calls.
func each(ranks int, calls ...Call) *Memory {
	m := &Memory{Head: Header{Ranks: ranks, Comms: []Comm{{}}}}
	for range ranks {
		m.Ranks = append(m.Ranks, calls)
	}
	return m
}

// Operations that can be started and waited for.
var startable = []CallKind{Barrier, Broadcast, Reduce, Allreduce, Allgather, Alltoall, Gather, Scatter, Scan}

// A non-blocking collective that is waited for at once takes as long as the same algorithm
// in rounds, or less where messages come in another order than they are waited for; begun
// before a computation, it never takes longer than one after the other.
func TestStartedCollectives(t *testing.T) {
	const work = 100 * sim.Microsecond
	for _, name := range []string{"openmpi-libnbc", "mpich-4"} {
		o := Options{Blocking: library(t, name), Started: library(t, name)}
		for _, kind := range startable {
			for _, ranks := range []int{1, 2, 3, 5, 8} {
				c, wait := Call{Kind: kind, Bytes: int64(ranks) * 20000}, Call{Kind: Wait, Requests: []int32{0}}
				alone := run(t, program(t, each(ranks, c), o), 0).Makespan()
				c.Start = true
				at := run(t, program(t, each(ranks, c, wait), o), 0).Makespan()
				wait.Before = work
				beside := run(t, program(t, each(ranks, c, wait), o), 0).Makespan()
				if at > alone || at < alone*9/10 || beside > alone+work || beside < work {
					t.Errorf("%s: %s of %d ranks takes %v, waited for at once %v, beside %v %v", name, kind, ranks, alone, at, work, beside)
				}
			}
		}
	}
}

// A library that works in calls begins a round only there: tests within a computation help.
func TestTestsHelp(t *testing.T) {
	start, wait := Call{Kind: Allreduce, Bytes: 8, Start: true}, Call{Kind: Wait, Requests: []int32{0}}
	const (
		part     = 50 * sim.Microsecond
		overhead = sim.Microsecond
		hop      = 5*sim.Microsecond + 8*sim.Nanosecond + 2*overhead
	)
	wait.Before = 4 * part
	without := run(t, program(t, each(8, start, wait), Options{}), 0).Makespan()
	wait.Before = part
	test := Call{Kind: Test, Before: part, Tries: 1}
	with := run(t, program(t, each(8, start, test, test, test, wait), Options{}), 0).Makespan()
	if without != 4*part+2*overhead+2*hop || with != 4*part+3*2*overhead {
		t.Errorf("an allreduce of three rounds beside %v takes %v, with tests %v", 4*part, without, with)
	}
}

// Tests that follow the one which completed a request in the recording are tests of it as long as it is not over here; then, as in
// Open MPI and MPICH, they move nothing.
func TestTestsAfterTheEnd(t *testing.T) {
	const part = 50 * sim.Microsecond
	start, wait := Call{Kind: Allreduce, Bytes: 8, Start: true}, Call{Kind: Wait, Before: part, Requests: []int32{0}}
	failed, null := Call{Kind: Test, Before: part, Tries: 1}, Call{Kind: Test, Before: part, Among: 1}
	found := null
	found.Requests = []int32{0}
	put, over := Call{Kind: Put, Peer: 0, Bytes: 8, Request: 1}, null
	over.Requests = []int32{1}
	end := wait
	end.Requests = nil
	length := func(calls ...Call) sim.Time { return run(t, program(t, each(8, calls...), Options{}), 0).Makespan() }
	with, without := length(start, failed, failed, failed, wait), length(start, null, null, null, wait)
	if got := length(start, found, null, null, end); got != with || with >= without {
		t.Errorf("tests after the recorded end: %v; tests %v, tests of nothing %v", got, with, without)
	}
	const posted = sim.Microsecond // the overhead of the put, which is over when the collective starts
	if got := length(put, over, start, null, null, null, wait); got != posted+part+without {
		t.Errorf("tests of what is over: %v, want %v", got, posted+part+without)
	}
	s := must.Get(Look(each(8, start, found, null, null, end, null)))(t)
	if tests, polls := s.Tests(); tests != 3*8 || polls != 0 {
		t.Errorf("%d tests, %d rows that are waits; want 24 and none: the last one has nothing to test", tests, polls)
	}
}

// A test that succeeded in the recording may fail: the program continues, and its next wait waits for the
// message. Tests in a row without computation are a wait.
func TestTestsMayFail(t *testing.T) {
	late := each(2, Call{Kind: Irecv, Peer: 1, Bytes: 8, Request: 0})
	late.Ranks[1] = []Call{{Kind: Send, Before: 100 * sim.Microsecond, Peer: 0, Bytes: 8}}
	after := []Call{{Kind: Irecv, Peer: 1, Bytes: 8}, {}, {Kind: Put, Before: 50 * sim.Microsecond, Peer: 1, Request: 0},
		{Kind: Wait, Requests: []int32{0}}}
	finish := func(test Call) sim.Time {
		test.Kind, test.Requests = Test, []int32{0}
		after[1] = test
		late.Ranks[0] = after
		return run(t, program(t, late, Options{}), 0).Finish[0]
	}
	const come, put = 107*sim.Microsecond + 8*sim.Nanosecond, 11 * sim.Microsecond
	if at := finish(Call{Before: 30 * sim.Microsecond}); at != come {
		t.Errorf("with a test that finds nothing it ends at %v, want %v", at, come)
	}
	if at, want := finish(Call{Before: 30 * sim.Microsecond, Tries: 2}), come+50*sim.Microsecond+put; at != want {
		t.Errorf("having polled it ends at %v, want %v", at, want)
	}
}

// Whatever call waits next, what a test found in the recording is complete when it ends: the message that arrives at
// 57 us costs its receiver 1 us, and the last 100 us follow. A call that does not wait goes on.
func TestFoundBeforeWhatFollows(t *testing.T) {
	const us = sim.Microsecond
	for name, c := range map[string]struct {
		next, other Call // of rank 0, and of rank 2
		goesOn      bool
	}{
		"wait":                 {next: Call{Kind: Wait}},
		"receive":              {Call{Kind: Recv, Peer: 2, Bytes: 10}, Call{Kind: Send, Bytes: 10}, false},
		"probe":                {Call{Kind: Probe, Peer: 2, Bytes: 10}, Call{Kind: Send, Bytes: 10}, false},
		"send":                 {Call{Kind: Send, Peer: 2, Bytes: 10}, Call{Kind: Recv, Bytes: 10}, false},
		"exchange":             {Call{Kind: Sendrecv, Peer: 2, From: 2, Bytes: 10, In: 10}, Call{Kind: Sendrecv, Bytes: 10, In: 10}, false},
		"barrier":              {Call{Kind: Barrier, Comm: 1}, Call{Kind: Barrier, Comm: 1}, false},
		"copied":               {Call{Kind: Send, Peer: 2, Bytes: 10, Copied: true}, Call{Kind: Recv, Bytes: 10}, true},
		"started":              {Call{Kind: Barrier, Comm: 1, Start: true, Request: 1}, Call{Kind: Barrier, Comm: 1}, true},
		"nobody":               {next: Call{Kind: Recv, Peer: Nobody}, goesOn: true},
		"exchange with nobody": {next: Call{Kind: Sendrecv, Peer: Nobody, From: Nobody}, goesOn: true},
	} {
		c.next.Before = 10 * us
		found := Call{Kind: Test, Before: 10 * us, Requests: []int32{0}}
		m := &Memory{Head: Header{Ranks: 3, Comms: []Comm{{}, {Ranks: []int32{0, 2}}}}, Ranks: [][]Call{
			{{Kind: Irecv, Peer: 1, Bytes: 1000}, found, c.next, {Kind: End, Before: 100 * us}},
			{{Kind: Send, Bytes: 1000, Before: 50 * us}},
			{c.other},
		}}
		if c.next.Kind == Probe {
			m.Ranks[0] = append(m.Ranks[0][:3:3], Call{Kind: Recv, Peer: 2, Bytes: 10}, m.Ranks[0][3])
		}
		const arrives = 50*us + us + 5*us + us
		got, want := run(t, program(t, m, Options{}), 0).Finish[0], arrives+us+100*us
		if c.goesOn && got >= want || !c.goesOn && got != want {
			t.Errorf("%s: ends at %v; what was found is received at %v", name, got, arrives+us)
		}
	}
}

// Collectives under way go on while a rank waits for something else, so that programs whose
// ranks wait in different orders end.
func TestOrdersOfWaits(t *testing.T) {
	const big = 1 << 20
	start := Call{Kind: Broadcast, Bytes: big, Start: true}
	wait := Call{Kind: Wait, Requests: []int32{0}}
	for _, between := range []Call{{Kind: Barrier}, {Kind: Alltoall, Bytes: 6000}, {Kind: Allreduce, Bytes: big}} {
		m := each(6, start, wait, between)
		m.Ranks[0] = []Call{start, between, wait}
		m.Ranks[3] = []Call{start, between, wait}
		for _, name := range []string{"openmpi-libnbc", "mpich-4"} {
			l := library(t, name)
			run(t, program(t, m, Options{Blocking: l, Started: l}), 1000)
		}
	}
}

// Sums of sizes are right where blocks have unequal sizes.
func TestUnevenBytes(t *testing.T) {
	const n = 5
	between := func(from, to int) int64 { return int64(1 + 10*from + 3*to) }
	m := &Memory{Head: Header{Ranks: n, Comms: []Comm{{}}}}
	want := int64(0)
	for me := range n {
		all := Call{Kind: Alltoall, Uneven: true}
		gather := Call{Kind: Gather, Uneven: true, Peer: 2, Bytes: between(me, 2)}
		scatter := Call{Kind: Scatter, Uneven: true, Peer: 1, Bytes: between(1, me)}
		for other := range n {
			all.Out, all.Into = append(all.Out, between(me, other)), append(all.Into, between(other, me))
			if other != me {
				want += between(me, other)
			}
		}
		if me == 2 {
			gather.Into = all.Into
		}
		if me == 1 {
			scatter.Out = all.Out
		}
		if me != 2 {
			want += between(me, 2)
		}
		if me != 1 {
			want += between(1, me)
		}
		m.Ranks = append(m.Ranks, []Call{all, gather, scatter})
	}
	if got := run(t, program(t, m, Options{}), 0).Bytes; got != want {
		t.Errorf("%d bytes were sent, should be %d", got, want)
	}
}

// Computation is scaled, by phases too, and may be wall time.
func TestScaling(t *testing.T) {
	m := each(2, Call{Kind: Test, Before: 10 * sim.Microsecond, Away: sim.Microsecond},
		Call{Kind: End, Phase: 1, Before: 20 * sim.Microsecond})
	m.Head.Phases = []string{"first", "second"}
	for _, c := range []struct {
		o    Options
		want sim.Time
	}{
		{Options{}, 30}, {Options{Compute: 2}, 60}, {Options{Compute: 2, Phases: map[string]float64{"second": 0.5}}, 40},
		{Options{Wall: true}, 31},
	} {
		if got := run(t, program(t, m, c.o), 0).Makespan(); got != c.want*sim.Microsecond {
			t.Errorf("%+v: %v, should be %d us", c.o, got, c.want)
		}
	}
}

// What cannot be simulated is refused by name, with how often it was called.
func TestRefused(t *testing.T) {
	m := each(2, Call{Kind: Barrier})
	m.Head.Missing = []Count{{"MPI_Win_fence", 7}}
	m.Ranks[0] = append(slices.Clone(m.Ranks[0]), Call{Kind: Send, Peer: 1, Sync: true}, Call{Kind: Irecv, Peer: 1, Tag: AnyTag},
		Call{Kind: Recv, Peer: 1, Tag: AnyTag}, Call{Kind: Recv, Peer: Nobody, Tag: AnyTag})
	m.Ranks[1] = append(slices.Clone(m.Ranks[1]), Call{Kind: NeighbourGather}, Call{Kind: Reduce, Start: true, Request: 3})
	s, err := Look(m)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Program(Options{Blocking: library(t, "mpich-4"), Started: library(t, "cray-mpich-8"), Phases: map[string]float64{"x": 2}})
	var refused *Refused
	if !errors.As(err, &refused) || len(refused.Counts) != 3 {
		t.Fatal(err)
	}
	for _, want := range []string{"MPI_Win_fence (7 calls)", "a synchronous send (MPI_Ssend, MPI_Issend) (1 calls)",
		"any tag together with collectives or other communicators (2 calls)",
		`no phase "x"; it has none`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nshould have %q", err, want)
		}
	}
}

// A rank that misuses its requests or communicators is named with its call.
func TestMistakes(t *testing.T) {
	start := Call{Kind: Isend, Request: 2, Peer: 1}
	for want, calls := range map[string][]Call{
		"rank 0, call 0: wait completes request 4, which is not in use":                 {{Kind: Wait, Requests: []int32{4}}},
		"rank 0, call 1: isend starts request 2, which is in use":                       {start, start},
		"rank 0, call 0: send: peer 2 is not possible":                                  {{Kind: Send, Peer: 2}},
		"rank 0, call 0: barrier on communicator 1, of which rank 0 is not a member":    {{Kind: Barrier, Comm: 1}},
		"rank 0, call 0: bcast on communicator 0, of which its root -1 is not a member": {{Kind: Broadcast, Peer: -1}},
		"rank 0, call 0: send: communicator 2 is not possible":                          {{Kind: Send, Comm: 2}},
	} {
		m := each(2, calls...)
		m.Head.Comms = append(m.Head.Comms, Comm{Ranks: []int32{1}})
		if _, err := Look(m); err == nil || err.Error() != want {
			t.Errorf("%v: %v, should be %s", calls, err, want)
		}
	}
}

// A communicator without members is a mistake of the trace.
func TestEmptyCommunicator(t *testing.T) {
	m := each(2, Call{Kind: Barrier})
	m.Head.Comms = append(m.Head.Comms, Comm{Ranks: []int32{}})
	if _, err := Look(m); err == nil || err.Error() != "communicator 1: has no member" {
		t.Error(err)
	}
}

// Messages on different communicators with the same tag are different messages.
func TestCommunicators(t *testing.T) {
	m := &Memory{Head: Header{Ranks: 2, Comms: []Comm{{}, {Ranks: []int32{1, 0}}}}}
	m.Ranks = [][]Call{
		{{Kind: Send, Peer: 1, Tag: 5, Bytes: 10}, {Kind: Send, Comm: 1, Peer: 1, Tag: 5, Bytes: 90_000}},
		{{Kind: Recv, Comm: 1, Peer: 0, Tag: 5, Bytes: 90_000}, {Kind: Recv, Peer: 0, Tag: 5, Bytes: 10}},
	}
	p := program(t, m, Options{})
	run(t, p, 0)
	tags := func(rank int) (tags []int32) {
		var do programs.Ops
		for step := 0; p.Step(rank, step, &do); step++ {
		}
		for _, op := range do.List() {
			if op.Kind != programs.OpWait {
				tags = append(tags, op.Tag)
			}
		}
		return tags
	}
	if sent, received := tags(0), tags(1); sent[0] == sent[1] || sent[0] != received[1] || sent[1] != received[0] {
		t.Errorf("sent with tags %v, received with %v", sent, received)
	}
}

func ExampleRefused() {
	fmt.Println((&Refused{Counts: []Count{{"MPI_Put", 3}}}).Error())
	// Output: the trace has calls that cannot be simulated: MPI_Put (3 calls)
}

// One-sided operations are over at the wait that their synchronisation stands for: the same run as
// that of the operations themselves.
func TestRemote(t *testing.T) {
	m := &Memory{Head: Header{Ranks: 2, Comms: []Comm{{}}}}
	m.Ranks = [][]Call{{
		{Kind: Put, Peer: 1, Bytes: 90_000, Request: 0}, {Kind: Get, Peer: 1, Bytes: 5000, Request: 1},
		{Kind: Put, Peer: Nobody, Bytes: 7, Request: 2}, {Kind: Put, Peer: 1, Bytes: 3, Request: NoRequest},
		{Kind: Wait, Before: 3 * sim.Microsecond, Requests: []int32{0, 1, 2}}, {Kind: Send, Peer: 1},
	}, {{Kind: Recv, Peer: 0}}}
	var ops [2]programs.Ops
	ops[0].Put(1, 90_000, 10)
	ops[0].Get(1, 5000, 11)
	ops[0].Put(1, 3, 12)
	ops[0].Compute(machines.Task{Time: 3 * sim.Microsecond}, 1)
	ops[0].Wait(10)
	ops[0].Wait(11)
	ops[0].Send(1, 0, 0)
	ops[0].Wait(12)
	ops[1].Recv(0, 0, 0)
	got, want := run(t, program(t, m, Options{}), 0), run(t, direct{ops[0].List(), ops[1].List()}, 0)
	if got.Makespan() != want.Makespan() || got.Bytes != 95_003 || got.Bytes != want.Bytes {
		t.Errorf("%v and %d bytes, should be %v and %d", got.Makespan(), got.Bytes, want.Makespan(), want.Bytes)
	}
	m.Ranks[1][0] = Call{Kind: Get, Peer: AnySource}
	if _, err := Look(m); err == nil || !strings.Contains(err.Error(), "get: peer -1 is not possible") {
		t.Error(err)
	}
}

// Computation that is a kernel takes as many times as long as the machine is slower in it, in the
// phase that is named, or in all that are not, and has the kernel's number.
func TestKernels(t *testing.T) {
	m := &Memory{Head: Header{Ranks: 1, Comms: []Comm{{}}, Phases: []string{"a", "b"}}}
	m.Ranks = [][]Call{{{Kind: End, Before: 10 * sim.Microsecond}}}
	like := func(number int32) machines.Task { return machines.Task{Kernel: number} }
	for _, c := range []struct {
		kernels map[string]Kernel
		phases  map[string]float64
		want    sim.Time
		number  int32
	}{
		{nil, nil, 10, 0},
		{map[string]Kernel{"": {like(3), 2}}, nil, 20, 3},
		{map[string]Kernel{"a": {like(4), 0.5}, "": {like(3), 2}}, nil, 5, 4},
		{map[string]Kernel{"b": {like(4), 0.5}}, nil, 10, 0},
		{map[string]Kernel{"b": {like(4), 0.5}, "": {like(3), 2}}, map[string]float64{"a": 3}, 60, 3},
	} {
		p := program(t, m, Options{Kernels: c.kernels, Phases: c.phases})
		var do programs.Ops
		p.Step(0, 0, &do)
		if op := do.List()[0]; op.Amount != int64(c.want*sim.Microsecond) || op.Kernel != c.number {
			t.Errorf("%v: %+v, should take %d us and be kernel %d", c.kernels, op, c.want, c.number)
		}
	}
}

// A trace whose ranks do not fit together says which call no other rank fits.
func TestRanksThatDoNotFit(t *testing.T) {
	send, recv := Call{Kind: Send, Peer: 1, Tag: 5, Bytes: 8}, Call{Kind: Recv, Peer: 0, Tag: 5, Bytes: 8}
	other, long, small := recv, send, recv
	other.Tag, long.Bytes, small.Bytes = 6, 100, 50
	exchange := Call{Kind: Sendrecv, Peer: Nobody, From: 0, FromTag: 5, In: 50}
	for _, c := range []struct {
		ranks [][]Call
		want  string
	}{
		{[][]Call{{send, send, {Kind: End}}, {recv}}, "rank 0, call 1: sends message 2 with tag 5 to rank 1, which receives 1 of these"},
		{[][]Call{{send}, {recv, recv}}, "rank 1, call 1: receives message 2 with tag 5 from rank 0, which sends 1 of these"},
		{[][]Call{{send}, {other}}, "rank 0, call 0: sends message 1 with tag 5 to rank 1, which receives 0 of these"},
		{[][]Call{{send, {Kind: Barrier}, long}, {recv, {Kind: Barrier}, small}},
			"rank 1, call 2: receives message 2 with tag 5 from rank 0 in 50 bytes, and it has 100 (call 2)"},
		{[][]Call{{send, long}, {recv, exchange}}, "rank 1, call 1: receives message 2 with tag 5 from rank 0 in 50 bytes, and it has 100 (call 1)"},
		{[][]Call{{{Kind: Barrier}, {Kind: Allreduce, Bytes: 8}}, {{Kind: Barrier}, {Kind: Broadcast, Bytes: 8}}},
			"rank 1, call 1: bcast, as collective 2 on communicator 0, of which rank 0 calls allreduce there (call 1)"},
		{[][]Call{{{Kind: Barrier}, {Kind: Barrier}, {Kind: End}}, {{Kind: Barrier}, {Kind: End}}},
			"rank 1, call 1: end, as collective 2 on communicator 0, of which rank 0 calls barrier there (call 1)"},
		{[][]Call{{{Kind: Make}, {Kind: Make}, {Kind: End}}, {{Kind: Make}, {Kind: End}}},
			"rank 1, call 1: end, as collective 2 on communicator 0, of which rank 0 calls make there (call 1)"},
		{[][]Call{{{Kind: Barrier}, {Kind: Allreduce, Bytes: 8}}, {{Kind: Barrier}, {Kind: Allreduce, Bytes: 12}}},
			"rank 1, call 1: allreduce of 12 bytes, as collective 2 on communicator 0, of which rank 0 calls allreduce of 8 bytes there (call 1)"},
		{[][]Call{{{Kind: Alltoall, Bytes: 16}}, {{Kind: Alltoall, Bytes: 24}}},
			"rank 1, call 0: alltoall of 24 bytes, as collective 1 on communicator 0, of which rank 0 calls alltoall of 16 bytes there (call 0)"},
		{[][]Call{{{Kind: Gather, Bytes: 16}}, {{Kind: Gather, Bytes: 24}}},
			"rank 1, call 0: gather of 24 bytes, as collective 1 on communicator 0, of which rank 0 calls gather of 16 bytes there (call 0)"},
		{[][]Call{{{Kind: Gather, Bytes: 16}}, {{Kind: Gather, Bytes: 16, Peer: 1}}},
			"rank 1, call 0: gather with root 1, as collective 1 on communicator 0, of which rank 0 calls gather with root 0 there (call 0)"},
		{[][]Call{{{Kind: Gather, Bytes: 16}}, {{Kind: Gather, Bytes: 8, Uneven: true}}},
			"rank 1, call 0: gather with a size for each rank, as collective 1 on communicator 0, of which rank 0 calls gather with one size " +
				"for all ranks there (call 0)"},
		{[][]Call{{{Kind: Allgather, Uneven: true, Bytes: 5, Into: []int64{2, 3}}}, {{Kind: Allgather, Uneven: true, Bytes: 5, Into: []int64{3, 2}}}},
			"rank 1, call 0: allgather with other sizes of blocks, as collective 1 on communicator 0, of which rank 0 calls allgather with " +
				"other sizes of blocks there (call 0)"},
		{[][]Call{{{Kind: Barrier}, uneven([]int64{1, 8}, []int64{1, 7})}, {{Kind: Barrier}, uneven([]int64{7, 1}, []int64{9, 1})}},
			"rank 1, call 1: alltoall with 9 bytes from rank 0, which sends 8 bytes (call 1)"},
		{[][]Call{{{Kind: Gather, Uneven: true, Bytes: 12, Into: []int64{4, 8}}}, {{Kind: Gather, Uneven: true, Bytes: 9}}},
			"rank 0, call 0: gather with 8 bytes from rank 1, which sends 9 bytes (call 0)"},
		{[][]Call{{{Kind: Scatter, Uneven: true, Bytes: 12, Out: []int64{4, 8}}}, {{Kind: Scatter, Uneven: true, Bytes: 0}}},
			"rank 1, call 0: scatter with 0 bytes from rank 0, which sends 8 bytes (call 0)"},
	} {
		_, err := Look(&Memory{Head: Header{Ranks: 2, Comms: []Comm{{}}}, Ranks: c.ranks})
		if err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// Receives may be longer than their messages, each by itself; of no bytes, when their size is not known.
func TestLongReceives(t *testing.T) {
	send, recv, long, none := Call{Kind: Send, Peer: 1, Bytes: 8}, Call{Kind: Recv, Bytes: 8}, Call{Kind: Recv, Bytes: 100}, Call{Kind: Recv}
	more := send
	more.Bytes = 100
	must.Get(Look(&Memory{Head: Header{Ranks: 2, Comms: []Comm{{}}}, Ranks: [][]Call{{send, more, send, more}, {long, long, recv, none}}}))(t)
}

// uneven is an all-to-all of unequal sizes.
func uneven(out, into []int64) Call {
	return Call{Kind: Alltoall, Uneven: true, Bytes: out[0] + out[1], Out: out, Into: into}
}

// A trace that deadlocks says in which calls, and by which messages of the program.
func TestDeadlocksNameCalls(t *testing.T) {
	anything := Call{Kind: Recv, Peer: AnySource, Tag: 5} // messages are not compared
	for _, c := range []struct {
		comms []Comm
		ranks [][]Call
		want  string
	}{
		{[]Comm{{}}, [][]Call{{{Kind: Barrier}, {Kind: Allreduce, Bytes: 8}}, {{Kind: Barrier}, anything, {Kind: Allreduce, Bytes: 8}}},
			"deadlock: rank 0 (in call 1, allreduce) waits for a message of a collective on communicator 0 from rank 1, which (in call 1, recv) " +
				"waits for a message with tag 5 from any rank"},
		{[]Comm{{}, {Ranks: []int32{1, 0}}}, [][]Call{{{Kind: Recv, Peer: 1, Tag: 7, Comm: 1}}, {{Kind: Recv, Peer: 0, Tag: 5}, anything}},
			"deadlock: rank 0 (in call 0, recv) waits for a message with tag 7 on communicator 1 from rank 1, which (in call 0, recv) waits for " +
				"a message with tag 5 on communicator 0 from rank 0: a cycle"},
	} {
		m := &Memory{Head: Header{Ranks: 2, Comms: c.comms}, Ranks: c.ranks}
		_, err := nodes.Run(cluster(0), program(t, m, Options{}), 1, nodes.Options{})
		if err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

// Without imbalance the k-th computation of each rank of a trace takes their mean, though all compute equally long together.
func TestEvenSteps(t *testing.T) {
	const short, long, steps = 100 * sim.Microsecond, 200 * sim.Microsecond, 10
	alternating := func(first, second sim.Time) *Memory {
		m := each(2)
		for range steps {
			for rank, before := range []sim.Time{first, second} {
				m.Ranks[rank] = append(m.Ranks[rank], Call{Kind: Sendrecv, Before: before, Peer: int32(1 - rank), Bytes: 5000, From: int32(1 - rank), In: 5000})
			}
			first, second = second, first
		}
		return m
	}
	absent := must.Get(must.Get(without.Of("imbalance"))(t).Processes(cluster(1000), 0))(t)
	uneven, even := program(t, alternating(short, long), Options{}), program(t, alternating((short+long)/2, (short+long)/2), Options{})
	got, want, with := run(t, absent.Program(uneven), 1000).Makespan(), run(t, even, 1000).Makespan(), run(t, uneven, 1000).Makespan()
	if got != want || with < want+(steps-1)*(long-short)/2 {
		t.Errorf("takes %v, without imbalance %v; steps of the mean take %v", with, got, want)
	}
}
