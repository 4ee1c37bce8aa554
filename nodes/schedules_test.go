package nodes

import (
	"testing"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// us is a microsecond, short for tables.
const us = sim.Microsecond

// ringMachine has messages of 10 us, 2 us of overhead for each send, and combines in 3 us.
func ringMachine(by *machines.Progression) *machines.Machine {
	m := &machines.Machine{Name: "ring", Cores: 2, Processes: 1, Network: network.LogGOPS{
		Latency: 10 * us, SendOverhead: network.Cost{{Base: 2 * us}},
	}}
	if by != nil {
		m.Runtime = &machines.Runtime{Progress: *by}
	}
	return m
}

// ring is one rank's part of a ring: rounds in which it sends to the next rank, receives from the one
// before, and combines.
func ring(rank, ranks, rounds int) []programs.Op {
	ops := []programs.Op{{Kind: programs.OpStart, Request: 0}}
	for range rounds {
		ops = append(ops, irecv(int32((rank+ranks-1)%ranks), 1, 1), isend(int32((rank+1)%ranks), 1, 1, 2), wait(1), wait(2), compute(3*us))
	}
	return append(ops, programs.Op{Kind: programs.OpStarted})
}

// A ring in six rounds next to a computation: how long a rank takes, and how much of the ring is left
// in its wait, follows from who begins the rounds. Alone, a round takes o + L and the combination.
func TestRingBesideComputation(t *testing.T) {
	const (
		ranks, rounds = 4, 6
		long          = 200 * us
		o, l, combine = 2 * us, 10 * us, 3 * us
		delay, cost   = 4 * us, 1 * us
	)
	round := sim.Time(o + l + combine)
	for name, c := range map[string]struct {
		by      *machines.Progression
		compute sim.Time
		want    sim.Time
	}{
		"LogGP, alone":     {nil, 0, rounds * round},
		"LogGP":            {nil, long, o + long + combine + (rounds-1)*round},
		"calls":            {&machines.Progression{By: machines.InCalls}, long, o + long + combine + (rounds-1)*round},
		"nic, alone":       {&machines.Progression{By: machines.Offload}, 0, rounds * round},
		"nic":              {&machines.Progression{By: machines.Offload}, long, o + long + combine + (rounds-1)*round},
		"triggered":        {&machines.Progression{By: machines.Triggered}, long, o + long},
		"triggered, alone": {&machines.Progression{By: machines.Triggered}, 0, o + rounds*(l+combine)},
		"thread":           {&machines.Progression{By: machines.Thread, Delay: delay, Cost: cost}, long, o + long},
		"nic-thread":       {&machines.Progression{By: machines.Assisted, Delay: delay, Cost: cost}, long, o + long},
		"nic-thread, alone": {&machines.Progression{By: machines.Assisted, Delay: delay, Cost: cost}, 0,
			o + rounds*(l+delay+cost+combine) + (rounds-1)*o},
		// Each round has two jobs: the arrival, and what begins the next one.
		"thread, alone": {&machines.Progression{By: machines.Thread, Delay: delay, Cost: cost}, 0,
			o + rounds*(l+2*(delay+cost)+combine) + (rounds-1)*o},
		"thread, what is left": {&machines.Progression{By: machines.Thread, Delay: delay, Cost: cost}, 30 * us,
			o + rounds*(l+2*(delay+cost)+combine) + (rounds-1)*o},
		"interrupts": {&machines.Progression{By: machines.Interrupts, Cost: cost}, long,
			o + long + rounds*(2*cost+combine) + (rounds-1)*o},
	} {
		p := &script{1, make([][]programs.Op, ranks), 100}
		for r := range p.ops {
			p.ops[r] = ring(r, ranks, rounds)
			if c.compute > 0 {
				p.ops[r] = append(p.ops[r], compute(c.compute))
			}
			p.ops[r] = append(p.ops[r], wait(0))
		}
		res, err := Run(ringMachine(c.by), p, 1, Options{Critical: true})
		if err != nil || res.Makespan() != c.want {
			t.Errorf("%s: %v, want %v; %v", name, res.Makespan(), c.want, err)
		}
	}
}

// The messages of a later round leave g after each other, with any agent, also where the NIC begins the round.
func TestGapBetweenMessagesOfRounds(t *testing.T) {
	const n, o, g, l = 4, 2 * us, 5 * us, 10 * us
	later := []programs.Op{{Kind: programs.OpStart, Request: 0}, isend(1, 1, 1, 1), wait(1)}
	receives := []programs.Op{irecv(0, 1, 1)}
	for i := int32(2); i < n+2; i++ {
		later = append(later, isend(1, 1, 1, i))
		receives = append(receives, irecv(0, 1, i))
	}
	for i := int32(2); i < n+2; i++ {
		later, receives = append(later, wait(i)), append(receives, wait(i))
	}
	p := &script{1, [][]programs.Op{append(later, programs.Op{Kind: programs.OpStarted}, wait(0)), append(receives, wait(1))}, 100}
	for _, by := range []machines.Agent{machines.InCalls, machines.Thread, machines.Offload, machines.Triggered, machines.Assisted} {
		m := ringMachine(&machines.Progression{By: by})
		m.Network.Gap = g
		res, err := Run(m, p, 1, Options{Critical: true})
		if want := sim.Time((n+1)*g + l); err != nil || res.Makespan() != want {
			t.Errorf("agent %d: %v, want %v; %v", by, res.Makespan(), want, err)
		}
	}
}

// A wait for a schedule goes to what its rounds did.
func TestScheduleLedger(t *testing.T) {
	const ranks, rounds = 4, 3
	p := &script{1, make([][]programs.Op, ranks), 100}
	for r := range p.ops {
		p.ops[r] = append(ring(r, ranks, rounds), wait(0))
	}
	thread := &machines.Progression{By: machines.Thread, Delay: 4 * us, Cost: us}
	res := must.Get(Run(ringMachine(thread), p, 1, Options{}))(t)
	// Overhead: the first post, the arrival (cost) and the begin of a round (combine, o, cost).
	want := results.Ledger{results.Overhead: 2*us + rounds*us + rounds*(3+1)*us + (rounds-1)*2*us, results.Latency: rounds * 10 * us,
		results.Progress: rounds * 2 * 4 * us}
	if got := res.OfRank(0); got != want {
		t.Errorf("ledger %v, want %v", got, want)
	}
}

// What a schedule cannot do is an error, and what never comes is named.
func TestScheduleMistakes(t *testing.T) {
	start, end := programs.Op{Kind: programs.OpStart, Request: 0}, programs.Op{Kind: programs.OpStarted}
	for want, ops := range map[string][]programs.Op{
		"rank 0 starts a schedule that does something else than compute, send, receive and wait": {start, put(1, 1, 1), end},
		"rank 0 starts a schedule with a message that has no request":                            {start, isend(1, 1, 1, -1), end},
		"rank 0 starts a schedule that does not end in the same step":                            {start, isend(1, 1, 1, 1)},
		"rank 0 uses request 0 again before it has waited for it":                                {start, end, start, end},
		"deadlock: rank 0 waits for a message with tag 1 from rank 1, which has ended":           {start, irecv(1, 1, 1), wait(1), end, wait(0)},
	} {
		_, err := Run(ringMachine(nil), &script{1, [][]programs.Op{ops, nil}, 100}, 1, Options{})
		if err == nil || err.Error() != want {
			t.Errorf("%v: %v, want %s", ops, err, want)
		}
	}
}
