package goal

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/without"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// logGPS returns a machine with the parameters of a replay, as far as a machine has them:
// no gap, and one NIC that receives by itself.
func logGPS(p Params) *machines.Machine {
	return &machines.Machine{Name: "LogGPS", Cores: 1, Processes: 1, Network: network.LogGOPS{
		Latency: p.Latency, SendOverhead: network.Constant(p.Overhead), ReceiveOverhead: network.Constant(p.Overhead),
		Transfer: network.Cost{{}, {From: 1, Base: -sim.Time(p.GapPerByte), PerByte: p.GapPerByte}},
	}}
}

// story is a random schedule on which both sets of rules agree. Receives are posted from
// the start, each message has its own tag, and an operation that requires a receive
// requires nothing else. Durations differ, so that no two events happen at the same time
// by chance.
func story(r *rand.Rand) draft {
	d := make(draft, 2+r.IntN(4))
	add := func(rank int, op Op) {
		x := draftOp{Op: op}
		var messages, others []int
		for i, before := range d[rank] {
			if before.Kind == Recv {
				messages = append(messages, i)
			} else {
				others = append(others, i)
			}
		}
		switch {
		case len(messages) > 0 && r.IntN(2) == 0:
			x.needs = []draftEdge{{messages[r.IntN(len(messages))], r.IntN(8) == 0}}
		default:
			for _, on := range others {
				if r.IntN(3) == 0 {
					x.needs = append(x.needs, draftEdge{on, r.IntN(4) == 0})
				}
			}
			if x.needs == nil {
				x.needs = []draftEdge{{0, false}}
			}
		}
		d[rank] = append(d[rank], x)
	}
	for rank := range d { // that begin at different times
		d[rank] = []draftOp{{Op: Op{Kind: Calc, Size: 1 + uint64(r.IntN(1<<20))}}}
	}
	for tag := range 2 + r.IntN(20) {
		from, to := r.IntN(len(d)), r.IntN(len(d))
		if r.IntN(2) == 0 || from == to {
			add(from, Op{Kind: Calc, Size: 1 + uint64(r.IntN(1<<20))})
			continue
		}
		add(from, Op{Kind: Send, Size: 1 + uint64(r.IntN(1000)), Peer: uint32(to), Tag: uint32(tag)})
		d[to] = append(d[to], draftOp{Op: Op{Kind: Recv, Size: 1000, Peer: uint32(from), Tag: uint32(tag)}})
	}
	return d
}

// beginsApart tells whether the ranks still begin at different times.
func (d draft) beginsApart() bool {
	for _, rank := range d {
		if len(rank) > 0 && rank[0].Kind != Calc || slices.ContainsFunc(rank[min(1, len(rank)):],
			func(x draftOp) bool { return x.Kind != Recv && x.needs == nil }) {
			return false
		}
	}
	return true
}

// sameAsReplay compares the finish of every rank.
func sameAsReplay(s *Schedule, p Params) error {
	want, err := Run(s, p)
	if err != nil {
		return nil // shrinking has made it a schedule that cannot run
	}
	got, err := nodes.Run(logGPS(p), s.Processes(), 1, nodes.Options{})
	if err != nil {
		return fmt.Errorf("as processes: %w", err)
	}
	if !slices.Equal(got.Finish, want.Finish) {
		return fmt.Errorf("ranks finish at %v, replayed at %v", got.Finish, want.Finish)
	}
	if got.Messages != want.Messages {
		return fmt.Errorf("%d messages, replayed %d", got.Messages, want.Messages)
	}
	return nil
}

// Where the rules are the same, the times are the same to the picosecond.
func TestProcessesLikeReplay(t *testing.T) {
	p := Params{Latency: 123_457_003, Overhead: 10_007_001, Rendezvous: 1 << 40, ReceiveOverlap: true}
	for seed := range uint64(3000) {
		d := story(rand.New(rand.NewPCG(seed, 1)))
		fails := func(d draft) bool {
			return d.beginsApart() && sameAsReplay(d.schedule(t), p) != nil
		}
		if fails(d) {
			d = shrink(d, fails)
			t.Fatalf("seed %d: %v\n%s", seed, sameAsReplay(d.schedule(t), p), d.schedule(t).text())
		}
	}
}

// The recorded schedules for which the rules are the same: without gaps, and eager. The
// rules differ for a message to the sender itself, for several CPUs, and for a message
// that is longer than its receive.
func TestRecordedSchedulesAsProcesses(t *testing.T) {
	same := 0
	for _, c := range sharedCases(t) {
		recorded := c.recorded.params()
		p := Params{Latency: recorded.Params().Latency, Overhead: recorded.Params().Overhead, Rendezvous: 1 << 40, ReceiveOverlap: true}
		if several := c.schedule.CPUs() > 1; several != (c.schedule.Processes().Mistakes(c.name) != nil) {
			t.Errorf("%s: %d CPUs, mistakes %v", c.name, c.schedule.CPUs(), c.schedule.Processes().Mistakes(c.name))
			continue
		} else if several {
			continue
		}
		if _, err := nodes.Run(logGPS(p), c.schedule.Processes(), 1, nodes.Options{Critical: true}); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, err := Run(c.schedule, p); err != nil || c.schedule.sendsHome() {
			continue
		}
		if err := sameAsReplay(c.schedule, p); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		same++
	}
	if same < 8 {
		t.Errorf("only %d schedules were compared", same)
	}
}

