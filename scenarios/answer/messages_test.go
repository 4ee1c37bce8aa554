package answer

import (
	"testing"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
)

// steps is a program in which every rank does the same.
type steps []func(*programs.Ops)

func (p steps) Ranks() int       { return 40 }
func (p steps) Phases() []string { return nil }

func (p steps) Step(_, step int, do *programs.Ops) bool {
	if step < len(p) {
		p[step](do)
	}
	return step < len(p)
}

// A sample knows the largest two-sided message and the mean computation.
func TestSample(t *testing.T) {
	task := func(ps int64) func(*programs.Ops) {
		return func(do *programs.Ops) { do.Compute(machines.Task{Time: 1}, int(ps)) }
	}
	send := func(bytes int64) func(*programs.Ops) {
		return func(do *programs.Ops) { do.Isend(1, bytes, 0, 0) }
	}
	put := func(do *programs.Ops) { do.Put(1, 1000, 0) }
	for _, c := range []struct {
		program steps
		want    messages
	}{
		{steps{task(30), send(100), task(10), send(50), put}, messages{true, 100, 20}},
		{steps{put}, messages{}},
		{steps{}, messages{}},
	} {
		if got := sample(c.program, 0); got != c.want {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
}

// Programs with as many messages come first. After them come those with fewer if messages
// cost most, else those with more.
func TestPreference(t *testing.T) {
	for _, c := range []struct {
		ledger             results.Ledger
		fewer, equal, more int
	}{
		{results.Ledger{results.Overhead: 5, results.Latency: 5, results.Transfer: 9}, 1, 0, 2},
		{results.Ledger{results.Overhead: 5, results.Progress: 5, results.Transfer: 9}, 2, 0, 1},
	} {
		s := &subject{wall: c.ledger.Sum().Seconds()}
		s.ledger.Add(&c.ledger)
		if got := [3]int{s.preference(-1), s.preference(0), s.preference(1)}; got != [3]int{c.fewer, c.equal, c.more} {
			t.Errorf("%v: %v", c.ledger, got)
		}
	}
}
