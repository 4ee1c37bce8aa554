package transforms

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
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
	"overlapsim/workloads/collectives"
)

// listed is a program whose ranks' operations are listed, that many of them a step.
type listed struct {
	ranks [][]programs.Op
	step  int
}

func (p *listed) Ranks() int       { return len(p.ranks) }
func (p *listed) Phases() []string { return []string{"all"} }
func (p *listed) Step(rank, step int, do *programs.Ops) bool {
	ops := p.ranks[rank]
	if step*p.step >= len(ops) {
		return false
	}
	do.Add(ops[step*p.step : min(len(ops), (step+1)*p.step)]...)
	return true
}

// read writes a rank's operations in a short form: S and R post to and from a rank, w waits
// for the post with that number in their order, c computes, B is a barrier.
func read(p programs.Program, rank int) string {
	var do programs.Ops
	for step := 0; p.Step(rank, step, &do); step++ {
	}
	var text []string
	posts := map[int32]int{}
	n := 0
	for _, op := range do.List() {
		switch op.Kind {
		case programs.OpSend:
			text = append(text, fmt.Sprint("S", op.Peer))
		case programs.OpReceive:
			text = append(text, fmt.Sprint("R", op.Peer))
		case programs.OpWait:
			text = append(text, fmt.Sprint("w", posts[op.Request]))
			continue
		case programs.OpCompute:
			text = append(text, fmt.Sprint("c", op.Amount))
		case programs.OpBarrier:
			text = append(text, "B")
		}
		if op.Kind == programs.OpSend || op.Kind == programs.OpReceive {
			n++
			posts[op.Request] = n
		}
	}
	return strings.Join(text, " ")
}

// written makes a rank's operations of that form; requests are used again and again. What
// stands between parentheses is part of a blocking collective.
func written(text string) (ops []programs.Op) {
	var do programs.Ops
	free, used, n, begun := []int{3, 2, 1, 0, -1}, map[int]int{}, 0, 0
	for _, word := range strings.Fields(text) {
		var number int
		fmt.Sscan(word[1:], &number)
		switch word[0] {
		case 'S', 'R':
			request := free[len(free)-1]
			free = free[:len(free)-1]
			n++
			used[n] = request
			if word[0] == 'S' {
				do.Isend(number, 1000, 0, request)
			} else {
				do.Irecv(number, 1000, 0, request)
			}
		case 'w':
			do.Wait(used[number])
			free = append(free, used[number])
		case 'c':
			do.Compute(machines.Task{Time: sim.Time(number), Kernel: int32(number % 10)}, 1)
		case 'B':
			do.Barrier()
		case '(':
			begun = len(do.List())
		case ')':
			do.Collective(begun)
		}
	}
	return do.List()
}

