package collectives_test

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
	"overlapsim/workloads/collectives"
)

// flow is the state of the messages in a run without time: what each rank knows, what its
// requests hold, and what is in flight.
type flow struct {
	ops      [][]programs.Op
	next     []int
	knows    []map[int]bool          // by rank: the ranks whose contributions it has
	posted   []map[int32]programs.Op // by rank: sends and receives, by request
	way      map[[3]int32][]map[int]bool
	again    bool     // a request was used while it was in use
	sent     []int64  // by rank: bytes
	messages [][2]int // from, to
}

// follow runs the operations of all ranks. A message carries everything that its sender
// knows when it is sent; a rank that lacks a contribution at the end was never sent it.
func follow(t *testing.T, what string, ranks int, ops func(rank int, do *programs.Ops)) *flow {
	f := &flow{next: make([]int, ranks), sent: make([]int64, ranks), way: map[[3]int32][]map[int]bool{}}
	for rank := range ranks {
		var do programs.Ops
		ops(rank, &do)
		f.ops = append(f.ops, slices.Clone(do.List()))
		f.knows = append(f.knows, map[int]bool{rank: true})
		f.posted = append(f.posted, map[int32]programs.Op{})
	}
	for moved := true; moved; {
		moved = false
		for rank := range ranks {
			for f.next[rank] < len(f.ops[rank]) && f.step(rank, &f.ops[rank][f.next[rank]]) {
				f.next[rank]++
				moved = true
			}
		}
	}
	for rank := range ranks {
		if f.next[rank] < len(f.ops[rank]) {
			t.Fatalf("%s: rank %d stands at %+v", what, rank, f.ops[rank][f.next[rank]])
		}
	}
	if f.again {
		t.Fatalf("%s: a request is used that is in use", what)
	}
	for way, left := range f.way {
		if len(left) > 0 {
			t.Fatalf("%s: nobody receives the message %v", what, way)
		}
	}
	return f
}

// step does an operation, and returns false if the operation has to wait.
func (f *flow) step(rank int, op *programs.Op) bool {
	if op.Kind == programs.OpSend || op.Kind == programs.OpReceive {
		_, used := f.posted[rank][op.Request]
		f.again = f.again || used
		f.posted[rank][op.Request] = *op
	}
	switch op.Kind {
	case programs.OpSend:
		carries := map[int]bool{}
		for who := range f.knows[rank] {
			carries[who] = true
		}
		way := [3]int32{int32(rank), op.Peer, op.Tag}
		f.way[way] = append(f.way[way], carries)
		f.sent[rank] += op.Amount
		f.messages = append(f.messages, [2]int{rank, int(op.Peer)})
	case programs.OpWait:
		receive := f.posted[rank][op.Request]
		if receive.Kind == programs.OpSend {
			delete(f.posted[rank], op.Request)
			return true
		}
		way := [3]int32{receive.Peer, int32(rank), receive.Tag}
		if len(f.way[way]) == 0 {
			return false
		}
		for who := range f.way[way][0] {
			f.knows[rank][who] = true
		}
		f.way[way] = f.way[way][1:]
		delete(f.posted[rank], op.Request)
	}
	return true
}

// everybody and rootOnly tell which contributions a member must have at the end.
func everybody(_, _, _ int) bool     { return true }
func rootOnly(_, who, root int) bool { return who == root }
func steps(p int) int64              { return int64(p - 1) }
func ceilLog(p int) int64            { return int64(bits.Len(uint(p - 1))) }
func powerOfTwo(p int) bool          { return bits.OnesCount(uint(p)) == 1 }