// sendsHome tells whether a rank sends to itself.
func (s *Schedule) sendsHome() bool {
	for rank := range s.Ranks() {
		ops, _ := s.Rank(rank)
		if slices.ContainsFunc(ops, func(op Op) bool { return op.Kind == Send && op.Peer == uint32(rank) }) {
			return true
		}
	}
	return false
}

// A program with another cost of a kernel is as reactive as the program that it changes.
func TestRescaledProcesses(t *testing.T) {
	p := Params{Latency: 123_457_003, Overhead: 10_007_001, Rendezvous: 1 << 40, ReceiveOverlap: true}
	for seed := range uint64(100) {
		s := story(rand.New(rand.NewPCG(seed, 2))).schedule(t)
		want := must.Get(nodes.Run(logGPS(p), s.Processes(), 1, nodes.Options{}))(t)
		got, err := nodes.Run(logGPS(p), programs.Rescaled(logGPS(p), s.Processes(), "kernels.fft.rate", 2), 1, nodes.Options{})
		if err != nil || !slices.Equal(got.Finish, want.Finish) {
			t.Fatalf("seed %d: ranks finish at %v, %v; want %v", seed, got, err, want.Finish)
		}
	}
}

// Without imbalance the k-th calc of each rank takes their mean, though all compute equally long together.
func TestEvenSteps(t *testing.T) {
	const rank = "{\nc0: calc %d\ns0: send 8b to %d\nr0: recv 8b from %[2]d\ns0 requires c0\nc1: calc %d\nc1 requires r0\n}\n"
	schedule := func(times ...int) *Processes {
		return mustRead(t, "num_ranks 2\nrank 0 "+fmt.Sprintf(rank, times[0], 1, times[1])+"rank 1 "+fmt.Sprintf(rank, times[2], 0, times[3])).Processes()
	}
	m := logGPS(Params{Latency: 1000, Overhead: 100})
	absent := must.Get(must.Get(without.Of("imbalance"))(t).Processes(m, 0))(t)
	makespan := func(p programs.Program) sim.Time { return must.Get(nodes.Run(m, p, 1, nodes.Options{}))(t).Makespan() }
	const messages = 100 + 1000 + 100 // o + L + o
	uneven, even := makespan(schedule(1e6, 2e6, 2e6, 1e6)), makespan(absent.Program(schedule(1e6, 2e6, 2e6, 1e6)))
	if uneven != 4*sim.Millisecond+messages || even != 3*sim.Millisecond+messages {
		t.Errorf("takes %v, without imbalance %v", uneven, even)
	}
}

// A label that is defined twice is a mistake at its own place, except by LogGOPSim's
// rules.
func TestLabelsTwice(t *testing.T) {
	s := mustRead(t, "num_ranks 2\nrank 0 {\na: calc 5\n a: calc 6\nb: calc 1 cpu 1\n}\nrank 1 {\na: calc 5\n}\n")
	const want = "x.goal:4:2: label a is defined twice in rank 0; only LogGOPSim's rules take that, and the first counts"
	if err := s.Ambiguous(); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := s.Processes().Mistakes("x.goal"); err == nil || !strings.HasPrefix(err.Error(), want+"\nx.goal:5:1: cpu 1: ") {
		t.Error(err)
	}
	if s := mustRead(t, rank0("a: calc 5\nb: calc 6")); s.Ambiguous() != nil {
		t.Error(s.Ambiguous())
	}
}

// Processes that wait for each other, or for messages that nobody sends, are told at their lines.
func TestWaitsHaveLines(t *testing.T) {
	for text, want := range map[string]string{
		"num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 5\n}\nrank 1 {\nl1: recv 8b from 0 tag 6\n}\n": "deadlock: rank 1 (line 6) waits for a message with tag 6 from rank 0, which has ended",
		"num_ranks 2\nrank 0 {\nl1: calc 5\nl2: recv 8b from 1\nl3: send 8b to 1\nl3 requires l2\n}\nrank 1 {\nl1: recv 8b from 0\nl2: send 8b to 0\n" +
			"l2 requires l1\n}\n": "deadlock: rank 0 (line 4) waits for a message with tag 0 from rank 1, which (line 9) waits for a message with tag 0 " +
			"from rank 0: a cycle",
	} {
		s := must.Get(Read(strings.NewReader(text), "x.goal"))(t)
		if _, err := nodes.Run(logGPS(Params{}), s.Processes(), 1, nodes.Options{}); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
