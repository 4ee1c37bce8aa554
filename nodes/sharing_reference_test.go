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

// slowSharing is rules S1 to S3 once more, for programs that compute, meet and have
// barriers. At every instant it finds out from scratch what each context does and how
// fast, and goes on to the next instant at which a context ends something.
type slowSharing struct {
	machine *machines.Machine
	perNode int
	now     sim.Time
	ranks   []*slowRank
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

// siblings returns the ranks on the core of a rank: every Cores-th of its node.
func (s *slowSharing) siblings(r int) (all []*slowRank) {
	first := r / s.perNode * s.perNode
	for other := first; other < min(first+s.perNode, len(s.ranks)); other++ {
		if other != r && (other-r)%s.machine.Cores == 0 {
			all = append(all, s.ranks[other])
		}
	}
	return all
}

// speed returns the speed of a rank's computation without memory, in units of 2^-32.
func (s *slowSharing) speed(r int) *big.Int {
	time := int64(1) << 32
	own := s.activity(s.ranks[r]).Profile
	for _, k := range s.siblings(r) {
		if other := s.activity(k).Profile; other != cores.Blocked {
			if f := s.machine.Sharing.SlowDown[own][other]; f > 1 {
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
		for s.begin() {
		}
		next := sim.Forever
		for r, k := range s.ranks {
			if k.left != nil {
				v := s.speed(r)
				t := new(big.Int).Add(k.left, v)
				next = min(next, s.now+sim.Time(t.Sub(t, big.NewInt(1)).Div(t, v).Int64()))
			} else if k.inside {
				next = min(next, k.exit)
			}
		}
		if next == sim.Forever {
			return !slices.ContainsFunc(s.ranks, func(k *slowRank) bool { return !k.ended() })
		}
		s.pass(next)
	}
}

// pass lets time go on, and ends what has ended by then.
func (s *slowSharing) pass(to sim.Time) {
	var done []*big.Int
	for r := range s.ranks {
		done = append(done, new(big.Int).Mul(s.speed(r), big.NewInt(int64(to-s.now))))
	}
	s.now = to
	for r, k := range s.ranks {
		if k.left != nil && k.left.Sub(k.left, done[r]).Sign() <= 0 {
			k.lost += to - k.began - sim.Time(k.ops[k.pc-1].Amount)
			k.left, k.finish = nil, to
		}
		if k.inside && k.exit <= to {
			k.inside, k.finish = false, to
		}
	}
}

// begin starts the next operation of a rank that does nothing.
func (s *slowSharing) begin() bool {
	for r, k := range s.ranks {
		if k.left != nil || k.inside || k.pc == len(k.ops) {
			continue
		}
		op := k.ops[k.pc]
		k.pc++
		switch op.Kind {
		case programs.OpCompute:
			k.left, k.began = new(big.Int).Lsh(big.NewInt(op.Amount), 32), s.now
		case programs.OpMeet:
			k.inside, k.exit = true, sim.Forever
			if other := s.ranks[op.Peer]; other.waitsFor(r) {
				k.exit, other.exit = s.now+s.machine.Barrier.Threads, s.now+s.machine.Barrier.Threads
			}
		case programs.OpBarrier:
			k.inside, k.exit = true, sim.Forever
			if !slices.ContainsFunc(s.ranks, func(k *slowRank) bool { return !k.inBarrier() }) {
				for _, k := range s.ranks {
					k.exit = s.now + s.machine.Barrier.Cost(len(s.ranks))
				}
			}
		}
		return true
	}
	return false
}

func (k *slowRank) waits(kind programs.OpKind) bool {
	return k.inside && k.exit == sim.Forever && k.ops[k.pc-1].Kind == kind
}
func (k *slowRank) waitsFor(r int) bool {
	return k.waits(programs.OpMeet) && int(k.ops[k.pc-1].Peer) == r
}
func (k *slowRank) inBarrier() bool { return k.waits(programs.OpBarrier) }

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
		m.Sharing.Bandwidth = 0
		m.Sharing.Synchronizing = rapid.SampledFrom([]cores.Profile{cores.Poll, cores.Blocked}).Draw(t, "in a barrier")
		got, err := Run(m, in.script, in.perNode, Options{})
		if err != nil {
			t.Fatal(err, in)
		}
		slow := &slowSharing{machine: m, perNode: in.perNode}
		for _, ops := range in.script.ops {
			slow.ranks = append(slow.ranks, &slowRank{ops: ops})
		}
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