// What each move makes of a rank, as the rules say. A computation of an odd time uses what came.
func TestRules(t *testing.T) {
	const (
		exchange  = "S1 w1 R1 w2 c100 S1 w3 R1 w4 c100"
		twoRounds = "( S1 R1 w2 w3 S2 R2 w4 w5 )"
		ahead     = "R1 R2 S1 S2 c100 w1 w2 w3 w4 c100"
	)
	uses := func(kernel int32) bool { return kernel == 1 }
	for _, c := range []struct {
		name, before, after string
		changes             Changes
	}{
		{"waits at best: past computation, to the next send", exchange, "S1 R1 c100 w1 w2 S1 R1 c100 w3 w4", Changes{Waits: Best}},
		{"waits at worst: to the computation", exchange, "S1 R1 w1 w2 c100 S1 R1 w3 w4 c100", Changes{Waits: Worst}},
		{"what is sent may be what came", "R1 w1 S2 w2 c100", "R1 w1 S2 c100 w2", Changes{Waits: Best}},
		{"a buffer is received into again", "R1 w1 c100 R1 w2 c100", "R1 c100 w1 R1 c100 w2", Changes{Waits: Best}},
		{"a computation that uses what came", "R1 w1 c101 c100", "R1 w1 c101 c100", Changes{Waits: Best, Uses: uses}},
		{"a barrier", "R1 w1 c100 B c100", "R1 c100 w1 B c100", Changes{Waits: Best}},
		{"an exchange: what is sent is not what came", "R1 w1 S1 w2 c100 R1 w3 S1 w4 c100", "R1 S1 c100 w1 w2 R1 S1 c100 w3 w4",
			Changes{Waits: Exchange}},
		{"a brief computation does not end an exchange", "R1 w1 c1 S1 w2 c100 R1 w3", "R1 c1 S1 c100 w1 w2 R1 w3", Changes{Waits: Exchange}},
		{"an exchange whose computation uses what came", "R1 w1 S1 w2 c101 R1 w3", "R1 S1 w1 w2 c101 R1 w3", Changes{Waits: Exchange, Uses: uses}},
		{"receives at best: past all but the wait of their channel", "c100 S2 R1 w1 w2 c100 R1 w3 R2 w4",
			"R1 c100 S2 w2 w1 R1 R2 c100 w3 w4", Changes{Receives: Best}},
		{"receives at worst: past sends only", "c100 S2 R1 w1 w2 c100 S2 R1 w3 w4", "c100 R1 S2 w2 w1 c100 R1 S2 w4 w3", Changes{Receives: Worst}},
		{"receives keep their order", "R1 c100 R1 R2 w1 w2 w3", "R1 R1 R2 c100 w1 w2 w3", Changes{Receives: Best}},
		{"receives go past a barrier", "c100 B R1 w1", "R1 c100 B w1", Changes{Receives: Best}},
		{"sends at best: to the last receive", "R2 w1 c100 c100 S1 w2", "R2 w1 S1 c100 c100 w2", Changes{Sends: Best}},
		{"sends at worst: as they are", "R2 w1 c100 S1 w2", "R2 w1 c100 S1 w2", Changes{Sends: Worst}},
		{"sends keep their order, and wait for their buffer", "c100 S1 c100 S1 w1 w2 c100 S1 w3", "S1 c100 S1 c100 w1 w2 S1 c100 w3", Changes{Sends: Best}},
		{"sends of other channels keep their order, too", "R1 R2 S1 S2 S3 w3 w4 w5", "R1 R2 S1 S2 S3 w3 w4 w5", Changes{Sends: Best}},
		{"a combination is sent", "R2 w1 c101 S1 w2", "R2 w1 c101 S1 w2", Changes{Sends: Best, Uses: uses}},
		{"all", exchange, "R1 S1 c100 w2 w1 R1 S1 c100 w4 w3", Changes{Waits: Best, Receives: Worst, Sends: Best}},
		{"pieces", "S1 w1 c100", "S1 S1 S1 w1 w2 w3 c100", Changes{Pieces: 3, Least: 1}},
		{"no piece is smaller than the least", "S1 w1 c100", "S1 S1 w1 w2 c100", Changes{Pieces: 3, Least: 600}},
		{"pieces that leave as they are made", "c100 S1 w1", "c25 S1 c25 S1 c25 S1 c25 S1 w1 w2 w3 w4", Changes{Pieces: 4, Least: 1, Sends: Spread}},
		{"pieces that are waited for as they are used", "R1 w1 c30 c70 S1 w2", "R1 R1 w1 c30 c20 w2 c50 S1 S1 w3 w4",
			Changes{Pieces: 2, Least: 1, Waits: Spread}},
		{"a whole message is needed at once", "R1 w1 c100", "R1 w1 c100", Changes{Waits: Spread}},
		{"a collective at best: in the computation before and behind it", "R1 w1 c100 " + twoRounds + " c300 S1 w6",
			"R1 w1 S1 R1 c100 c100 w2 w3 S2 R2 c200 w4 w5 S1 w6", Changes{Collectives: Best}},
		{"spread: from where it was called", "R1 w1 c100 " + twoRounds + " c300 S1 w6",
			"R1 w1 c100 S1 R1 c150 w2 w3 S2 R2 c150 w4 w5 S1 w6", Changes{Collectives: Spread}},
		{"at worst: past waits of sends", "S1 c100 w1 ( S2 R2 w2 w3 ) c100", "S1 c100 S2 R2 w1 w2 w3 c100", Changes{Collectives: Worst}},
		{"waits and posts stop it", "c100 R1 ( S1 w2 ) w1 c100", "c100 R1 S1 w2 w1 c100", Changes{Collectives: Best}},
		{"a barrier stops it", "c100 B ( S1 w1 ) c100 B", "c100 B S1 c100 w1 B", Changes{Collectives: Best}},
		{"what one has taken another does not", "( S1 w1 ) c100 ( R1 w2 ) c200", "S1 c100 w1 R1 c200 w2", Changes{Collectives: Best}},
		{"computation of its own goes with it", "( S1 R1 w2 c10 w1 ) c100", "S1 R1 c100 w2 c10 w1", Changes{Collectives: Best}},
		{"computations that use what came stop it", "c101 ( S1 w1 ) c100 c101", "c101 S1 c100 w1 c101", Changes{Collectives: Best, Uses: uses}},
		{"no rounds, no computation", "( S1 R1 w1 w2 ) R1 w3", "S1 R1 w1 w2 R1 w3", Changes{Collectives: Best}},
		{"what is posted ahead already", ahead, "R1 R2 S1 S2 c100 c100 w1 w2 w3 w4", Changes{Waits: Best}},
	} {
		p := &listed{[][]programs.Op{written(c.before)}, 100}
		if c.changes.Least == 0 {
			c.changes.Least = LeastPiece
		}
		s := &survey{ranks: 1, ops: 1, steps: 1, requests: 3}
		got := read(&changed{Program: p, c: c.changes, s: s, join: 1}, 0)
		if got != c.after {
			t.Errorf("%s:\n  before %s\n     got %s\n    want %s", c.name, c.before, got, c.after)
		}
	}
}

