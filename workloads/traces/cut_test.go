package traces

import (
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"overlapsim/sim"
	"overlapsim/sim/must"
)

// cutOut cuts a part out of a trace.
func cutOut(t testing.TB, k Cut, of Trace) *CutOut {
	t.Helper()
	return must.Get(k.New(of))(t)
}

// A phase has the messages of which both ends are in it, regardless of what the calls of the phase are, and its program ends. As many
// messages and collectives are counted as omitted.
func TestPhase(t *testing.T) {
	for seed := range uint64(300) {
		a, r := write(seed), rand.New(rand.NewPCG(seed, 2))
		a.trace.Head.Phases = []string{"0", "1"}
		for _, calls := range a.trace.Ranks {
			phase := 0
			for i := range calls {
				if r.IntN(4) == 0 {
					phase = r.IntN(2)
				}
				calls[i].Phase = uint8(phase)
			}
		}
		x := cutOut(t, Cut{Phase: "1"}, a.trace)
		run(t, program(t, x, Options{}), 1000*int64(seed%2))
		sent, both, one := 0, 0, int64(0)
		for rank := range a.trace.Ranks {
			all := must.Get(calls(t, x, rank))(t)
			for _, c := range all {
				if _, ok := c.sends(int32(rank)); ok {
					sent++
				}
			}
		}
		phases := map[channel][2][]uint8{} // of each message, at its sender and its receiver
		for rank, calls := range a.trace.Ranks {
			for i := range calls {
				if at, ok := calls[i].sends(int32(rank)); ok {
					p := phases[at]
					p[0] = append(p[0], calls[i].Phase)
					phases[at] = p
				}
				if at, ok := calls[i].receives(int32(rank)); ok {
					p := phases[at]
					p[1] = append(p[1], calls[i].Phase)
					phases[at] = p
				}
			}
		}
		for _, p := range phases {
			for i := range p[0] {
				both += int(p[0][i] * p[1][i])
				one += int64(p[0][i] ^ p[1][i])
			}
		}
		if sent != both || x.LeftOut() < one {
			t.Fatalf("seed %d: %d messages, of %d both ends are in the phase; %d left out, of %d messages one end is", seed, sent, both,
				x.LeftOut(), one)
		}
	}
}

// repeated writes a random program several times, between other calls. Its computations vary, symmetrically.
func repeated(seed uint64, times int) (whole, body *Memory) {
	a, r := write(seed), rand.New(rand.NewPCG(seed, 3))
	a.exchange() // so that all ranks take part
	whole = &Memory{Head: a.trace.Head, Ranks: make([][]Call, len(a.ops))}
	body = &Memory{Head: a.trace.Head, Ranks: make([][]Call, len(a.ops))}
	other := Call{Kind: ReduceScatter, Bytes: 100, Before: sim.Millisecond}
	for rank, one := range a.trace.Ranks {
		one = append([]Call{{Kind: Scan, Bytes: 10}}, one...) // tests and waits before it would belong to the repetition before
		whole.Ranks[rank] = append(whole.Ranks[rank], other)
		orders := make([][]int, len(one))
		for i := range orders {
			orders[i] = r.Perm(times)
		}
		for k := range times {
			body.Ranks[rank] = append(body.Ranks[rank], one...)
			for i, c := range one {
				c.Before += 2 * sim.Microsecond
				body.Ranks[rank][k*len(one)+i].Before = c.Before
				switch {
				case i > 0:
					c.Before += sim.Time(orders[i][k]-times/2) * 100 * sim.Nanosecond
				case k == 0:
					c.Before += sim.Second
				}
				whole.Ranks[rank] = append(whole.Ranks[rank], c)
			}
		}
		whole.Ranks[rank] = append(whole.Ranks[rank], other, Call{Kind: End, Before: sim.Millisecond})
	}
	return whole, body
}

// The loop of a program is found between other calls, and the medians of its repetitions are the computations without noise.
func TestLoop(t *testing.T) {
	const times = 5
	for seed := range uint64(200) {
		whole, body := repeated(seed, times)
		x, err := Cut{Phase: loopName, Median: true}.New(whole)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, want := run(t, program(t, x, Options{}), 1000), run(t, program(t, body, Options{}), 1000)
		if !slices.Equal(got.Finish, want.Finish) || x.LeftOut() > 0 || x.Repetitions()%times != 0 {
			t.Fatalf("seed %d: %v, %d repetitions, %d left out; want %v", seed, got.Finish, x.Repetitions(), x.LeftOut(), want.Finish)
		}
	}
}

