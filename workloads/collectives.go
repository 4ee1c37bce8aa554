package workloads

import (
	"errors"
	"math/bits"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/workloads/collectives"
)

// Schedules that consist of messages only: collectives by named algorithms.
func init() {
	Register(Kind{"dissemination", "dissemination barrier: in round k, a message to the rank 2^k ahead",
		func() Workload { return &collective{algorithm: collectives.BarrierDissemination, Bytes: 1, Repeat: 1} }})
	Register(Kind{"allreduce-doubling", "all-reduce by recursive doubling: in round k, exchange with rank XOR 2^k",
		func() Workload {
			return &collective{algorithm: collectives.AllreduceDoubling, Bytes: 4096, Repeat: 1, powerOfTwo: true}
		}})
	Register(Kind{"alltoall-linear", "all-to-all: every rank sends to every other one, starting with the next",
		func() Workload {
			return &collective{algorithm: collectives.AlltoallLinear, Bytes: 65536, Repeat: 1, perPair: true}
		}})
	Register(Kind{"token-ring", "a token goes round through all ranks",
		func() Workload { return &collective{algorithm: tokenRing, Bytes: 8, Repeat: 1} }})
}

type collective struct {
	Bytes      int64 `key:"bytes" unit:"bytes" doc:"size of a message"`
	Repeat     int64 `key:"repeat" unit:"times" doc:"how many times, one after the other"`
	algorithm  *collectives.Algorithm
	powerOfTwo bool
	perPair    bool // a message is what goes from a rank to another
}

// collectiveProgram does one round of an algorithm in each step.
type collectiveProgram struct {
	group     collectives.Group
	repeat    int
	algorithm *collectives.Algorithm
	phase     string
}

func (w *collective) Program(_ *machines.Machine, ranks int) (programs.Program, error) {
	var errs []error
	if w.Bytes < 1 {
		errs = append(errs, &KeyError{"bytes", "must be at least 1"})
	}
	if w.powerOfTwo && bits.OnesCount(uint(ranks)) != 1 {
		errs = append(errs, &KeyError{"name", "recursive doubling needs a power of two of ranks"})
	}
	g := collectives.Group{Ranks: ranks, Bytes: w.Bytes}
	if w.perPair {
		g.Bytes = product(w.Bytes, int64(ranks))
	}
	return &collectiveProgram{g, int(w.Repeat), w.algorithm, "communication"}, errors.Join(errs...)
}

func (w *collective) Metrics(*machines.Machine, *results.Result) (m Metrics) { return m }

func (p *collectiveProgram) Ranks() int       { return p.group.Ranks }
func (p *collectiveProgram) Phases() []string { return []string{p.phase} }

// Symmetry implements programs.Symmetric.
func (p *collectiveProgram) Symmetry() programs.Grid { return p.algorithm.Grid(&p.group) }

// Step is one round of a repetition.
func (p *collectiveProgram) Step(me, step int, do *programs.Ops) bool {
	g := p.group.Lend()
	defer g.GiveBack()
	g.Me = me
	rounds := p.algorithm.Rounds(g)
	if step >= rounds*p.repeat {
		return false
	}
	g.Tag = step / rounds
	p.algorithm.Do(g, step%rounds, do)
	return true
}

// tokenRing passes a message from rank to rank until it is back at rank 0.
var tokenRing = &collectives.Algorithm{Name: "token-ring", Schedule: collectives.Schedule{
	Rounds: func(g *collectives.Group) int { return 2 * min(1, g.Ranks-1) },
	Round: func(g *collectives.Group, round int, r *collectives.Round) {
		if (g.Me == 0) == (round == 1) {
			r.Expect((g.Me+g.Ranks-1)%g.Ranks, g.Bytes)
		} else {
			r.Notify((g.Me+1)%g.Ranks, g.Bytes)
		}
	},
}}