// drawn is a random program that ends regardless of what is moved: messages are posted in one order on
// all ranks. Blocking and non-blocking calls, waits that come late, barriers and computation.
func drawn(r *rand.Rand) *listed {
	n := 2 + r.IntN(4)
	p := &listed{make([][]programs.Op, n), 1 + r.IntN(12)}
	do := make([]programs.Ops, n)
	open, next := make([][]int, n), make([]int, n)
	post := func(rank int, send bool, peer int, bytes int64, tag int) {
		request := next[rank] % 6
		for slices.Contains(open[rank], request) {
			do[rank].Wait(open[rank][0])
			open[rank] = open[rank][1:]
		}
		next[rank]++
		if send {
			do[rank].Isend(peer, bytes, tag, request)
		} else {
			do[rank].Irecv(peer, bytes, tag, request)
		}
		open[rank] = append(open[rank], request)
		if r.IntN(2) == 0 {
			do[rank].Wait(request)
			open[rank] = open[rank][:len(open[rank])-1]
		}
	}
	for range 5 + r.IntN(60) {
		switch a, b := r.IntN(n), r.IntN(n); {
		case r.IntN(12) == 0:
			for rank := range do {
				do[rank].Barrier()
			}
		case r.IntN(6) == 0:
			call(r, do)
		case a == b:
			do[a].Compute(machines.Task{Time: sim.Time(1 + r.IntN(50_000_000)), Kernel: int32(r.IntN(3))}, 1)
		default:
			bytes, tag := int64(r.IntN(40_000)), r.IntN(2)
			post(a, true, b, bytes, tag)
			post(b, false, a, bytes, tag)
		}
	}
	for rank := range do {
		for _, request := range open[rank] {
			do[rank].Wait(request)
		}
		p.ranks[rank] = do[rank].List()
	}
	return p
}

// call lets all ranks do a collective: an all-reduce by recursive doubling, in a ring or by
// halving, a broadcast or a reduction by trees, or a gather, which is linear.
func call(r *rand.Rand, do []programs.Ops) {
	all := []*collectives.Algorithm{collectives.GatherLinear}
	for _, of := range []*collectives.Operation{collectives.Allreduce, collectives.Broadcast, collectives.Reduce} {
		all = append(all, of.Algorithms()...)
	}
	by := all[r.IntN(len(all))]
	g := collectives.Group{Ranks: len(do), Bytes: int64(8 * r.IntN(5000)), Root: r.IntN(len(do)), Tag: 7, Request: 10,
		Combine: func(int64) machines.Task { return machines.Task{Time: 5 * sim.Microsecond, Kernel: 1} }}
	if by.Needs != nil && by.Needs(&g) != "" {
		return
	}
	for rank := range do {
		g.Me = rank
		by.Call(g, &do[rank])
	}
}