// rows are all algorithms: what each member must have, the bytes that all members send
// together, and the number and size of the hops that it takes if all start together.
var rows = []struct {
	name  string
	by    collectives.Algorithm
	needs func(member, who, root int) bool
	bytes func(p int, n int64) int64
	hops  func(p int, n int64) (hops, size int64)
	exact func(p int) bool // for these p the time is exactly the closed form
}{
	{"dissemination", collectives.Dissemination, everybody,
		func(p int, n int64) int64 { return int64(p) * ceilLog(p) * n },
		func(p int, n int64) (int64, int64) { return ceilLog(p), n }, func(int) bool { return true }},
	{"broadcast-binomial", collectives.BroadcastBinomial, rootOnly,
		func(p int, n int64) int64 { return steps(p) * n },
		func(p int, n int64) (int64, int64) { return ceilLog(p), n }, powerOfTwo},
	{"allreduce-doubling", collectives.AllreduceDoubling, everybody,
		func(p int, n int64) int64 {
			rounds := bits.Len(uint(p)) - 1
			return (int64(rounds)<<rounds + 2*int64(p-1<<rounds)) * n
		},
		func(p int, n int64) (int64, int64) { return ceilLog(p), n }, powerOfTwo},
	{"allreduce-ring", collectives.AllreduceRing, everybody,
		func(p int, n int64) int64 { return 2 * steps(p) * n },
		func(p int, n int64) (int64, int64) { return 2 * steps(p), n / int64(p) }, func(int) bool { return true }},
	{"reduce-scatter-ring", collectives.ReduceScatterRing, everybody,
		func(p int, n int64) int64 { return steps(p) * n },
		func(p int, n int64) (int64, int64) { return steps(p), n / int64(p) }, func(int) bool { return true }},
	{"allgather-ring", collectives.AllgatherRing, everybody,
		func(p int, n int64) int64 { return int64(p) * steps(p) * n },
		func(p int, n int64) (int64, int64) { return steps(p), n }, func(int) bool { return true }},
	{"alltoall-linear", collectives.AlltoallLinear, everybody,
		func(p int, n int64) int64 { return int64(p) * steps(p) * n }, nil, nil},
	{"alltoall-pairwise", collectives.AlltoallPairwise, everybody,
		func(p int, n int64) int64 { return int64(p) * steps(p) * n },
		func(p int, n int64) (int64, int64) { return steps(p), n }, func(int) bool { return true }},
}

// The members are every third rank, backwards, with the root in their middle. At the end
// all of them have what they must have, and the bytes are those of the closed form.
func TestContributions(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second or more; -short leaves it out")
	}
	for _, row := range rows {
		for p := 1; p <= 33; p++ {
			for _, bytes := range []int64{1, 1000} {
				rank := func(member int) int { return 3 * (p - 1 - member) }
				group := collectives.Group{Ranks: p, Root: p / 2, Bytes: bytes, Tag: 5, Request: 2, Rank: rank}
				what := fmt.Sprintf("%s of %d", row.name, p)
				f := follow(t, what, 3*p, func(r int, do *programs.Ops) {
					if r%3 == 0 {
						mine := group
						mine.Me = p - 1 - r/3
						row.by.Call(mine, do)
					}
				})
				sum := int64(0)
				for r, sent := range f.sent {
					sum += sent
					if r%3 != 0 && len(f.ops[r]) > 0 {
						t.Errorf("%s: rank %d takes part", what, r)
					}
				}
				if want := row.bytes(p, bytes); sum != want {
					t.Errorf("%s: %d bytes, want %d", what, sum, want)
				}
				for member := range p {
					for who := range p {
						if row.needs(member, who, group.Root) && !f.knows[rank(member)][rank(who)] {
							t.Fatalf("%s: member %d has nothing of %d", what, member, who)
						}
					}
				}
			}
		}
	}
}

// An all-to-all sends one message directly from every member to every other one.
func TestAlltoallIsDirect(t *testing.T) {
	for _, by := range []collectives.Algorithm{collectives.AlltoallLinear, collectives.AlltoallPairwise} {
		for p := 1; p < 20; p++ {
			f := follow(t, "all-to-all", p, func(r int, do *programs.Ops) {
				by.Call(collectives.Group{Ranks: p, Me: r, Bytes: 8}, do)
			})
			count := map[[2]int]int{}
			for _, m := range f.messages {
				count[m]++
			}
			for from := range p {
				for to := range p {
					if got := count[[2]int{from, to}]; (got == 1) != (from != to) || got > 1 {
						t.Errorf("%d ranks: %d messages from %d to %d", p, got, from, to)
					}
				}
			}
		}
	}
}

