package without

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// whole is a random program that ends, and when each rank would end without communication.
type whole struct {
	script
	ends []sim.Time
}

// ofSchedules is the first request of a message of a schedule.
const ofSchedules = 1000

// drawProgram draws what happens one after the other: a computation, a message or a barrier. The
// ranks do their parts in that order, so that the program ends.
func drawProgram(t *rapid.T) whole {
	n := rapid.IntRange(2, 6).Draw(t, "ranks")
	w := whole{script: make(script, n), ends: make([]sim.Time, n)}
	do := make([]programs.Ops, n)
	for i := range rapid.IntRange(1, 30).Draw(t, "length") {
		r := rapid.IntRange(0, n-1).Draw(t, "rank")
		to := (r + rapid.IntRange(1, n-1).Draw(t, "distance")) % n
		bytes := int64(rapid.IntRange(0, 20_000).Draw(t, "bytes"))
		switch rapid.SampledFrom([]string{"compute", "send", "isend", "put", "get", "signal", "schedule", "barrier", "phase", "step"}).Draw(t, "what") {
		case "compute":
			amount := sim.Time(rapid.IntRange(1, 50_000).Draw(t, "amount"))
			compute(&do[r], amount)
			w.ends[r] += amount
		case "send":
			do[r].Send(to, bytes, i)
			do[to].Recv(r, bytes, i)
			w.ends[to] = max(w.ends[to], w.ends[r])
		case "isend":
			do[to].Irecv(r, bytes, i, i)
			do[r].Isend(to, bytes, i, i)
			do[r].Wait(i)
			do[to].Wait(i)
			w.ends[to] = max(w.ends[to], w.ends[r])
		case "signal":
			do[r].Signal(to, bytes, i, i)
			do[to].Recv(r, bytes, i)
			do[r].Wait(i)
			w.ends[to] = max(w.ends[to], w.ends[r])
		case "schedule": // what it combines is communication
			amount := sim.Time(rapid.IntRange(1, 50_000).Draw(t, "combination"))
			do[to].Isend(r, bytes, i, i)
			do[r].Start(func(do *programs.Ops) {
				do.Irecv(to, bytes, i, ofSchedules+i)
				do.Wait(ofSchedules + i)
				compute(do, amount)
			}, i)
			do[r].Wait(i)
			do[to].Wait(i)
			w.ends[r] = max(w.ends[r], w.ends[to])
		case "put":
			do[r].Put(to, bytes, i)
			do[r].Wait(i)
		case "get":
			do[r].Get(to, bytes, i)
			do[r].Wait(i)
		case "barrier":
			last := sim.Time(0)
			for k := range n {
				do[k].Barrier()
				last = max(last, w.ends[k])
			}
			for k := range n {
				w.ends[k] = last
			}
		case "phase":
			do[r].Phase(rapid.IntRange(0, 1).Draw(t, "phase"))
		case "step":
			w.next(r, &do[r])
		}
	}
	for r := range n {
		w.next(r, &do[r])
	}
	return w
}

// next ends a step of a rank.
func (w whole) next(r int, do *programs.Ops) {
	w.script[r] = append(w.script[r], append([]programs.Op(nil), do.List()...))
	do.Reset()
}

