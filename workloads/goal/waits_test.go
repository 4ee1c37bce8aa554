package goal

import (
	"math/rand/v2"
	"testing"

	"overlapsim/sim"
	"overlapsim/sim/must"
)

// An operation is ready when as many dependencies have ended as it has, also if it has more than
// fit into a byte.
func TestWaits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		w, open := waits{few: make([]uint8, 4)}, make([]int, 4)
		for op := range open {
			open[op] = r.IntN(4 * mostFew)
			for range open[op] {
				w.add(uint32(op))
			}
		}
		for {
			op := r.IntN(len(open))
			if w.open(uint32(op)) != (open[op] > 0) {
				t.Fatalf("operation %d is open: %v, with %d dependencies", op, w.open(uint32(op)), open[op])
			}
			if open[op] == 0 {
				break
			}
			open[op]--
			if w.end(uint32(op)) != (open[op] == 0) {
				t.Fatalf("operation %d is not ready when %d dependencies are open", op, open[op])
			}
		}
	}
}

// A calc that requires a thousand others begins when the last of them ends.
func TestManyRequirements(t *testing.T) {
	a := NewAssembler(1)
	for range 1000 {
		a.Calc(7)
	}
	last := a.Calc(5)
	for op := range last {
		a.Require(last, op)
	}
	a.EndRank()
	s := must.Get(a.Schedule())(t)
	r, err := Run(s, Params{})
	if want := 7005 * sim.Nanosecond; err != nil || r.Finish[0] != want {
		t.Errorf("it ends at %v, want %v; %v", r.Finish, want, err)
	}
}
