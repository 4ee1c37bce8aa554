package without

import (
	"slices"

	"overlapsim/nodes/programs"
	"overlapsim/sim"
)

// inSchedules tells of the operations of a step, in their order, which ones are in schedules: what these combine is
// communication.
func inSchedules() func(op *programs.Op) bool {
	within := false
	return func(op *programs.Op) bool {
		within = op.Kind == programs.OpStart || within && op.Kind != programs.OpStarted
		return within
	}
}

// drops takes operations out of the program: which ones, and whether of schedules or of the rest.
func (r *Run) drops(kind programs.OpKind, ofSchedules bool) {
	r.edits = append(r.edits, func(p programs.Program) programs.Program {
		return programs.Edited(p, true, func(_, _ int, ops []programs.Op, more bool) ([]programs.Op, bool) {
			in := inSchedules()
			return slices.DeleteFunc(ops, func(op programs.Op) bool { return in(&op) == ofSchedules && op.Kind == kind }), more
		})
	})
}

func (r *Run) computation() { r.drops(programs.OpCompute, false) }

// combination takes away what collectives combine that run as schedules: that is a part of them.
func (r *Run) combination() { r.drops(programs.OpCompute, true) }

func (r *Run) synchronisation() { r.drops(programs.OpBarrier, false) }

func (r *Run) imbalance() {
	r.edits = append(r.edits, func(p programs.Program) programs.Program { return balanced(p, r.Machine) })
}

// latest is the largest delay of a rank by Ties.
const latest = int(sim.Nanosecond)

// Ties delays the beginning of each rank by up to 1 ns, at random by the seed, so that what
// happened at the same moment happens in another order. Seed 0 delays no rank.
func Ties(p programs.Program, seed uint64) programs.Program {
	if seed == 0 {
		return p
	}
	return programs.Edited(p, false, func(rank, step int, ops []programs.Op, more bool) ([]programs.Op, bool) {
		if step > 0 {
			return ops, more
		}
		return slices.Insert(ops, 0, computes(int64(sim.NewStream(seed, uint64(rank)).Intn(latest+1)))...), more
	})
}