// sums are what a program sends on each channel, and computes on each rank by kernel.
func sums(p programs.Program) map[any]int64 {
	all := map[any]int64{}
	for rank := range p.Ranks() {
		var do programs.Ops
		for step := 0; p.Step(rank, step, &do); step++ {
		}
		for _, op := range do.List() {
			switch op.Kind {
			case programs.OpSend:
				all[[4]int32{0, int32(rank), op.Peer, op.Tag}] += op.Amount
			case programs.OpReceive:
				all[[4]int32{1, op.Peer, int32(rank), op.Tag}] += op.Amount
			case programs.OpCompute:
				all[[2]int32{int32(rank), op.Kernel}] += op.Amount
			case programs.OpBarrier:
				all[rank]++
			}
		}
	}
	return all
}

// forwarded are, for each send of a rank, the receives that it follows: those whose wait came
// before it. Messages are known by their channel and number on it, and pieces by that of their
// message.
func forwarded(p programs.Program, rank, pieces int) map[string][]string {
	var do programs.Ops
	for step := 0; p.Step(rank, step, &do); step++ {
	}
	counts, names := map[string]int{}, map[int32]string{}
	var came []string
	follows := map[string][]string{}
	for _, op := range do.List() {
		switch op.Kind {
		case programs.OpSend, programs.OpReceive:
			name := fmt.Sprint(op.Kind, op.Peer, op.Tag)
			counts[name]++
			names[op.Request] = fmt.Sprint(name, "#", (counts[name]-1)/pieces)
			if op.Kind == programs.OpSend {
				follows[names[op.Request]] = slices.Clone(came)
			}
		case programs.OpWait:
			if name := names[op.Request]; strings.HasPrefix(name, fmt.Sprint(programs.OpReceive)) && !slices.Contains(came, name) {
				came = append(came, name)
			}
		}
	}
	return follows
}

func machine(r *rand.Rand) *machines.Machine {
	m := &machines.Machine{Name: "m", Cores: 1, Processes: 1, Network: network.LogGOPS{Latency: sim.Time(r.IntN(10)) * sim.Microsecond,
		SendOverhead: network.Constant(sim.Time(r.IntN(2000)) * sim.Nanosecond), ReceiveOverhead: network.Constant(sim.Microsecond),
		Transfer: network.PerByte(float64(r.IntN(2000)))}}
	if r.IntN(2) == 0 {
		m.Network.Rendezvous = 10_000
	}
	return m
}

// The laws, over random programs, machines and changes: the same bytes to the same partners and
// the same computation; a send follows every receive that it followed; it ends, and not before
// its bound (which every run checks); moves change neither the work nor the bytes of the bound,
// and only take constraints from its chain.
func TestLaws(t *testing.T) {
	moved := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := drawn(r)
		c := Changes{When(r.IntN(4)), When(r.IntN(4)), When(r.IntN(4)), r.IntN(5), 1, When(r.IntN(4)), nil}
		q, err := c.Program(p)
		if err != nil {
			t.Fatal(seed, err)
		}
		if q != programs.Program(p) {
			q.(*changed).join = 1 + r.IntN(20)
		}
		if a, b := sums(p), sums(q); !reflect.DeepEqual(a, b) {
			t.Fatalf("%d: %+v: sums\n%v\n%v", seed, c, a, b)
		}
		for rank := range p.Ranks() {
			before, after := forwarded(p, rank, 1), forwarded(q, rank, max(1, c.Pieces))
			for send, all := range before {
				for _, receive := range all {
					if c.Pieces <= 1 && !slices.Contains(after[send], receive) {
						t.Fatalf("%d: %+v: rank %d: %s does not follow %s any more\n%s\n%s", seed, c, rank, send, receive, read(p, rank), read(q, rank))
					}
				}
			}
		}
		m := machine(r)
		one, err := nodes.Run(m, p, 1, nodes.Options{})
		if err != nil {
			t.Fatal(seed, err)
		}
		other, err := nodes.Run(m, q, 1, nodes.Options{})
		if err != nil {
			t.Fatalf("%d: %+v: %v", seed, c, err)
		}
		if one.Bytes != other.Bytes || c.Pieces <= 1 && (one.Messages != other.Messages || one.Bound.Work != other.Bound.Work ||
			one.Bound.Bytes != other.Bound.Bytes) {
			t.Fatalf("%d: %+v: %+v and %+v", seed, c, one.Bound, other.Bound)
		}
		if compute := func(r *results.Result) sim.Time { l := r.OfRank(0); return l[results.Compute] }; compute(one) != compute(other) {
			t.Fatalf("%d: computes %v and %v", seed, compute(one), compute(other))
		}
		if c.Nothing() && !reflect.DeepEqual(one, other) {
			t.Fatalf("%d: another run", seed)
		}
		if one.Makespan() != other.Makespan() {
			moved++
		}
	}
	if moved < 100 {
		t.Errorf("only %d of 400 programs take another time", moved)
	}
}

