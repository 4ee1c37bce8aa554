package sensitivity

import (
	"cmp"
	"math"
	"slices"

	"overlapsim/scenarios/outcomes"
)

// Sample is the makespan of a run with another value of a parameter, and its slope there.
type Sample struct {
	Cost     float64 // multiple of today's cost: the factor of the parameter, for rates its inverse
	Makespan float64 // s
	Slope    float64 // s by which the makespan grows when Cost grows by 1; NaN: not known
}

// at is the tangent of the sample at a cost; -Inf if the sample has no tangent.
func (s *Sample) at(cost float64) float64 {
	if math.IsNaN(s.Slope) {
		return math.Inf(-1)
	}
	return s.Makespan + s.Slope*(cost-s.Cost)
}

// Meets is the cost at which the tangents of two samples meet; not finite if they do not
// meet.
func (s *Sample) Meets(u *Sample) float64 { return (u.at(0) - s.at(0)) / (s.Slope - u.Slope) }

// How bad a parameter is, relative to today: the factor of a cost, the inverse of the
// factor of a rate. These values are run in addition to the values of the range.
const (
	TenthBetter = 0.9
	TwiceAsGood = 0.5
	HalfAgain   = 1.5
)

// Better is the end of the range in the direction of a shorter makespan, Worse in the
// other one.
func (s *Sensitivity) Better() *Bound {
	if s.Elasticity < 0 {
		return &s.Up
	}
	return &s.Down
}

// Worse is the end of the range in the direction of a longer makespan.
func (s *Sensitivity) Worse() *Bound {
	if s.Elasticity < 0 {
		return &s.Down
	}
	return &s.Up
}

// Bad is how bad a parameter is, relative to today, when it is multiplied by the factor.
func (s *Sensitivity) Bad(factor float64) float64 {
	if s.Elasticity < 0 {
		return 1 / factor
	}
	return factor
}

// BadAt converts a cost to how bad the parameter is there, and back. The two are equal,
// except for rates that are bad when large and costs that are bad when small: there one
// is the inverse of the other.
func (s *Sensitivity) BadAt(cost float64) float64 {
	if s.Unit.Rate() != (s.Elasticity < 0) {
		return 1 / cost
	}
	return cost
}

// Makespan returns the limits in s between which the makespan lies when the parameter is
// as bad as given. It is known at samples and inside the range. Elsewhere it is at least
// the tangents of the neighbouring samples and, as long as messages keep their order, at
// most the line between the samples. If the tangents are above that line, messages do not
// keep their order, and the line is the only estimate. It is also if neither sample has a
// tangent. The limits are NaN outside of the samples.
func (s *Sensitivity) Makespan(bad float64) (least, most float64) {
	cost := s.BadAt(bad)
	i, found := slices.BinarySearchFunc(s.Samples, cost, func(p Sample, x float64) int { return cmp.Compare(p.Cost, x) })
	switch {
	case found:
		return s.Samples[i].Makespan, s.Samples[i].Makespan
	case i == 0 || i == len(s.Samples):
		return math.NaN(), math.NaN()
	}
	a, b := &s.Samples[i-1], &s.Samples[i]
	chord := a.Makespan + (b.Makespan-a.Makespan)*(cost-a.Cost)/(b.Cost-a.Cost)
	if tangent := max(a.at(cost), b.at(cost)); !math.IsInf(tangent, -1) {
		return min(chord, tangent), chord
	}
	return chord, chord
}

// further runs the values for which a reader wants to know the gain or the loss, if they
// are outside of the range.
func further(o *outcomes.Outcome, one *Sensitivity) error {
	from, to := one.Bad(one.Better().Factor), one.Bad(one.Worse().Factor)
	for _, bad := range []float64{TwiceAsGood, TenthBetter, HalfAgain} {
		if bad >= from && bad <= to {
			continue
		}
		t, err := tangentOf(o, one.Parameter, one.BadAt(bad), one.Unit.Rate())
		if err != nil {
			return err
		}
		one.add(t)
	}
	return nil
}

// add keeps a run; of two runs with the same cost it keeps the first.
func (s *Sensitivity) add(t *tangent) {
	i, found := slices.BinarySearchFunc(s.Samples, t.at, func(p Sample, x float64) int { return cmp.Compare(p.Cost, x) })
	if !found {
		s.Samples = slices.Insert(s.Samples, i, Sample{t.at, t.value * 1e-12, t.slope * 1e-12})
	}
}
