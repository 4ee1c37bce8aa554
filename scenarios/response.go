package scenarios

import (
	"cmp"
	"math"
	"slices"
)

// Sample is the makespan of a run in which a parameter was another, and how it goes
// on from there.
type Sample struct {
	Cost     float64 `json:"cost"`       // what the parameter makes a thing take, of today's: its own factor, of rates the inverse
	Makespan float64 `json:"makespan_s"` // s
	Slope    float64 `json:"slope_s"`    // s by which the makespan grows when Cost grows by 1
}

// at is the tangent of the sample.
func (s *Sample) at(cost float64) float64 { return s.Makespan + s.Slope*(cost-s.Cost) }

// Costs besides those of the range that are run: a tenth better, twice as good, and
// half as much again.
const (
	TenthBetter = 0.9
	TwiceAsGood = 0.5
	HalfAgain   = 1.5
)

// Rate tells whether more of the parameter is less time.
func (s *Sensitivity) Rate() bool { return s.Elasticity < 0 }

// Better and Worse are the ends of the range towards less time and towards more.
func (s *Sensitivity) Better() *Bound {
	if s.Rate() {
		return &s.Up
	}
	return &s.Down
}

// Worse is the other end.
func (s *Sensitivity) Worse() *Bound {
	if s.Rate() {
		return &s.Down
	}
	return &s.Up
}

// Cost is the cost at which a range ends.
func (s *Sensitivity) Cost(b *Bound) float64 {
	if s.Rate() {
		return 1 / b.Factor
	}
	return b.Factor
}

// Makespan returns between what the makespan lies at a cost, in s. It is known where
// a run was, and in the range; elsewhere it is no less than the tangents of the
// samples beside it and, as long as messages keep their order, no more than the line
// between them. Where the tangents are above that line they do not, and the line
// is all that is left. NaN outside of the samples.
func (s *Sensitivity) Makespan(cost float64) (least, most float64) {
	i, found := slices.BinarySearchFunc(s.Samples, cost, func(p Sample, x float64) int { return cmp.Compare(p.Cost, x) })
	switch {
	case found:
		return s.Samples[i].Makespan, s.Samples[i].Makespan
	case i == 0 || i == len(s.Samples):
		return math.NaN(), math.NaN()
	}
	a, b := &s.Samples[i-1], &s.Samples[i]
	chord := a.Makespan + (b.Makespan-a.Makespan)*(cost-a.Cost)/(b.Cost-a.Cost)
	return min(chord, max(a.at(cost), b.at(cost))), chord
}

// further runs at the costs that a reader asks for, as far as the range leaves them
// open.
func (o *Outcome) further(one *Sensitivity) error {
	for _, cost := range []float64{TwiceAsGood, TenthBetter, HalfAgain} {
		if cost >= one.Cost(one.Better()) && cost <= one.Cost(one.Worse()) {
			continue
		}
		t, err := o.tangent(one.Parameter, cost, one.Rate())
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
