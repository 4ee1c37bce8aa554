package results

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Stability says how far derivatives of a makespan can be trusted.
//
// The makespan is a sum over the parts of the run (computations, overheads, transfers), each
// times the weight with which it moves the end. Where nothing is shared the weights are 0 or 1.
// Where activities slow each other down, some weights are negative, weights grow from mix to mix,
// and large parts cancel. The sum of all magnitudes divided by the sum is the condition number of
// the makespan (Higham, Accuracy and Stability of Numerical Algorithms, chapter 4): how much more
// strongly the makespan changes than its parts.
type Stability struct {
	// Amplification is the largest change of the makespan in per cent, to first order, if each
	// part changes by one per cent independently. It is at least 1.
	Amplification float64
	// Rounding is the largest relative error of the makespan as the sum of the contributions of
	// all parameters. It arises because sums of weights are rounded, and because the ends of
	// shared activities are rounded to whole ps.
	Rounding float64
	Other    float64 // seconds of the makespan that no parameter accounts for
	Computed float64 // seconds of Other that are computation of the program, for which no kernel of the machine gives a rate
}

// Limits of stability. From the first limit on, changes of the parts by 10 % may change the
// makespan, to first order, by all of it. No linear estimate holds that far.
const (
	mostAmplified = 10
	mostRounded   = 1e-3
)

// Stable tells whether the derivatives are meaningful. They are not if their sums are NaN.
func (s Stability) Stable() bool {
	return s.Amplification <= mostAmplified && s.Rounding <= mostRounded
}

// Reason explains why derivatives are not stable; "" if they are.
func (s Stability) Reason() string {
	switch {
	case s.Stable():
		return ""
	case s.Amplification <= mostAmplified:
		return fmt.Sprintf("rounding to picoseconds moves its end by more than %g %%", 100*mostRounded)
	}
	return fmt.Sprintf("if each of its parts moved by 1 %%, its end could move by more than %d %%", mostAmplified)
}

// Derive stores the derivatives, the largest elasticity first. If they are not stable, it stores
// the parameters and their values without derivatives.
func (r *Result) Derive(all []Slope, s Stability) {
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
