package without

import (
	"slices"
	"sync"

	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
)

// level is a Reactive program whose ranks share the computation of each step. A run without
// communication finds how long they compute.
type level struct {
	programs.Program
	crew
	on    *machines.Machine
	once  sync.Once
	own   [][]int64 // by rank, by phase: what it computes in each step
	sums  [][]sum   // by phase: what all ranks compute in each step
	whole bool      // the ranks' steps of some phase do not match, so that it is one step
}

// Threads implements programs.Threaded.
func (l *level) Threads() int { return programs.Threads(l.Program) }

// Begin implements programs.Reactive.
func (l *level) Begin() programs.Program {
	l.once.Do(l.look)
	run := leveller{level: l, in: make([]int, l.Ranks()), courses: make([]course, len(l.own))}
	return programs.Edited(programs.InRun(l.Program), false, run.edit)
}

func (l *level) phases() int { return max(1, len(l.Phases())) }

// look finds the steps of each phase. If the program does not end without communication, it does not end with it either, and
// its computation stays as it is.
func (l *level) look() {
	threads, phases := programs.Threads(l.Program), l.phases()
	l.own, l.sums = make([][]int64, l.Ranks()*phases), make([][]sum, phases)
	found := leveller{level: l, in: make([]int, l.Ranks())}
	bare := &machines.Machine{Name: l.on.Name, Cores: threads, Processes: threads, Kernels: l.on.Kernels, Offloaded: true}
	if _, err := nodes.Run(bare, programs.Edited(l.Program, false, found.count), threads, nodes.Options{}); err != nil {
		l.crew = crew{}
		return
	}
	all := make([]int64, l.Ranks())
	for i, own := range l.own {
		for _, t := range own {
			all[i/phases] = later(all[i/phases], max(0, t))
		}
	}
	l.crew = crewOf(l.Program, all)
	for phase := range phases {
		l.match(phase)
	}
}

// What a rank does between two computations, by the most that it does: it begins to communicate, it waits, or it meets all others.
const (
	posts = -1 - iota
	waits
	meets
)

var waiting = []programs.OpKind{programs.OpWait, programs.OpWaitAny, programs.OpMeet, programs.OpAwait}

// between is what an operation does between computations; 0: nothing.
func between(kind programs.OpKind) int64 {
	switch {
	case kind == programs.OpPhase || kind == programs.OpPattern || kind == programs.OpTest:
		return 0
	case kind == programs.OpBarrier:
		return meets
	case slices.Contains(waiting, kind):
		return waits
	}
	return posts
}

// division tells of a computation whether a step of its rank begins with it, after what the rank did before it.
type division struct {
	begins func(t, mean, after int64) bool
	bounds bool // steps of a finer division lie within its steps
}

// divisions are tried in their order: a step begins with each computation, with the first one after a wait, with each one that is not short,
// with the first one after a barrier, or only where the phase begins.
var divisions = []division{
	{func(_, _, _ int64) bool { return true }, false},
	{func(_, _, after int64) bool { return after <= waits }, true},
	{func(t, mean, _ int64) bool { return t >= mean/10 }, false},
	{func(_, _, after int64) bool { return after == meets }, true},
	{func(_, _, _ int64) bool { return false }, true},
}

// onlyBarriers is the first division that finds one step where ranks have no steps in common.
const onlyBarriers = 3

// step is what a rank computes in a step, and how many steps of a finer division begin in it.
type step struct {
	computes int64
	finer    int
}

// divided returns the steps of a rank in a phase of these computations and what is between them.
func divided(own []int64, by, finer *division) []step {
	steps, begun := []step{{}}, 0
	all, n, after := int64(0), int64(0), int64(meets)
	for _, t := range own {
		if t >= 0 {
			all, n = later(all, t), n+1
		}
	}
	for _, t := range own {
		if t < 0 {
			after = t
			continue
		}
		if by.begins(t, all/n, after) {
			begun++
		}
		if begun > len(steps) {
			steps = append(steps, step{})
		}
		last := &steps[len(steps)-1]
		if last.computes = later(last.computes, t); finer.begins(t, all/n, after) {
			last.finer++
		}
		after = 0
	}
	return steps
}

// divided returns the steps of each rank in a phase.
func (l *level) divided(phase int, by, finer *division) [][]step {
	steps := make([][]step, l.Ranks())
	for rank := range steps {
		if l.shares(rank) {
			steps[rank] = divided(l.own[rank*l.phases()+phase], by, finer)
		}
	}
	return steps
}

// crosses tells whether ranks have the same number of steps by a division, but not the same numbers of those of a finer one within them.
func (l *level) crosses(phase int, by, finer *division) bool {
	var first []step
	differ := false
	for rank, steps := range l.divided(phase, by, finer) {
		switch {
		case !l.shares(rank):
			continue
		case first == nil:
			first = steps
		case len(steps) != len(first):
			return false
		}
		differ = differ || !slices.EqualFunc(steps, first, func(x, y step) bool { return x.finer == y.finer })
	}
	return differ
}

