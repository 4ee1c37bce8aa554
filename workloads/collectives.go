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
		func() Workload { return &collective{algorithm: collectives.Dissemination, Bytes: 1, Repeat: 1} }})
	Register(Kind{"allreduce-doubling", "all-reduce by recursive doubling: in round k, exchange with rank XOR 2^k",
		func() Workload {
			return &collective{algorithm: collectives.AllreduceDoubling, Bytes: 4096, Repeat: 1, powerOfTwo: true}
		}})
	Register(Kind{"alltoall-linear", "all-to-all: every rank sends to every other one, starting with the next",
		func() Workload { return &collective{algorithm: collectives.AlltoallLinear, Bytes: 65536, Repeat: 1} }})
	Register(Kind{"token-ring", "a token goes round through all ranks",
		func() Workload { return &collective{algorithm: tokenRing, Bytes: 8, Repeat: 1} }})
}

type collective struct {
	Bytes      int64 `key:"bytes" unit:"bytes" doc:"size of a message"`
	Repeat     int64 `key:"repeat" unit:"times" doc:"how many times, one after the other"`
	algorithm  collectives.Algorithm
	powerOfTwo bool
}

// collectiveProgram does one round of an algorithm in each step.
type collectiveProgram struct {
	ranks, repeat int
	bytes         int64
	algorithm     collectives.Algorithm
}

func (w *collective) Program(_ *machines.Machine, ranks int) (programs.Program, error) {
	var errs []error
	if w.Bytes < 1 {
		errs = append(errs, &KeyError{"bytes", "must be at least 1"})
	}
	if w.powerOfTwo && bits.OnesCount(uint(ranks)) != 1 {
		errs = append(errs, &KeyError{"name", "recursive doubling needs a power of two of ranks"})
	}
	return &collectiveProgram{ranks, int(w.Repeat), w.Bytes, w.algorithm}, errors.Join(errs...)
}

func (w *collective) Metrics(*machines.Machine, *results.Result) (m Metrics) { return m }

func (p *collectiveProgram) Ranks() int       { return p.ranks }
func (p *collectiveProgram) Phases() []string { return []string{"communication"} }

// Step is one round of a repetition.
func (p *collectiveProgram) Step(me, step int, do *programs.Ops) bool {
	rounds := p.algorithm.Rounds(p.ranks)
	if step >= rounds*p.repeat {
		return false
	}
	g := collectives.Group{Ranks: p.ranks, Me: me, Bytes: p.bytes, Tag: step / rounds * p.algorithm.Tags(p.ranks)}
	p.algorithm.Round(g, step%rounds, do)
	return true
}

// tokenRing passes a message from rank to rank until it is back at rank 0.
var tokenRing = collectives.Algorithm{
	Rounds: func(ranks int) int { return min(1, ranks-1) },
	Round: func(g collectives.Group, _ int, do collectives.Caller) {
		if g.Me > 0 {
			do.Recv(g.Me-1, g.Bytes, g.Tag)
		}
		do.Send((g.Me+1)%g.Ranks, g.Bytes, g.Tag)
		if g.Me == 0 {
			do.Recv(g.Ranks-1, g.Bytes, g.Tag)
		}
	},
}
