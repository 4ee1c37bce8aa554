package nodes

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"overlapsim/sim"
)

// Stability says how far derivatives of a makespan can be trusted.
//
// The makespan is a sum: each part of the run, a computation, an overhead, a transfer,
// times the weight with which it moves the end. Where nothing is shared the weights
// are 0 or 1. Where things slow each other down some are negative, weights grow from
// mix to mix, and large parts cancel. The sum of all magnitudes against the sum is the
// condition number of the makespan (Higham, Accuracy and Stability of Numerical
// Algorithms, chapter 4): how much more than its parts the makespan moves.
type Stability struct {
	// Amplification is by how many per cent the makespan moves at most, to first order,
	// if every part moves by one per cent on its own; at least 1.
	Amplification float64
	// Rounding is the most, as a part of the makespan, by which the sum of what all
	// parameters make of it can be off: because sums of weights are rounded, and ends
	// of what is shared to whole ps.
	Rounding float64
	Other    float64 // seconds of the makespan that no parameter makes
}

// Limits of what is stable. From the first one on, parts that move by 10 % move a
// makespan, to first order, by all of it: it has no straight line to follow so far.
const (
	mostAmplified = 10
	mostRounded   = 1e-3
)

// Stable tells whether derivatives mean something. Sums that are not even numbers do
// not.
func (s Stability) Stable() bool {
	return s.Amplification <= mostAmplified && s.Rounding <= mostRounded
}

// Reason says in words why derivatives are not stable; "" where they are.
func (s Stability) Reason() string {
	switch {
	case s.Stable():
		return ""
	case s.Amplification <= mostAmplified:
		return fmt.Sprintf("rounding to picoseconds moves its end by more than %g %%", 100*mostRounded)
	}
	return fmt.Sprintf("if each of its parts moved by 1 %%, its end could move by more than %d %%", mostAmplified)
}

// stability returns that of the derivatives of a moment.
func (s *slopes) stability(at sim.Time) Stability {
	if at == 0 {
		return Stability{Amplification: 1}
	}
	return Stability{s.magnitudes.Parts / float64(at), s.magnitudes.Rounding / float64(at), s.other * sim.Time(1).Seconds()}
}

// derive keeps derivatives, the largest elasticity first. Where they are not stable,
// it keeps which parameters there are and no number of theirs.
func (r *Result) derive(all []Slope, s Stability) {
	r.Stability = s
	if s.Stable() {
		slices.SortStableFunc(all, func(a, b Slope) int { return cmp.Compare(math.Abs(b.Elasticity), math.Abs(a.Elasticity)) })
		r.Slopes = all
		return
	}
	for _, slope := range all {
		r.Unstable = append(r.Unstable, Slope{Parameter: slope.Parameter, Value: slope.Value, Unit: slope.Unit})
	}
}
