package sensitivity

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/outcomes"
)

// steps are the fractions by which a parameter is changed, in each direction, if
// derivatives are unstable. The last one gives Sensitivity.Elasticity.
var steps = []float64{0.01, 0.1}

// Difference is the makespan with a parameter that is smaller, and larger, by a fraction
// of it.
type Difference struct {
	Step       float64 `json:"step"`
	Smaller    float64 `json:"smaller_makespan_s"`
	Larger     float64 `json:"larger_makespan_s"`
	Elasticity float64 `json:"elasticity"` // per cent of today's makespan for each per cent, between the two
}

// changeable are the parameters with unstable derivatives that a factor can change: those
// that are not 0.
func changeable(o *outcomes.Outcome) (all []Sensitivity) {
	for _, slope := range o.Result.Unstable {
		if slope.Value != 0 {
			all = append(all, Sensitivity{Slope: slope, Differences: make([]Difference, len(steps))})
		}
	}
	return all
}

// differences returns finite differences by the parameters with unstable derivatives,
// the largest elasticity first.
func differences(o *outcomes.Outcome, step func(string) error) ([]Sensitivity, error) {
	all := changeable(o)
	errs := make([]error, len(all)*len(steps))
	scenarios.Parallel(len(errs), func(k int) {
		one, i := &all[k/len(steps)], k%len(steps)
		if errs[k] = step(one.Parameter); errs[k] == nil {
			one.Differences[i], errs[k] = difference(o, one.Parameter, steps[i])
		}
	})
	all = complete(all, errs)
	for i := range all {
		all[i].Elasticity = all[i].Differences[len(steps)-1].Elasticity
	}
	slices.SortStableFunc(all, func(a, b Sensitivity) int { return cmp.Compare(math.Abs(b.Elasticity), math.Abs(a.Elasticity)) })
	return all, errors.Join(errs...)
}

// difference runs with a parameter smaller and larger by a fraction of it.
func difference(o *outcomes.Outcome, parameter string, step float64) (d Difference, err error) {
	d.Step = step
	if d.Smaller, err = with(o, parameter, 1-step); err != nil {
		return d, err
	}
	if d.Larger, err = with(o, parameter, 1+step); err != nil {
		return d, err
	}
	d.Elasticity = (d.Larger - d.Smaller) / o.Result.Makespan().Seconds() / (2 * step)
	return d, nil
}

// with is the makespan in s with a parameter multiplied by the factor.
func with(o *outcomes.Outcome, parameter string, factor float64) (float64, error) {
	s, err := o.Scaled(parameter, factor)
	if err != nil {
		return 0, err
	}
	result, err := scenarios.Simulate(s, nodes.Options{})
	if err != nil {
		return 0, err
	}
	return result.Makespan().Seconds(), nil
}

// differenceRecord is a parameter whose derivative is not stable, as JSON.
type differenceRecord struct {
	Value       *float64     `json:"value"`
	Method      string       `json:"method"`
	Step        float64      `json:"step"` // of the elasticity
	Elasticity  float64      `json:"elasticity"`
	Differences []Difference `json:"differences"`
}

func (s *Sensitivity) differenceRecord() differenceRecord {
	last := s.Differences[len(s.Differences)-1]
	return differenceRecord{outcomes.Finite(s.Value), "difference", last.Step, last.Elasticity, s.Differences}
}
