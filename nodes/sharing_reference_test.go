package nodes

import (
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/nodes/cores"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// slowSharing is rules S1 to S3 and S6 once more, for programs that compute, meet and have
// barriers. At every instant it finds out from scratch what each context does and how
// fast, and continues with the next instant at which a context ends something.
type slowSharing struct {
	machine *machines.Machine
	perNode int
	now     sim.Time
	ranks   []*slowRank
	due     []sim.Time // by node: when a core takes a rank over; never: all is in balance
	turns   int
}

type slowRank struct {
	ops    []programs.Op
	pc     int
	left   *big.Int // of a computation, in 2^-32 ps; nil: none under way
	exit   sim.Time // of a barrier; Forever: not all have come
	inside bool     // a barrier, or waiting to meet
	finish sim.Time
	lost   sim.Time // time lost because of others
	began  sim.Time
	node   int
	at     int  // its context of the node, or the last one that it had
	awake  bool // it is there
	turn   int  // among those that leave a barrier at the same time
}

func newSlowSharing(m *machines.Machine, perNode int, ops [][]programs.Op) *slowSharing {
	s := &slowSharing{machine: m, perNode: perNode}
	for r, ops := range ops {
		slot := r % perNode
		s.ranks = append(s.ranks, &slowRank{ops: ops, node: r / perNode, at: slot%m.Cores*m.Sharing.Contexts + slot/m.Cores})
		s.due = append(s.due, never)
	}
	return s
}

func (k *slowRank) ended() bool { return k.pc == len(k.ops) && k.left == nil && !k.inside }

// activity returns what a rank does to activities that share its core or memory.
func (s *slowSharing) activity(k *slowRank) cores.Activity {
	switch {
	case k.left != nil:
		return k.ops[k.pc-1].Activity()
	case k.inside:
		return cores.Activity{Profile: s.machine.Sharing.Synchronizing}
	}
	return cores.Activity{}
}

// on returns the ranks that are awake on the contexts from first to last of a node.
func (s *slowSharing) on(node, first, last int) (all []*slowRank) {
	for _, k := range s.ranks {
		if k.awake && k.node == node && k.at >= first && k.at < last {
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(a, b *slowRank) int { return a.at - b.at })
	return all
}

// core returns the ranks that are awake on a core.
func (s *slowSharing) core(node, core int) []*slowRank {
	return s.on(node, core*s.machine.Sharing.Contexts, (core+1)*s.machine.Sharing.Contexts)
}

// speed returns the speed of a rank's computation without memory, in units of 2^-32.
func (s *slowSharing) speed(r int) *big.Int {
	time, own := int64(1)<<32, s.ranks[r]
	for _, k := range s.core(own.node, own.at/s.machine.Sharing.Contexts) {
		if other := s.activity(k).Profile; k != own && other != cores.Blocked {
			if f := s.machine.Sharing.SlowDown[s.activity(own).Profile][other]; f > 1 {
				time += int64((f-1)*(1<<32) + 0.5)
			}
		}
	}
	one := new(big.Int).Lsh(big.NewInt(1), 64)
	return one.Add(one, big.NewInt(time-1)).Div(one, big.NewInt(time)) // rounded up
}

// run plays the program. It returns false if nothing can happen any more.
func (s *slowSharing) run() bool {
	for {
		s.act()
		next := sim.Forever
		for r, k := range s.ranks {
			if k.left != nil {
				v := s.speed(r)
				t := new(big.Int).Add(k.left, v)
				next = min(next, s.now+sim.Time(t.Sub(t, big.NewInt(1)).Div(t, v).Int64()))
			} else if k.inside {
				next = min(next, k.exit)
			}
			if due := s.due[k.node]; due != never {
				next = min(next, due)
			}
		}
		if next == sim.Forever {
			return !slices.ContainsFunc(s.ranks, func(k *slowRank) bool { return !k.ended() })
		}
		s.pass(next)
	}
}

// pass lets time go on.
func (s *slowSharing) pass(to sim.Time) {
	var done []*big.Int
	for r := range s.ranks {
		done = append(done, new(big.Int).Mul(s.speed(r), big.NewInt(int64(to-s.now))))
	}
	s.now = to
	for r, k := range s.ranks {
		if k.left != nil {
			k.left.Sub(k.left, done[r])
		}
	}
}

// act ends what has ended by now, and begins what comes next; then cores take ranks over.
func (s *slowSharing) act() {
	order := slices.Clone(s.ranks)
	slices.SortStableFunc(order, func(a, b *slowRank) int { return a.turn - b.turn })
	for _, k := range order {
		s.end(k)
		for s.begin(k) {
		}
		s.place(k)
	}
	for _, k := range s.ranks {
		for s.due[k.node] == s.now {
			s.balance(k.node)
		}
	}
}

// end ends the operation of a rank, if it has ended by now.
func (s *slowSharing) end(k *slowRank) {
	if k.left != nil && k.left.Sign() <= 0 {
		k.lost += s.now - k.began - sim.Time(k.ops[k.pc-1].Amount)
		k.left, k.finish = nil, s.now
	}
	if k.inside && k.exit <= s.now {
		k.inside, k.finish = false, s.now
	}
}

// begin starts the next operation of a rank that does nothing.
func (s *slowSharing) begin(k *slowRank) bool {
	if k.left != nil || k.inside || k.pc == len(k.ops) {
		return false
	}
	op := k.ops[k.pc]
	k.pc++
	switch op.Kind {
	case programs.OpCompute:
		k.left, k.began = new(big.Int).Lsh(big.NewInt(op.Amount), 32), s.now
	case programs.OpMeet:
		k.inside, k.exit = true, sim.Forever
		if other := s.ranks[op.Peer]; other.waitsFor(slices.Index(s.ranks, k)) {
			s.leave(s.machine.Barrier.Threads, k, other)
		}
	case programs.OpBarrier:
		k.inside, k.exit = true, sim.Forever
		if !slices.ContainsFunc(s.ranks, func(k *slowRank) bool { return !k.inBarrier() }) {
			s.leave(s.machine.Barrier.Cost(len(s.ranks), (len(s.ranks)+s.perNode-1)/s.perNode), s.ranks...)
		}
	}
	return true
}

// leave says when ranks leave a barrier, and in which order.
func (s *slowSharing) leave(after sim.Time, all ...*slowRank) {
	for _, k := range all {
		s.turns++
		k.exit, k.turn = s.now+after, s.turns
	}
}

// place gives a rank that has awoken a context.
func (s *slowSharing) place(k *slowRank) {
	awake := k.left != nil || s.activity(k).Profile != cores.Blocked
	if awake == k.awake {
		return
	}
	if awake && s.machine.Sharing.Scheduler != nil {
		k.at = s.free(k)
	}
	k.awake = awake
	s.watch(k.node)
}

// free returns where a rank wakes up, by the order of rule S6.
func (s *slowSharing) free(k *slowRank) int {
	ways := s.machine.Sharing.Contexts
	order := []int{k.at}
	if s.machine.Sharing.Scheduler.First {
		order = []int{0, k.at}
	}
	for i := range ways {
		order = append(order, k.at/ways*ways+i)
	}
	for i := range ways * s.machine.Cores {
		order = append(order, i)
	}
	return order[slices.IndexFunc(order, func(i int) bool { return len(s.on(k.node, i, i+1)) == 0 })]
}

// imbalance returns a rank that the first idle core may take over, or nil.
func (s *slowSharing) imbalance(node int) (k *slowRank, idle int) {
	most, idle := 1, -1
	for core := s.machine.Cores - 1; core >= 0; core-- {
		all := s.core(node, core)
		if len(all) == 0 {
			idle = core
		}
		if len(all) > 1 && len(all) >= most {
			most, k = len(all), all[len(all)-1]
		}
	}
	if idle < 0 {
		return nil, 0
	}
	return k, idle
}

// watch plans when a core of a node takes a rank over.
func (s *slowSharing) watch(node int) {
	if s.machine.Sharing.Scheduler == nil {
		return
	}
	if k, _ := s.imbalance(node); k == nil {
		s.due[node] = never
	} else if s.due[node] == never {
		s.due[node] = s.now + s.machine.Sharing.Scheduler.Balance
	}
}

// balance makes a core of a node take a rank over.
func (s *slowSharing) balance(node int) {
	k, idle := s.imbalance(node)
	k.at, s.due[node] = idle*s.machine.Sharing.Contexts, never
	s.watch(node)
}

func (k *slowRank) waits(kind programs.OpKind) bool {
	return k.inside && k.exit == sim.Forever && k.ops[k.pc-1].Kind == kind
}
func (k *slowRank) waitsFor(r int) bool {
	return k.waits(programs.OpMeet) && int(k.ops[k.pc-1].Peer) == r
}
func (k *slowRank) inBarrier() bool { return k.waits(programs.OpBarrier) }

// spread makes it unlikely that computations of two ranks end at the same time. A scheduler acts on one of them first.
func (in *instance) spread() {
	in.machine.Barrier.Threads++
	in.machine.Sharing.Scheduler.Balance *= 10_007
	for r, ops := range in.script.ops {
		for i := range ops {
			if ops[i].Kind == programs.OpCompute {
				ops[i].Amount = ops[i].Amount*10_000 + int64((8*i+r)*7919%9973)
			}
		}
	}
}

// The engine agrees with the slow version to the picosecond.
func TestSharingAgreesWithSlowVersion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "ranks")
		m := &machines.Machine{Name: "drawn", Processes: 1, Barrier: machines.Barrier{Base: 7, PerRound: 3,
			Threads: sim.Time(rapid.IntRange(0, 40).Draw(t, "threads"))}}
		in := &instance{machine: m, perNode: rapid.IntRange(1, 6).Draw(t, "per node"), script: &script{atOnce: 2, ops: make([][]programs.Op, n)}}
		for range rapid.IntRange(1, 40).Draw(t, "story") {
			r := rapid.IntRange(0, n-1).Draw(t, "rank")
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				for i := range in.script.ops {
					in.script.ops[i] = append(in.script.ops[i], programs.Op{Kind: programs.OpBarrier})
				}
			case 1, 2:
				peer := r ^ 1
				if peer < n && peer/in.perNode == r/in.perNode {
					in.script.ops[r] = append(in.script.ops[r], programs.Op{Kind: programs.OpMeet, Peer: int32(peer)})
					in.script.ops[peer] = append(in.script.ops[peer], programs.Op{Kind: programs.OpMeet, Peer: int32(r)})
				}
			default:
				in.script.ops[r] = append(in.script.ops[r], programs.Op{Kind: programs.OpCompute, Amount: rapid.Int64Range(1, 500).Draw(t, "work")})
			}
		}
		drawSharing(t, m, in)
		if m.Sharing.Scheduler != nil {
			in.spread()
		}
		m.Sharing.Bandwidth = 0
		m.Sharing.Synchronizing = rapid.SampledFrom([]cores.Profile{cores.Poll, cores.Blocked}).Draw(t, "in a barrier")
		got, err := Run(m, in.script, in.perNode, Options{})
		if err != nil {
			t.Fatal(err, in)
		}
		slow := newSlowSharing(m, in.perNode, in.script.ops)
		if !slow.run() {
			t.Fatal("the slow version does not end", in)
		}
		for r, k := range slow.ranks {
			var lost sim.Time
			for _, l := range got.Ledgers[r] {
				lost += l[results.Interference]
			}
			if got.Finish[r] != k.finish || lost != k.lost {
				t.Fatalf("rank %d ends at %d and loses %d, want %d and %d\n%v", r, got.Finish[r], lost, k.finish, k.lost, in)
			}
		}
	})
}
