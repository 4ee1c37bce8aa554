package without

import (
	"slices"
	"sync"

	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
)

// level is a Reactive program whose ranks all compute the mean of each step. A run without
// communication finds how long they compute.
type level struct {
	programs.Program
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
		l.own = make([][]int64, len(l.own))
		return
	}
	for phase := range phases {
		l.match(phase)
	}
}

// waits stands for waits between computations, which operations of some kinds are.
const waits = -1

var waiting = []programs.OpKind{programs.OpWait, programs.OpWaitAny, programs.OpBarrier, programs.OpMeet, programs.OpAwait}

// divisions tell where a step of a rank begins, in the order in which they are tried: with each computation, with the first one after a
// wait, with each one that is not short, or only where the phase begins.
var divisions = []func(t, mean int64, waited bool) bool{
	func(int64, int64, bool) bool { return true },
	func(_, _ int64, waited bool) bool { return waited },
	func(t, mean int64, _ bool) bool { return t >= mean/10 },
	func(int64, int64, bool) bool { return false },
}

// divided returns what a rank computes in each step, in a phase of these computations and waits.
func divided(own []int64, begins func(t, mean int64, waited bool) bool) []int64 {
	steps, begun := []int64{0}, 0
	all, n, waited := int64(0), int64(0), true
	for _, t := range own {
		if t != waits {
			all, n = later(all, t), n+1
		}
	}
	for _, t := range own {
		if t == waits {
			waited = true
			continue
		}
		if begins(t, all/n, waited) {
			begun++
		}
		if begun > len(steps) {
			steps = append(steps, 0)
		}
		last := &steps[len(steps)-1]
		*last, waited = later(*last, t), false
	}
	return steps
}

// match divides what the ranks compute in a phase into steps, of which all ranks have the same number.
func (l *level) match(phase int) {
	for i, begins := range divisions {
		steps, alike := make([][]int64, l.Ranks()), true
		for rank := range steps {
			steps[rank] = divided(l.own[rank*l.phases()+phase], begins)
			alike = alike && len(steps[rank]) == len(steps[0])
		}
		if !alike {
			continue
		}
		l.whole = l.whole || i == len(divisions)-1
		l.sums[phase] = make([]sum, len(steps[0]))
		for rank, own := range steps {
			l.own[rank*l.phases()+phase] = own
			for step, t := range own {
				l.sums[phase][step].add(t)
			}
		}
		return
	}
}

// share is what a rank computes in a step of a phase if all compute the same.
func (l *level) share(rank, phase, step int) int64 {
	return l.sums[phase][step].all.share(rank, l.Ranks())
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

// count lists what a rank computes.
func (l *leveller) count(rank, _ int, ops []programs.Op, more bool) ([]programs.Op, bool) {
	in := inSchedules()
	for i := range ops {
		own := &l.own[rank*l.phases()+l.in[rank]]
		switch op := &ops[i]; {
		case in(op):
		case op.Kind == programs.OpPhase:
			l.in[rank] = int(op.Phase)
		case ofProgram(op):
			*own = append(*own, op.Amount)
		case slices.Contains(waiting, op.Kind) && len(*own) > 0 && (*own)[len(*own)-1] != waits:
			*own = append(*own, waits)
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
	if len(own) == 0 {
		return amount
	}
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