// What cannot be changed is refused.
func TestRefused(t *testing.T) {
	any := &listed{[][]programs.Op{written("R-1 w1"), written("S0 w1")}, 100}
	for _, c := range []struct {
		p       programs.Program
		changes Changes
		want    string
	}{
		{any, Changes{Pieces: 2}, "rank 0 receives from any source or of any tag: such messages cannot be cut"},
		{any, Changes{Waits: Best}, ""},
		{&listed{[][]programs.Op{{{Kind: programs.OpWaitAny}}}, 1}, Changes{Waits: Best}, "rank 0 waits for the first message that comes"},
		{&listed{[][]programs.Op{{{Kind: programs.OpReceive, Peer: 1, Amount: 0}}, {{Kind: programs.OpSend, Amount: 100_000}}}, 1}, Changes{Pieces: 4},
			"rank 0 receives from rank 1 with tag 0 what the two cut differently"},
		{&listed{[][]programs.Op{{{Kind: programs.OpReceive, Peer: 1, Amount: 100_000}}, {{Kind: programs.OpStart}, {Kind: programs.OpSend, Amount: 100_000},
			{Kind: programs.OpStarted}}}, 3}, Changes{Pieces: 4}, "the library does one end of those from rank 1 to rank 0 with tag 0 by itself"},
		{&listed{[][]programs.Op{{{Kind: programs.OpSend, Peer: 1, Amount: 1 << 40}}, {{Kind: programs.OpReceive, Amount: 1 << 40}}}, 1},
			Changes{Pieces: math.MaxInt32, Least: 1}, "messages in up to 2147483647 pieces make 4294967294 operations"},
		{&listed{[][]programs.Op{{{Kind: programs.OpSend, Peer: 1, Amount: 100, Request: math.MaxInt32 / 50}},
			{{Kind: programs.OpReceive, Amount: 100}}}, 1}, Changes{Pieces: 99, Least: 1}, "with 42949673 requests at a time: too many to hold"},
		{reactive{any}, Changes{Waits: Best}, "its ranks continue with the first message that comes"},
	} {
		_, err := c.changes.Program(c.p)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

type reactive struct{ programs.Program }

func (p reactive) Begin() programs.Program { return p.Program }

// settled is a program that is read from its beginning only.
type settled struct{ reactive }

func (p settled) Order(rank int) func(do *programs.Ops) bool {
	step := 0
	return func(do *programs.Ops) bool {
		step++
		return p.Program.Step(rank, step-1, do)
	}
}

// A program that knows an order moves in that order, as one window.
func TestSettled(t *testing.T) {
	for seed := range uint64(50) {
		p := drawn(rand.New(rand.NewPCG(seed, 2)))
		c := Changes{Best, Best, Best, 3, 1, Best, nil}
		one := must.Get(c.Program(settled{reactive{p}}))(t)
		other := must.Get(c.Program(p))(t)
		for rank := range p.Ranks() {
			if a, b := read(one, rank), read(other, rank); a != b {
				t.Fatalf("%d: rank %d:\n%s\n%s", seed, rank, a, b)
			}
		}
	}
}