// A message that is sent in one repetition and received in the next crosses both ends of the loop: the program without it ends. A
// request that is completed outside is waited for at the end.
func TestAcrossTheEnds(t *testing.T) {
	const times = 6
	m := &Memory{Head: Header{Ranks: 2, Comms: []Comm{{}}}, Ranks: make([][]Call, 2)}
	add := func(rank int, all ...Call) { m.Ranks[rank] = append(m.Ranks[rank], all...) }
	between := Call{Kind: Barrier}
	send := Call{Kind: Send, Peer: 1, Bytes: 5000, Before: sim.Microsecond}
	add(0, send, between)
	add(1, between)
	for k := range times {
		add(0, Call{Kind: Recv, Peer: 1, Bytes: 5000}, send)
		add(1, Call{Kind: Recv, Peer: 0, Bytes: 5000}, Call{Kind: Isend, Peer: 0, Bytes: 5000, Request: 4})
		if k < times-1 {
			add(1, Call{Kind: Wait, Requests: []int32{4}})
		}
	}
	add(0, between)
	add(1, between, Call{Kind: Wait, Requests: []int32{4}}, Call{Kind: Recv, Peer: 0, Bytes: 5000})
	run(t, program(t, m, Options{}), 0)
	x := cutOut(t, Cut{Phase: loopName}, m)
	if r := run(t, program(t, x, Options{}), 1000); r.Messages != 2*times-1 {
		t.Errorf("%d messages", r.Messages)
	}
	if x.LeftOut() != 2 || x.Repetitions() != times {
		t.Errorf("%d left out, %d repetitions", x.LeftOut(), x.Repetitions())
	}
	all, _ := calls(t, x, 1)
	if last := all[len(all)-1]; last.Kind != Free || !slices.Equal(last.Requests, []int32{0}) {
		t.Errorf("the last call is %v of %v", last.Kind, last.Requests)
	}
}

// For any calls, the part that is cut out is a trace, or the error says why it is none.
func TestCutAny(t *testing.T) {
	for seed := range uint64(300) {
		m := anyTrace(seed)
		for _, k := range []Cut{{Phase: loopName}, {Median: true}, {Phase: "0"}, {Phase: "1", Median: true}} {
			x, err := k.New(m)
			if err != nil {
				continue
			}
			for rank := range m.Ranks {
				var c Call
				for s := x.Calls(rank); s.Next(&c) != io.EOF; {
					if err := x.Header().Check(&c); err != nil {
						t.Fatalf("seed %d, %+v: %v", seed, k, err)
					}
				}
			}
		}
	}
}

// Why nothing can be cut out.
func TestCutRefused(t *testing.T) {
	any := each(2, Call{Kind: Recv, Peer: AnySource}, Call{Kind: Send, Peer: 0}, Call{Kind: Send, Peer: 1})
	any.Head.Phases = []string{"start"}
	missing := each(2, Call{Kind: Barrier}, Call{Kind: Barrier}, Call{Kind: Barrier})
	missing.Head.Missing = []Count{{"MPI_Comm_spawn", 1}}
	for _, c := range []struct {
		of   *Memory
		cut  Cut
		want string
	}{
		{each(2, Call{Kind: Barrier}), Cut{Phase: "solve"}, `the trace has no phase "solve"; it has none; loop is the part that repeats itself`},
		{each(2, Call{Kind: Barrier}, Call{Kind: Scan}, Call{Kind: Barrier}), Cut{Phase: loopName},
			"the calls of rank 0 do not repeat themselves at least 3 times"},
		{any, Cut{Phase: "start"}, "has receives whose message is not known"},
		{missing, Cut{Phase: loopName}, "calls are missing from the trace"},
	} {
		must.Refuse(c.cut.New(c.of))(t, c.want)
	}
}

// Of nested repetitions the one that covers most is found, in calls without times too.
func TestNestedLoops(t *testing.T) {
	var m marks
	for range 7 {
		for _, kind := range []CallKind{Barrier, Scan, Allreduce, Scan, Allreduce, Scan, Allreduce, Scan, Allreduce, Send} {
			m.add(&Call{Kind: kind})
		}
	}
	if l, ok := m.loop(); !ok || l.period != 10 || l.times != 7 {
		t.Errorf("%+v, %v", l, ok)
	}
}

// Spans are sets of numbers.
func TestSpans(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		var a, b spans
		in := [2][20]bool{}
		for n := range int64(20) {
			if in[0][n] = r.IntN(2) == 0; in[0][n] {
				a = a.add(n)
			}
			if in[1][n] = r.IntN(3) == 0; in[1][n] {
				b = b.add(n)
			}
		}
		both, n := a.and(b), int64(0)
		for i := range int64(20) {
			want := in[0][i] && in[1][i]
			if want {
				n++
			}
			if a.has(i) != in[0][i] || both.has(i) != want {
				t.Fatalf("%v and %v: %v", a, b, both)
			}
		}
		if both.size() != n {
			t.Fatalf("%v: %d numbers, want %d", both, both.size(), n)
		}
	}
}
