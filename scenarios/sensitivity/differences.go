package sensitivity

import (
	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/points"
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
func changeable(o *outcomes.Outcome) (all []results.Slope) {
	for _, slope := range o.Result.Unstable {
		if slope.Value != 0 {
			all = append(all, slope)
		}
	}
	return all
}

// differences takes the finite differences by a parameter.
func differences(o *outcomes.Outcome, one *Sensitivity) error {
	for _, step := range steps {
		d, err := difference(o, one.Parameter, step)
		if err != nil {
			return err
		}
		one.Differences, one.Elasticity = append(one.Differences, d), d.Elasticity
	}
	return nil
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
	return points.One(new(points.Pool), scaled(o, parameter, factor), points.Makespan)
}

// scaled is the run with a parameter multiplied by the factor.
func scaled(o *outcomes.Outcome, parameter string, factor float64) points.Point {
	return points.Point{Load: func([]string) (*scenarios.Scenario, error) {
		s, err := o.Scaled(parameter, factor)
		return &scenarios.Scenario{Scenario: s}, err
	}}
}

// differenceRecord is a parameter whose derivative is not stable, as JSON.
type differenceRecord struct {
	Value       *float64     `json:"value"`
	Method      string       `json:"method"`
	Step        float64      `json:"step,omitempty"` // of the elasticity
	Elasticity  *float64     `json:"elasticity"`
	Below       bool         `json:"below_noise,omitempty"` // the largest difference is below the noise of the run
	LeftOut     bool         `json:"left_out,omitempty"`    // its re-runs would take too long
	Differences []Difference `json:"differences"`
}

func (s *Sensitivity) differenceRecord(below bool) differenceRecord {
	step := 0.0
	if last := len(s.Differences) - 1; last >= 0 {
		step = s.Differences[last].Step
	}
	return differenceRecord{outcomes.Finite(s.Value), "difference", step, outcomes.Finite(s.Elasticity), below, s.LeftOut, s.Differences}
}