// drawMachine draws a machine that has something of nearly all causes.
func drawMachine(t *rapid.T) *machines.Machine {
	ps := func(name string) sim.Time { return sim.Time(rapid.IntRange(0, 3000).Draw(t, name)) }
	some := func(name string) bool { return rapid.Bool().Draw(t, name) }
	cost := func(name string) network.Cost {
		return network.Cost{{Base: ps(name), PerByte: float64(ps(name)) / 1000}}
	}
	m := &machines.Machine{Name: "random", Cores: 8, Processes: 2, Barrier: machines.Barrier{Base: ps("base"), PerRound: ps("round")}}
	m.Network = network.LogGOPS{Latency: ps("L"), SendOverhead: cost("o"), ReceiveOverhead: cost("p"), Gap: ps("g"), Startup: ps("startup"),
		Transfer: cost("G"), Rendezvous: int64(rapid.IntRange(0, 10_000).Draw(t, "S")), QueueDepth: rapid.IntRange(0, 2).Draw(t, "queue"),
		Outstanding: rapid.IntRange(0, 3).Draw(t, "outstanding"), Early: some("early")}
	if some("inside") {
		m.IntraNode = &machines.IntraNode{Latency: ps("inside L"), Copy: cost("inside")}
	}
	if some("NICs") {
		m.NICs = &machines.NICs{Number: 2, Use: machines.RoundRobin, Far: ps("far")}
		m.Sockets = &machines.Sockets{Number: 2}
	}
	if some("copying") {
		m.Copying = &machines.Copying{SendPerByte: 0.5, ReceivePerByte: 0.7, Buffer: 8000, Chunk: 3000, Interrupt: ps("interrupt")}
	}
	if some("library") {
		agent := rapid.SampledFrom([]machines.Agent{machines.InCalls, machines.Testing, machines.Interrupts, machines.Thread, machines.InWaits})
		m.Runtime = &machines.Runtime{Progress: machines.Progression{By: agent.Draw(t, "agent"), Every: 5000, Test: ps("test"),
			Delay: ps("delay"), Cost: ps("cost")}, Matching: ps("matching"), Search: ps("search"), Unexpected: cost("unexpected"),
			Handler: ps("handler"), Dispatch: ps("dispatch"), Rendezvous: machines.Protocol(rapid.IntRange(0, 2).Draw(t, "protocol")),
			Pipeline: machines.Pipeline{Chunk: 4000, First: 500, Depth: 2, In: 0.3, Out: 0.4}}
		if some("blocks") {
			m.Runtime.Waiting, m.Runtime.Wakeup = machines.Block, ps("wake-up")
		}
	} else if m.Copying != nil {
		m.Copying.Interrupts = some("interrupts")
	}
	if m.Runtime == nil || !m.Runtime.Progress.By.Tests() {
		if some("noise") {
			m.Noise = &machines.Noise{Rate: 1e7, Length: 5000}
		}
		if some("sharing") {
			m.Sharing = &machines.Sharing{Contexts: 2, Bandwidth: 1e9}
			m.Sharing.SlowDown[1][1], m.Sharing.SlowDown[1][4] = 1.5, 1.2
		}
	}
	return m
}

// named is the set of a name.
func named(t must.Test, name string) Set {
	return must.Get(Of(name))(t)
}

// absentTerms are the terms of the ledger that communication alone has.
var absentTerms = []results.Term{results.Transfer, results.Latency, results.Overhead, results.Progress, results.Contention, results.NICStall}

// Without communication a run ends when its longest chain of computation does, found here by
// doing one thing after the other, and no time is spent on messages.
func TestNoCommunication(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, m := drawProgram(t), drawMachine(t)
		m.Noise, m.Sharing = nil, nil
		o := taken(t, named(t, "communication"), m, w, 2, nodes.Options{})
		for r, end := range w.ends {
			if o.Finish[r] != end {
				t.Fatalf("rank %d of %v ends at %v, its longest chain takes %v", r, w.script, o.Finish[r], end)
			}
			for _, term := range absentTerms {
				if spent := o.OfRank(r); spent[term] != 0 {
					t.Fatalf("rank %d of %v spends %v on %v", r, w.script, spent[term], term)
				}
			}
		}
	})
}

// computed is the computation of all ranks.
func computed(o *results.Result) (sum sim.Time) {
	for r := range o.Ranks {
		all := o.OfRank(r)
		sum += all[results.Compute]
	}
	return sum
}

// In every run from which something is taken away the messages stay; and so does the computation, except without
// computation. Taking away twice, or in another order, is the same. Without computation, or
// without communication, nothing of it is left.
func TestKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, m := drawProgram(t), drawMachine(t)
		before := taken(t, 0, m, w, 2, nodes.Options{Seed: 1})
		var s Set
		for i, c := range Causes {
			if c.Processes != nil && rapid.IntRange(0, 3).Draw(t, c.Name) == 0 {
				s |= 1 << i
			}
		}
		o := taken(t, s, m, w, 2, nodes.Options{Seed: 1})
		if o.Messages != before.Messages || o.Bytes != before.Bytes {
			t.Fatalf("without %v: %d messages of %d bytes, with it %d of %d", s, o.Messages, o.Bytes, before.Messages, before.Bytes)
		}
		want := computed(before)
		if s&named(t, "computation") != 0 {
			want = 0
		}
		if computed(o) != want {
			t.Fatalf("without %v ranks compute %v, should %v", s, computed(o), want)
		}
	})
}

