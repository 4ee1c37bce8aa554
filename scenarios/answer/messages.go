package answer

import (
	"overlapsim/nodes/programs"
	"overlapsim/sim"
)

// messages summarises a program's messages and computations, from the first operations of
// some ranks.
type messages struct {
	twoSided bool
	largest  int64    // two-sided message; 0: there is none
	piece    sim.Time // mean of a computation; 0: there is none
}

// The number of ranks of a program that are looked at, and the number of operations of each.
const sampledRanks, sampledOps = 16, 10_000

// sample summarises the messages of a program of at most some bytes (0: of all sizes).
func sample(p programs.Program, most int64) (m messages) {
	var computed sim.Time
	var pieces sim.Time
	var do programs.Ops
	n := min(sampledRanks, p.Ranks())
	for i := range n {
		rank := i * p.Ranks() / n
		for step, ops := 0, 0; ops < sampledOps; step++ {
			do.Reset()
			if !p.Step(rank, step, &do) {
				break
			}
			ops += len(do.List()) + 1
			for _, op := range do.List() {
				switch op.Kind {
				case programs.OpSend:
					if m.twoSided = true; most == 0 || op.Amount <= most {
						m.largest = max(m.largest, op.Amount)
					}
				case programs.OpCompute:
					computed, pieces = computed+sim.Time(op.Amount), pieces+1
				}
			}
		}
	}
	if pieces > 0 {
		m.piece = computed / pieces
	}
	return m
}
