package nodes

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"overlapsim/sim"

	"pgregory.net/rapid"
)

// finer multiplies all times of an instance, so that one ps more of a parameter
// changes the order of nothing that does not happen at the same instant.
func (in *instance) finer(by sim.Time) {
	for _, p := range in.machine.parameters() {
		for _, t := range p.times {
			*t *= by
		}
		for _, f := range p.floats {
			*f *= float64(by)
		}
	}
	for _, ops := range in.script.ops {
		for i := range ops {
			if ops[i].Kind == OpCompute {
				ops[i].Amount *= int64(by)
			}
		}
	}
}

// shifted runs with all numbers of a parameter so much larger, and also returns in
// which order the servers of the run served.
func (in *instance) shifted(i int, by sim.Time) (sim.Time, []served) {
	m := in.machine.clone()
	p := m.parameters()[i]
	for _, t := range p.times {
		*t += by
	}
	for _, f := range p.floats {
		*f += float64(by)
	}
	result, order, err := in.orderly(m)
	if err != nil { // another order, in which somebody waits for ever
		return 0, nil
	}
	return result.Makespan(), order
}

// served is a part that a server did.
type served struct {
	resource Resource
	index    int32
	part     Part
	amount   int64
	message  int32
}

// orderly runs on a machine, and also returns what each server did, one after the
// other.
func (in *instance) orderly(m *Machine) (*Result, []served, error) {
	var c *cluster
	result, err := run(m, in.script, in.perNode, Options{Critical: true}, func(begun *cluster) { c = begun })
	if err != nil {
		return nil, nil, err
	}
	var order []served
	for _, m := range c.causes.moments[1:] {
		if m.part != PartTie {
			order = append(order, served{m.resource, m.index, m.part, m.amount, m.message})
		}
	}
	slices.SortStableFunc(order, func(a, b served) int {
		return cmp.Or(cmp.Compare(a.resource, b.resource), cmp.Compare(a.index, b.index))
	})
	return result, order, nil
}

// checkPath checks that a path leads from 0 to the makespan without gap.
func checkPath(t *rapid.T, path []Piece, makespan sim.Time) (ties int) {
	var at sim.Time
	for _, p := range path {
		if p.Start != at || p.End < p.Start {
			t.Fatalf("a piece begins at %v, the one before it ended at %v", p.Start, at)
		}
		at = p.End
		if p.Part == PartTie {
			ties++
		}
	}
	if at != makespan {
		t.Fatalf("the path ends at %v, the run at %v", at, makespan)
	}
	return ties
}

// gradientTally counts comparisons with finite differences.
type gradientTally struct{ runs, exact, oneSided, reordered int }

// differences compares the slopes of a run with finite differences: on a path
// without ties they are the same on both sides; a path with ties has a slope
// between them, as the makespan is convex as long as all servers keep their order.
func (in *instance) differences(t *rapid.T, sum *gradientTally) {
	result, order, err := in.orderly(in.machine)
	if err != nil {
		return // a deadlock
	}
	makespan := result.Makespan()
	ties := checkPath(t, result.Critical, makespan)
	sum.runs++
	slopes := map[string]Slope{}
	for _, s := range in.machine.Gradient(result.Critical) {
		slopes[s.Parameter] = s
	}
	for i, p := range in.machine.parameters()[:paramKernels] {
		if len(p.times)+len(p.floats) == 0 {
			continue
		}
		up, orderUp := in.shifted(i, 1)
		d := slopes[p.name].Derivative
		left, right := d, float64(up-makespan)
		if p.least() > 0 {
			down, orderDown := in.shifted(i, -1)
			left = float64(makespan - down)
			if !slices.Equal(orderDown, order) {
				orderUp = nil
			}
		}
		switch {
		case right == d && left == d:
			sum.exact++
		case !slices.Equal(orderUp, order):
			sum.reordered++
		case ties == 0 || d < left || d > right:
			t.Fatalf("%v%s: slope %v, finite differences %v and %v, %d ties", in, p.name, d, left, right, ties)
		default:
			sum.oneSided++
		}
	}
}

// least is the smallest number of a parameter.
func (p *parameter) least() float64 {
	least := math.Inf(1)
	for _, t := range p.times {
		least = min(least, float64(*t))
	}
	for _, f := range p.floats {
		least = min(least, *f)
	}
	return least
}

// TestPrune forgets moments after every event.
func TestPrune(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(t, false)
		whole, err := Run(in.machine, in.script, in.perNode, Options{Critical: true})
		if err != nil {
			return
		}
		pruned, err := run(in.machine, in.script, in.perNode, Options{Critical: true}, func(c *cluster) {
			c.causes.least, c.causes.most = 1, 1
		})
		if err != nil || !slices.Equal(whole.Critical, pruned.Critical) {
			t.Fatalf("%v\npath: %v\npruned after every event: %v, %v", in, whole.Critical, pruned.Critical, err)
		}
	})
}

func TestGradientRDMA(t *testing.T) {
	var sum gradientTally
	for range 3 {
		rapid.Check(t, func(t *rapid.T) {
			in := drawInstance(t, false)
			in.finer(100_000)
			in.differences(t, &sum)
		})
	}
	t.Logf("%+v", sum)
	if all := sum.exact + sum.oneSided + sum.reordered; sum.reordered*50 > all || sum.exact*10 < all*9 {
		t.Errorf("too few of them are exact: %+v", sum)
	}
}