// reactive is a program that does not say its steps beforehand.
type reactive struct{ script }

func (p reactive) Begin() programs.Program { return p.script }

// Without imbalance all ranks that share the computation compute the same in a step, up to 1 ps, and together as before. The
// ranks of a reactive program do so in each step of a phase. The others compute what they did.
func TestBalance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, m := drawProgram(t), exact()
		before := taken(t, 0, m, w, 2, nodes.Options{})
		even, all := balanced(w.script, m), make([]int64, w.Ranks())
		for r := range all {
			spent := before.OfRank(r)
			all[r] = int64(spent[results.Compute])
		}
		c := crewOf(w.script, all)
		for step, more := 0, true; more; step++ {
			least, most := int64(math.MaxInt64), int64(0)
			more = false
			for r := range w.Ranks() {
				var do programs.Ops
				more = even.Step(r, step, &do) || more
				if c.shares(r) {
					least, most = min(least, computation(do.List())), max(most, computation(do.List()))
				}
			}
			if most-least > 1 {
				t.Fatalf("step %d of %v: ranks compute %d to %d ps", step, w.script, least, most)
			}
		}
		for _, p := range []programs.Program{w.script, reactive{w.script}} {
			o := taken(t, named(t, "imbalance"), m, p, 2, nodes.Options{})
			if computed(o) != computed(before) {
				t.Fatalf("%T: ranks compute %v, before %v", p, computed(o), computed(before))
			}
		}
		o := taken(t, named(t, "imbalance"), m, reactive{w.script}, 2, nodes.Options{})
		for phase := range o.Phases {
			least, most := sim.Time(math.MaxInt64), sim.Time(0)
			for r := range o.Ranks {
				computes := o.Ledgers[r][phase][results.Compute]
				if c.shares(r) {
					least, most = min(least, computes), max(most, computes)
				} else if was := before.Ledgers[r][phase][results.Compute]; computes != was {
					t.Fatalf("phase %d of %v: rank %d computes %v, before %v", phase, w.script, r, computes, was)
				}
			}
			if most-least > sim.Time(o.Ranks*len(w.script)*30) { // 1 ps in each step
				t.Fatalf("phase %d of %v: ranks compute %v to %v", phase, w.script, least, most)
			}
		}
	})
}

// inSteps is a reactive program of ranks that compute for given times in each step, and then do the messages of a step.
func inSteps(times [][]sim.Time, messages func(rank int, do *programs.Ops)) programs.Program {
	p := make(script, len(times[0]))
	for rank := range p {
		for _, step := range times {
			p[rank] = append(p[rank], steps(func(do *programs.Ops) {
				compute(do, step[rank])
				messages(rank, do)
			})...)
		}
	}
	return reactive{p}
}

// Without imbalance a reactive program is the one that computes the mean of its ranks in each step, and stays as it is if its ranks
// compute the same. A rank has messages before, after or around its computation.
func TestEvenSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks, m := rapid.IntRange(2, 5).Draw(t, "ranks"), exact()
		m.Network.Rendezvous = int64(rapid.IntRange(0, 200).Draw(t, "S"))
		split, even := rapid.Bool().Draw(t, "posted"), rapid.Bool().Draw(t, "even")
		var times, means [][]sim.Time
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			all, sum := make([]sim.Time, ranks), sim.Time(0)
			for rank := range all {
				all[rank] = sim.Time(ranks * rapid.IntRange(100, 5000).Draw(t, "time"))
				if even {
					all[rank] = all[0]
				}
				sum += all[rank]
			}
			times, means = append(times, all), append(means, slices.Repeat([]sim.Time{sum / sim.Time(ranks)}, ranks))
		}
		messages := func(rank int, do *programs.Ops) { // a ring
			next, before := (rank+1)%ranks, (rank+ranks-1)%ranks
			do.Irecv(before, 100, 0, 1)
			do.Isend(next, 100, 0, 2)
			if split {
				compute(do, 700)
			}
			do.Wait(1)
			do.Wait(2)
		}
		p := inSteps(times, messages)
		got, want := taken(t, named(t, "imbalance"), m, p, 1, nodes.Options{}), taken(t, 0, m, inSteps(means, messages), 1, nodes.Options{})
		if !slices.Equal(got.Finish, want.Finish) {
			t.Fatalf("%v: ranks end at %v, with the means at %v", times, got.Finish, want.Finish)
		}
		if with := taken(t, 0, m, p, 1, nodes.Options{}); even && !slices.Equal(got.Finish, with.Finish) {
			t.Fatalf("%v: ranks end at %v, with the cause at %v", times, got.Finish, with.Finish)
		}
	})
}

