package sensitivity

import (
	"math"
	"testing"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/points"
	"overlapsim/scenarios/report"
	"overlapsim/sim/must"
)

// TestRanges checks the slopes of built-in scenarios by runs with other values. Inside
// its range the makespan is on the line. Beyond the range it is above the line, unless
// messages come in another order there.
func TestRanges(t *testing.T) {
	must.Long(t)
	for _, name := range []string{"fig20-computation", "fig21-transfer", "fig22-initiation", "ft-slabs-jacquard",
		"ft-exchange-bassi", "flood-jacquard", "spmv-gather-jacquard", "hopper-shift"} {
		t.Run(name, func(t *testing.T) {
			o, all := sensitivities(t, name)
			for _, s := range all {
				checkBound(t, o, &s, &s.Down, -1)
				checkBound(t, o, &s, &s.Up, +1)
			}
		})
	}
}

// Re-runs have a number of events: the parameters with the largest elasticity come first, the others keep their derivatives and say that
// they have no re-runs.
func TestRangesWithinEvents(t *testing.T) {
	study := must.Get(scenarios.Load("fig22-initiation", nil))(t)
	o := must.Get(study.Runs[0].Run(nodes.Options{Critical: true}))(t)
	most, begun := float64(Runs(o))*float64(o.Result.Work()), []string(nil)
	all := must.Get(Of(o, nil, most, func(name string) error { begun = append(begun, name); return nil }))(t)
	if len(begun) != 1 || len(begun) != Steps(o, most) || begun[0] != all[0].Parameter {
		t.Errorf("re-runs of %v, of %d expected, the first parameter is %s", begun, Steps(o, most), all[0].Parameter)
	}
	for i, s := range all {
		if wanted := i > 0 && s.Time != 0; s.LeftOut != wanted || (s.Down.Runs > 0) != (i == 0) {
			t.Errorf("%s: left out %t, wanted %t; %d runs", s.Parameter, s.LeftOut, wanted, s.Down.Runs)
		}
	}
	if few, every := Steps(o, most), Steps(o, math.Inf(1)); few >= every {
		t.Errorf("%d parameters have re-runs within few events, %d without a limit", few, every)
	}
}

// In SpMV Scatter on Bassi a per cent of the time per byte reorders messages, and the makespan jumps by more than the noise. What is said of a
// range holds in it and at its end all the same.
func TestRangesOfANoisyRun(t *testing.T) {
	must.Long(t)
	study := must.Get(scenarios.Load("spmv-scatter-bassi", nil))(t)
	o := must.Get(study.Runs[0].Run(nodes.Options{Critical: true}))(t)
	noise := points.NoiseOf(&points.Pool{Load: study.Runs[0].With}, o, nodes.Options{Critical: true})
	said := 0
	for _, s := range must.Get(Of(o, noise.Part, math.Inf(1), func(string) error { return nil }))(t) {
		for _, b := range []*Bound{&s.Down, &s.Up} {
			if report.BelowNoise(s.Effect(noise.Part), noise.Part) || b.Noise || b.Runs == 0 {
				continue
			}
			said++
			for place := range 24 {
				factor := math.Pow(b.Factor, float64(place+1)/24)
				if by := offLine(t, o, &s, factor); math.Abs(by) > max(slack, *noise.Part) {
					t.Errorf("%s x %g, in the range to %g: the makespan is %g of it off the line, the noise is %g", s.Parameter, factor, b.Factor,
						by, *noise.Part)
				}
			}
		}
	}
	if said == 0 || !report.Noisy(noise.Part) {
		t.Errorf("%d ranges, noise %+v", said, noise)
	}
}

// smaller are settings that make a scenario fast.
var smaller = map[string][]string{
	"ft-exchange-bassi": {"ranks=8", "workload.rows=256"},
	"ft-slabs-jacquard": {"ranks=8"},
	"hopper-shift":      {"ranks=96", "workload.repeat=2"},
}

// reorders are scenarios in which messages overtake each other beyond some ranges.
var reorders = map[string]bool{"ft-exchange-bassi": true, "flood-jacquard": true}

// checkBound checks a range in its middle, and 10 % beyond its end.
func checkBound(t *testing.T, o *outcomes.Outcome, s *Sensitivity, b *Bound, side float64) {
	if b.Runs == 0 {
		return
	}
	middle, beyond := (1+b.Factor)/2, b.Factor*(1+side/10)
	if by := offLine(t, o, s, middle); math.Abs(by) > 1.5*slack {
		t.Errorf("%s x %g, inside its range to %g: the makespan is %g of it off the line", s.Parameter, middle, b.Factor, by)
	}
	if by := offLine(t, o, s, beyond); !b.Open && by < 1e-9 && !reorders[o.Name] {
		t.Errorf("%s x %g, beyond its range to %g: the makespan is %g of it above the line", s.Parameter, beyond, b.Factor, by)
	}
}

// offLine is how far the makespan is above the line when a parameter is multiplied by the
// factor, as a fraction of the makespan.
func offLine(t *testing.T, o *outcomes.Outcome, s *Sensitivity, factor float64) float64 {
	rate := s.Unit.Rate()
	makespan := must.Get(with(o, s.Parameter, factor))(t)
	line := 1 + s.Elasticity*(factor-1)
	if rate {
		line = 1 - s.Elasticity*(1/factor-1)
	}
	return makespan/o.Result.Makespan().Seconds() - line
}
