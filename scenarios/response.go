package scenarios

import (
	"cmp"
	"math"
	"slices"
)

// Sample is the makespan of a run in which a parameter was another, and how it goes
// on from there.
type Sample struct {
	Cost     float64 // what the parameter makes a thing take, of today's: its own factor, of rates the inverse
	Makespan float64 // s
	Slope    float64 // s by which the makespan grows when Cost grows by 1; NaN: not known
}

// at is the tangent of the sample; where there is none, nothing is known.
func (s *Sample) at(cost float64) float64 {
	if math.IsNaN(s.Slope) {
		return math.Inf(-1)
	}
	return s.Makespan + s.Slope*(cost-s.Cost)
}

// Meets is the cost at which the tangents of two samples meet; NaN: they do not.
func (s *Sample) Meets(u *Sample) float64 { return (u.at(0) - s.at(0)) / (s.Slope - u.Slope) }

// A parameter can be so many times as bad as today: a cost so many times as large, a
// rate so many times as small. These are run besides those of the range.
const (
	TenthBetter = 0.9
	TwiceAsGood = 0.5
	HalfAgain   = 1.5
)

// Better and Worse are the ends of the range towards less time and towards more.
func (s *Sensitivity) Better() *Bound {
	if s.Elasticity < 0 {
		return &s.Up
	}
	return &s.Down
}

// Worse is the other end.
func (s *Sensitivity) Worse() *Bound {
	if s.Elasticity < 0 {
		return &s.Down
	}
	return &s.Up
}

// Bad is how bad a parameter is, of today, that is so many times as large.
func (s *Sensitivity) Bad(factor float64) float64 {
	if s.Elasticity < 0 {
		return 1 / factor
	}
	return factor
}

// BadAt is how bad the parameter is at a cost, and the cost where it is so bad: the
// same, but for rates that are bad.
func (s *Sensitivity) BadAt(cost float64) float64 {
	if s.Unit.Rate() != (s.Elasticity < 0) {
		return 1 / cost
	}
	return cost
}

// Makespan returns between what the makespan lies where the parameter is so bad, in
// s. It is known where
// a run was, and in the range; elsewhere it is no less than the tangents of the
// samples beside it and, as long as messages keep their order, no more than the line
// between them. Where the tangents are above that line they do not, and the line
// is all that is left, as it is where neither has a tangent. NaN outside of the samples.
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

// further runs where a reader asks what there is to gain or to lose, as far as the
// range leaves that open.
func (o *Outcome) further(one *Sensitivity) error {
	from, to := one.Bad(one.Better().Factor), one.Bad(one.Worse().Factor)
	for _, bad := range []float64{TwiceAsGood, TenthBetter, HalfAgain} {
		if bad >= from && bad <= to {
			continue
		}
		t, err := o.tangent(one.Parameter, one.BadAt(bad), one.Unit.Rate())
		if err != nil {
			return err
		}
		one.add(t)
	}
	return nil
}

// add keeps a run; of two with the same cost the first one.
func (s *Sensitivity) add(t *tangent) {
	i, found := slices.BinarySearchFunc(s.Samples, t.at, func(p Sample, x float64) int { return cmp.Compare(p.Cost, x) })
	if !found {
		s.Samples = slices.Insert(s.Samples, i, Sample{t.at, t.value * 1e-12, t.slope * 1e-12})
	}
}
