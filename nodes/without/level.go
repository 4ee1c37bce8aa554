package without

import (
	"slices"
	"sync"

	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
)

// level is a Reactive program whose ranks all compute the mean of each phase. A run without
// communication finds how long they compute.
type level struct {
	programs.Program
	on    *machines.Machine
	once  sync.Once
	paces []pace // by rank, by phase
}

// Threads implements programs.Threaded.
func (l *level) Threads() int { return programs.Threads(l.Program) }

// Begin implements programs.Reactive.
func (l *level) Begin() programs.Program {
	l.once.Do(l.look)
	run := leveller{phases: l.phases(), in: make([]int, l.Ranks()), paces: slices.Clone(l.paces)}
	return programs.Edited(programs.InRun(l.Program), false, run.edit)
}

func (l *level) phases() int { return max(1, len(l.Phases())) }

// look sums up what the ranks compute in each phase. If the program does not end without
// communication, it does not end with it either, and its computation stays as it is.
func (l *level) look() {
	threads, phases := programs.Threads(l.Program), l.phases()
	found := leveller{phases: phases, in: make([]int, l.Ranks()), paces: make([]pace, l.Ranks()*phases)}
	bare := &machines.Machine{Name: l.on.Name, Cores: threads, Processes: threads, Kernels: l.on.Kernels, Offloaded: true}
	_, err := nodes.Run(bare, programs.Edited(l.Program, false, found.count), threads, nodes.Options{})
	for phase := range phases {
		var all amount
		for rank := range l.Ranks() {
			all.add(found.paces[rank*phases+phase].own)
		}
		for rank := range l.Ranks() {
			p := &found.paces[rank*phases+phase]
			if p.share = p.own; err == nil {
				p.share = all.share(rank, l.Ranks())
			}
		}
	}
	l.paces = found.paces
}

// leveller follows the phases of the ranks of a run.
type leveller struct {
	phases int
	in     []int  // phase of each rank
	paces  []pace // by rank, by phase
}

// pace returns the pace of a rank in its phase.
func (l *leveller) pace(rank int) *pace { return &l.paces[rank*l.phases+l.in[rank]] }

// count adds up what a rank computes.
func (l *leveller) count(rank, _ int, ops []programs.Op, more bool) ([]programs.Op, bool) {
	in := inSchedules()
	for i := range ops {
		switch op := &ops[i]; {
		case in(op):
		case op.Kind == programs.OpPhase:
			l.in[rank] = int(op.Phase)
		case op.Kind == programs.OpCompute:
			p := l.pace(rank)
			p.own = later(p.own, op.Amount)
		}
	}
	return ops, more
}

// edit stretches the computation of a rank. One without any in a phase computes where the phase
// begins, or at its end if the phase does not begin.
func (l *leveller) edit(rank, step int, ops []programs.Op, more bool) ([]programs.Op, bool) {
	var edited []programs.Op
	if step == 0 {
		edited = l.catchUp(rank, edited)
	}
	in := inSchedules()
	for i := range ops {
		op := ops[i]
		if !in(&op) {
			l.pace(rank).scale(&op)
		}
		if !idles(op) {
			edited = append(edited, op)
		}
		if op.Kind == programs.OpPhase {
			l.in[rank] = int(op.Phase)
			edited = l.catchUp(rank, edited)
		}
	}
	if more {
		return edited, true
	}
	for phase := range l.phases {
		l.in[rank] = phase
		if p := l.pace(rank); p.made < p.share {
			edited = append(append(edited, programs.Op{Kind: programs.OpPhase, Phase: uint8(phase)}), computes(p.share-p.made)...)
			p.made = p.share
		}
	}
	return edited, false
}

// catchUp appends the share of a rank that computes nothing in its phase.
func (l *leveller) catchUp(rank int, ops []programs.Op) []programs.Op {
	p := l.pace(rank)
	if p.own > 0 || p.made > 0 {
		return ops
	}
	p.made = p.share
	return append(ops, computes(p.share)...)
}