// Ranks of which some do something more often have steps all the same: from one computation that is not short to the next, or from
// wait to wait. If these do not match either, a phase is a step.
func TestUnlikeSteps(t *testing.T) {
	const ranks, glue = 3, 3
	line := func(rank int, do *programs.Ops) { // without neighbours at the ends
		for _, to := range []int{rank - 1, rank + 1} {
			if to >= 0 && to < ranks {
				do.Irecv(to, 100, 0, 1)
				do.Send(to, 100, 0)
				do.Wait(1)
				compute(do, glue)
			}
		}
	}
	posts := func(rank int, do *programs.Ops) { // one rank posts a message that the others do not
		if rank == 0 {
			compute(do, glue)
			do.Isend(1, 100, 1, 2)
			compute(do, glue)
		}
		if rank == 1 {
			do.Irecv(0, 100, 1, 2)
		}
		do.Barrier()
		if rank < 2 {
			do.Wait(2)
		}
	}
	times := [][]sim.Time{{3000, 6000, 9000}, {9000, 6000, 3000}, {3000, 9000, 6000}}
	for name, c := range map[string]struct {
		p     programs.Program
		steps int
	}{
		"line":  {inSteps(times, line), 3},
		"posts": {inSteps(times, posts), 3},
		"once": {reactive{script{
			steps(computing(100), func(do *programs.Ops) { do.Recv(1, 100, 0) }),
			steps(computing(30), func(do *programs.Ops) { do.Send(0, 100, 0) }, computing(60)),
		}}, 1},
	} {
		l := &level{Program: c.p, on: exact()}
		l.once.Do(l.look)
		if len(l.sums[0]) != c.steps || l.whole != (c.steps == 1) {
			t.Errorf("%s has %d steps, should have %d; one in all: %v", name, len(l.sums[0]), c.steps, l.whole)
		}
	}
	for name, messages := range map[string]func(int, *programs.Ops){"line": line, "posts": posts} {
		m := exact()
		comm := taken(t, named(t, "computation"), m, inSteps(times, messages), 1, nodes.Options{}).Makespan()
		took := taken(t, named(t, "imbalance"), m, inSteps(times, messages), 1, nodes.Options{}).Makespan()
		if most := 3*(6000+2*glue) + comm; took < 3*6000 || took > most {
			t.Errorf("%s takes %v without imbalance, should take up to %v", name, took, most)
		}
	}
}

// Ranks of which one computes in three pieces in a step and the other one in one, in turns, compute as often in all, but the k-th pieces
// are no steps: these are from wait to wait, or from barrier to barrier. Pieces with nothing between them are one.
func TestPieces(t *testing.T) {
	const piece, count = 1000, 10
	for name, between := range map[string]func(rank, i int, do *programs.Ops){
		"nothing":         func(int, int, *programs.Ops) {},
		"a phase":         func(_, _ int, do *programs.Ops) { do.Phase(0) },
		"a put":           func(rank, i int, do *programs.Ops) { do.Put(1-rank, 8, i) },
		"a blocking send": func(rank, _ int, do *programs.Ops) { do.Send(1-rank, 8, 0) },
	} {
		p := make(script, 2)
		for rank := range p {
			for i := range count {
				p[rank] = append(p[rank], steps(func(do *programs.Ops) {
					pieces := 1 + 2*((rank+i)%2)
					for j := range pieces {
						compute(do, piece)
						between(rank, j, do)
					}
					switch name {
					case "a put":
						for j := range pieces {
							do.Wait(j)
						}
					case "a blocking send":
						for range 4 - pieces {
							do.Recv(1-rank, 8, 0)
						}
					}
					do.Barrier()
				})...)
			}
		}
		m := exact()
		l := &level{Program: reactive{p}, on: m}
		l.once.Do(l.look)
		if longer := StepsOf(reactive{p}, m).Longer; len(l.sums[0]) != count || longer != 0.5 {
			t.Errorf("%s between pieces: %d steps, the longest %g longer than the mean, should be %d and 0.5", name, len(l.sums[0]), longer, count)
		}
		took := taken(t, named(t, "imbalance"), m, reactive{p}, 1, nodes.Options{}).Makespan()
		comm := taken(t, named(t, "computation"), m, reactive{p}, 1, nodes.Options{}).Makespan()
		if took < 2*piece*count || took > 2*piece*count+comm {
			t.Errorf("%s between pieces: %v without imbalance, should be %v and up to %v more", name, took, sim.Time(2*piece*count), comm)
		}
	}
}