// machine is LogGP with a gap that the overhead hides.
func machine() *machines.Machine {
	return &machines.Machine{Name: "test", Cores: 1, Processes: 1, Network: network.LogGOPS{
		Latency: 2500 * sim.Nanosecond, SendOverhead: network.Constant(1500 * sim.Nanosecond),
		ReceiveOverhead: network.Constant(1200 * sim.Nanosecond), Gap: 1000 * sim.Nanosecond, Transfer: network.PerByte(600),
	}}
}

// program is a compiled program that does one collective, round by round.
type program struct {
	by    collectives.Algorithm
	group collectives.Group
}

func (p *program) Ranks() int       { return p.group.Ranks }
func (p *program) Phases() []string { return nil }

func (p *program) Step(rank, step int, do *programs.Ops) bool {
	if step >= p.by.Rounds(p.group.Ranks) {
		return false
	}
	g := p.group
	g.Me = rank
	p.by.Round(g, step, do)
	return true
}

// A hop takes o, the bytes, L and o. If all members do the same, or one waits for the
// other, the makespan is that of the hops of the closed form and what is combined, live
// and compiled.
func TestTimes(t *testing.T) {
	m := machine()
	n := &m.Network
	for _, row := range rows {
		for _, p := range []int{1, 2, 3, 4, 7, 8, 16} {
			bytes := int64(p) * 1000
			group := collectives.Group{Ranks: p, Bytes: bytes}
			compiled, err := nodes.Run(m, &program{row.by, group}, 1, nodes.Options{})
			if err != nil {
				t.Fatal(row.name, err)
			}
			live, err := nodes.RunLive(m, p, nil, func(proc *nodes.Process) {
				g := group
				g.Me = proc.Rank()
				row.by.Call(g, proc)
			}, 1, nodes.Options{})
			if err != nil || live.Makespan() != compiled.Makespan() {
				t.Errorf("%s of %d: %v live, %v compiled, %v", row.name, p, live.Makespan(), compiled.Makespan(), err)
			}
			if row.hops == nil || !row.exact(p) {
				continue
			}
			hops, size := row.hops(p, bytes)
			want := sim.Time(hops) * (n.SendOverhead.Of(size) + n.Transfer.Of(size) + n.Latency + n.ReceiveOverhead.Of(size))
			if compiled.Makespan() != want {
				t.Errorf("%s of %d: %v, want %v", row.name, p, compiled.Makespan(), want)
			}
		}
	}
}

// Reductions combine what they receive: in recursive doubling all bytes of a vector in
// each exchange; around a ring all shares except the one that the member sent first. Data
// that is only passed on is not combined.
func TestCombining(t *testing.T) {
	const n = 1001
	ring := func(p, me int) int64 {
		before := (me + p - 1) % p
		share := n / int64(p)
		if before < n%p {
			share++
		}
		return n - share
	}
	for _, c := range []struct {
		by   collectives.Algorithm
		want func(p, me int) int64
	}{
		{collectives.AllreduceDoubling, func(p, me int) int64 {
			rounds := bits.Len(uint(p)) - 1
			pairs := p - 1<<rounds
			switch {
			case me >= 2*pairs:
				return int64(rounds) * n
			case me%2 == 1:
				return int64(rounds+1) * n
			}
			return 0
		}},
		{collectives.AllreduceRing, ring},
		{collectives.ReduceScatterRing, ring},
		{collectives.AllgatherRing, func(int, int) int64 { return 0 }},
	} {
		for p := 1; p < 20; p++ {
			for me := range p {
				combined := int64(0)
				c.by.Call(collectives.Group{Ranks: p, Me: me, Bytes: n, Combine: func(bytes int64) machines.Task {
					combined += bytes
					return machines.Task{}
				}}, new(programs.Ops))
				if want := c.want(p, me); combined != want {
					t.Errorf("member %d of %d combines %d bytes, want %d", me, p, combined, want)
				}
			}
		}
	}
}
