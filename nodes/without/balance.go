package without

import (
	"math/bits"
	"slices"
	"sync"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
)

// amount is a sum of computation in ps. It has 128 bits, because a Time does not hold sums over ranks.
type amount struct{ high, low uint64 }

func (a *amount) add(ps int64) {
	low, carry := bits.Add64(a.low, uint64(ps), 0)
	a.high, a.low = a.high+carry, low
}

// share returns the part of a sum that a rank computes if all compute the same. The first ranks
// compute 1 ps more, so that the sum stays the same.
func (a *amount) share(rank, ranks int) int64 {
	each, rest := bits.Div64(a.high, a.low, uint64(ranks))
	if uint64(rank) < rest {
		each++
	}
	return int64(each)
}

// scaled returns as much of a share as a part is of the own computation.
func scaled(part, own, share int64) int64 {
	high, low := bits.Mul64(uint64(part), uint64(share))
	if part >= own {
		return share
	}
	q, _ := bits.Div64(high, low, uint64(own))
	return int64(q)
}

// crew are the ranks of a program that share its computation. The zero value is a crew of none.
type crew struct {
	place []int // of each rank among them; -1: it keeps what it computes
	size  int
}

// atLeast is the part of the mean rank's computation from which a rank shares it, as an inverse.
const atLeast = 100

// crewOf returns the crew of a program's ranks that compute so long in the whole program. Ranks that compute nearly nothing, such as a
// master, keep that, if they are fewer than the others: where few ranks do all the work it is the others that lack some. Threads that
// only communicate keep that in any case.
func crewOf(p programs.Program, all []int64) crew {
	var sum amount
	compute := 0
	for rank, t := range all {
		if !programs.Helps(p, rank) {
			sum.add(t)
			compute++
		}
	}
	c := crew{place: make([]int, len(all))}
	among := func(least int64) {
		c.size = 0
		for rank, t := range all {
			if c.place[rank] = -1; t > least && !programs.Helps(p, rank) {
				c.place[rank] = c.size
				c.size++
			}
		}
	}
	if among(sum.share(0, compute) / atLeast); 2*c.size <= compute {
		among(-1)
	}
	return c
}

// shares tells whether a rank is one of them.
func (c *crew) shares(rank int) bool { return c.size > 0 && c.place[rank] >= 0 }

// share is the share of a rank of what they compute.
func (c *crew) share(sum *amount, rank int) int64 { return sum.share(c.place[rank], c.size) }

// balanced returns a program whose ranks share the computation of each step.
func balanced(p programs.Program, on *machines.Machine) programs.Program {
	if _, ok := p.(programs.Reactive); ok {
		return &level{Program: p, on: on}
	}
	if alike(p) {
		return p
	}
	return programs.Edited(p, false, newBalance(p).edit)
}

// alike tells whether all ranks of a program do the same.
func alike(p programs.Program) bool {
	grid := programs.Symmetry(p)
	return grid != nil && grid.Places() == p.Ranks()
}

// Steps is how the ranks of a program compute in its steps.
type Steps struct {
	Longer float64 // the ranks that compute longest in each step, together: how much longer than the mean ranks, as a part of these
	Whole  bool    // steps of ranks do not match in some phase, so that it is one step
}

// StepsOf returns the steps of a program that runs on a machine.
func StepsOf(p programs.Program, on *machines.Machine) (steps Steps) {
	var longest, mean float64
	add := func(s *sum, c *crew) {
		longest, mean = longest+float64(s.most), mean+float64(s.all.share(0, c.size))
	}
	if _, ok := p.(programs.Reactive); ok {
		l := &level{Program: p, on: on}
		l.once.Do(l.look)
		for _, phase := range l.sums {
			for i := range phase {
				add(&phase[i], &l.crew)
			}
		}
		steps.Whole = l.whole
	} else if !alike(p) {
		b := newBalance(p)
		for step := 0; ; step++ {
			s := b.sum(step)
			if !s.exists {
				break
			}
			add(&s, &b.crew)
		}
	}
	if mean > 0 {
		steps.Longer = max(0, longest/mean-1)
	}
	return steps
}

// balance knows how long the ranks of a program that share its computation compute in each step.
type balance struct {
	crew
	of   programs.Program
	lock sync.Mutex // ranks on several cores ask at the same time
	sums map[int]sum
}

func newBalance(p programs.Program) *balance {
	b := &balance{of: p, sums: map[int]sum{}}
	var do programs.Ops
	all := make([]int64, p.Ranks())
	for rank := range all {
		for step, more := 0, true; more; step++ {
			do.Reset()
			more = p.Step(rank, step, &do)
			all[rank] = later(all[rank], computation(do.List()))
		}
	}
	b.crew = crewOf(p, all)
	return b
}

// sum is the computation of all ranks in a step, that of the rank that computes longest, and whether any rank has the step.
type sum struct {
	all    amount
	most   int64
	exists bool
}

func (s *sum) add(ps int64) {
	s.all.add(ps)
	s.most = max(s.most, ps)
}

func (b *balance) sum(step int) sum {
	b.lock.Lock()
	defer b.lock.Unlock()
	s, known := b.sums[step]
	if known {
		return s
	}
	var do programs.Ops
	for rank := range b.of.Ranks() {
		do.Reset()
		more := b.of.Step(rank, step, &do)
		if b.shares(rank) {
			s.add(computation(do.List()))
		}
		s.exists = s.exists || more || len(do.List()) > 0
	}
	b.sums[step] = s
	return s
}

// computation returns how long operations compute.
func computation(ops []programs.Op) (sum int64) {
	in := inSchedules()
	for i := range ops {
		if !in(&ops[i]) && ops[i].Kind == programs.OpCompute {
			sum = later(sum, ops[i].Amount)
		}
	}
	return sum
}

// later adds times; a sum that no Time can hold is longer than any run.
func later(a, b int64) int64 { return int64(sim.Later(sim.Time(a), sim.Time(b))) }

// edit gives the computation of a rank the mean length. A rank without any computes before the
// step, also if it has fewer steps than others.
func (b *balance) edit(rank, step int, ops []programs.Op, more bool) ([]programs.Op, bool) {
	if !b.shares(rank) {
		return ops, more
	}
	sum := b.sum(step)
	own, share := computation(ops), b.share(&sum.all, rank)
	if own == 0 {
		return slices.Insert(ops, 0, computes(share)...), sum.exists
	}
	p, in := pace{own: own, share: share}, inSchedules()
	for i := range ops {
		if !in(&ops[i]) {
			p.scale(&ops[i])
		}
	}
	return slices.DeleteFunc(ops, idles), sum.exists
}

// computes is a computation; nothing if it takes no time.
func computes(ps int64) []programs.Op {
	if ps == 0 {
		return nil
	}
	return []programs.Op{{Kind: programs.OpCompute, Amount: ps}}
}

// idles tells whether an operation is a computation of no time.
func idles(op programs.Op) bool { return op.Kind == programs.OpCompute && op.Amount == 0 }

// pace stretches the own computation of a rank to its share.
type pace struct{ own, share, done, made int64 }

// scale stretches an operation if it computes.
func (p *pace) scale(op *programs.Op) {
	if op.Kind != programs.OpCompute {
		return
	}
	p.done += op.Amount
	op.Amount = scaled(p.done, p.own, p.share) - p.made
	p.made += op.Amount
}