// match divides what the ranks compute in a phase into steps, of which all ranks have the same number, in all and between the waits and the
// barriers that they have in common.
func (l *level) match(phase int) {
	for i := range divisions {
		by, crossed := &divisions[i], false
		for j := i + 1; j < len(divisions) && !crossed; j++ {
			crossed = divisions[j].bounds && l.crosses(phase, &divisions[j], by)
		}
		if crossed {
			continue
		}
		for rank, steps := range l.divided(phase, by, by) {
			own := make([]int64, len(steps))
			for i, s := range steps {
				own[i] = s.computes
				if i == len(l.sums[phase]) {
					l.sums[phase] = append(l.sums[phase], sum{})
				}
				l.sums[phase][i].add(s.computes)
			}
			l.own[rank*l.phases()+phase] = own
		}
		l.whole = l.whole || i >= onlyBarriers && len(l.sums[phase]) == 1
		return
	}
}

// share is what a rank computes in a step of a phase if all compute the same.
func (l *level) share(rank, phase, step int) int64 {
	return l.crew.share(&l.sums[phase][step].all, rank)
}

// leveller follows the phases and the steps of the ranks of a run.
type leveller struct {
	*level
	in      []int    // phase of each rank
	courses []course // by rank, by phase
}

// course is how far a rank is in a phase: in which step, and what it has computed of it before and after it is stretched.
type course struct {
	step       int
	done, made int64
}

// ofProgram tells whether an operation is computation of the program, not of the library.
func ofProgram(op *programs.Op) bool { return op.Kind == programs.OpCompute && !op.ByLibrary() }

// count lists what a rank computes, and what is between that. Computations with nothing between them are one.
func (l *leveller) count(rank, _ int, ops []programs.Op, more bool) ([]programs.Op, bool) {
	in, phases := inSchedules(), l.own[rank*l.phases():][:l.phases()]
	for i := range ops {
		op := &ops[i]
		if in(op) {
			continue
		}
		if op.Kind == programs.OpPhase {
			l.in[rank] = int(op.Phase)
		}
		if ofProgram(op) {
			if own := &phases[l.in[rank]]; len(*own) > 0 && (*own)[len(*own)-1] >= 0 {
				last := &(*own)[len(*own)-1]
				*last = later(*last, op.Amount)
			} else {
				*own = append(*own, op.Amount)
			}
			continue
		}
		for phase := range phases {
			own := &phases[phase]
			if did := between(op.Kind); did == 0 || len(*own) == 0 {
				continue
			} else if last := &(*own)[len(*own)-1]; *last >= 0 {
				*own = append(*own, did)
			} else {
				*last = min(*last, did)
			}
		}
	}
	return ops, more
}

// edit stretches the computation of a rank. One without any in a phase computes where the phase
// begins, or at its end if the phase does not begin.
func (l *leveller) edit(rank, step int, ops []programs.Op, more bool) ([]programs.Op, bool) {
	if !l.shares(rank) {
		return ops, more
	}
	var edited []programs.Op
	if step == 0 {
		edited = l.catchUp(rank, edited)
	}
	in := inSchedules()
	for i := range ops {
		op := ops[i]
		if !in(&op) && ofProgram(&op) {
			op.Amount = l.stretch(rank, op.Amount)
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
	for phase := range l.phases() {
		l.in[rank] = phase
		if left := l.left(rank); left > 0 {
			edited = append(append(edited, programs.Op{Kind: programs.OpPhase, Phase: uint8(phase)}), computes(left)...)
		}
	}
	return edited, false
}

// stretch is how long a computation is if each step takes its share. It may be of two steps if the run does things in another order
// than the run without communication.
func (l *leveller) stretch(rank int, amount int64) (stretched int64) {
	phase := l.in[rank]
	c, own := &l.courses[rank*l.phases()+phase], l.own[rank*l.phases()+phase]
	for {
		last := c.step == len(own)-1
		part := amount
		if !last {
			part = min(amount, own[c.step]-c.done)
		}
		c.done, amount = later(c.done, part), amount-part
		made := scaled(c.done, own[c.step], l.share(rank, phase, c.step))
		stretched, c.made = later(stretched, made-c.made), made
		if !last && c.done == own[c.step] {
			*c = course{step: c.step + 1}
		}
		if amount == 0 {
			return stretched
		}
	}
}

// left is what a rank has still to compute in its phase.
func (l *leveller) left(rank int) (left int64) {
	phase := l.in[rank]
	c := &l.courses[rank*l.phases()+phase]
	for step := c.step; step < len(l.own[rank*l.phases()+phase]); step++ {
		left = later(left, l.share(rank, phase, step))
	}
	return left - c.made
}

// catchUp appends the share of a rank that computes nothing in its phase.
func (l *leveller) catchUp(rank int, ops []programs.Op) []programs.Op {
	at := rank*l.phases() + l.in[rank]
	c := &l.courses[at]
	if len(l.own[at]) != 1 || l.own[at][0] > 0 || c.made > 0 {
		return ops
	}
	c.made = l.left(rank)
	return append(ops, computes(c.made)...)
}