// A master that computes nothing, or a hundredth of the mean, sends work to workers and waits for them: without imbalance each worker
// computes the mean worker's time in each round, and the master nothing more. Of two ranks of which one computes, both do.
func TestMaster(t *testing.T) {
	const rounds = 5
	for _, c := range []struct {
		master  sim.Time
		workers []sim.Time
		even    sim.Time
	}{
		{0, []sim.Time{40_000, 40_000, 40_000, 80_000}, 50_000},
		{0, []sim.Time{40_000, 40_000, 40_000, 120_000}, 60_000},
		{300, []sim.Time{40_000, 40_000, 40_000, 80_000}, 50_000},
		{0, append(slices.Repeat([]sim.Time{16_000}, 15), 64_000), 19_000},
		{0, []sim.Time{80_000}, 40_000},
	} {
		of := func(workers []sim.Time) script {
			p := make(script, 1+len(workers))
			for range rounds {
				p[0] = append(p[0], steps(func(do *programs.Ops) {
					compute(do, c.master)
					for i := range workers {
						do.Send(1+i, 100, 0)
					}
					for i := range workers {
						do.Recv(1+i, 100, 1)
					}
				})...)
				for i, time := range workers {
					p[1+i] = append(p[1+i], steps(func(do *programs.Ops) {
						do.Recv(0, 100, 0)
						compute(do, time)
						do.Send(0, 100, 1)
					})...)
				}
			}
			return p
		}
		even := of(slices.Repeat([]sim.Time{c.even}, len(c.workers)))
		if len(c.workers) == 1 {
			even[0] = append(steps(computing(c.even*rounds)), even[0]...) // as a step of a phase
		}
		want := taken(t, 0, exact(), even, 1, nodes.Options{}).Finish
		if got := taken(t, named(t, "imbalance"), exact(), reactive{of(c.workers)}, 1, nodes.Options{}).Finish; !slices.Equal(got, want) {
			t.Errorf("master %v, workers %v: ranks end at %v, with even workers at %v", c.master, c.workers, got, want)
		}
		if len(c.workers) == 1 {
			continue // the shares of steps, not of phases
		}
		if got := taken(t, named(t, "imbalance"), exact(), of(c.workers), 1, nodes.Options{}).Finish; !slices.Equal(got, want) {
			t.Errorf("steps, master %v, workers %v: ranks end at %v, with even workers at %v", c.master, c.workers, got, want)
		}
	}
}

// Ties delay each rank by less than 1 ns or that, by the seed alone; 0 delays none.
func TestTies(t *testing.T) {
	p := make(script, 50)
	seen := map[string]bool{}
	for seed := range uint64(3) {
		o := taken(t, 0, exact(), Ties(p, seed), 1, nodes.Options{})
		again := taken(t, 0, exact(), Ties(reactive{p}, seed), 1, nodes.Options{})
		if fmt.Sprint(o.Finish) != fmt.Sprint(again.Finish) || o.Makespan() > sim.Nanosecond || (seed > 0) != (o.Makespan() > 0) {
			t.Errorf("seed %d: ranks end at %v and %v", seed, o.Finish, again.Finish)
		}
		seen[fmt.Sprint(o.Finish)] = true
	}
	if len(seen) != 3 {
		t.Errorf("3 seeds give %d orders", len(seen))
	}
}
