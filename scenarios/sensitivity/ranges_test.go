package sensitivity

import (
	"math"
	"testing"

	"overlapsim/scenarios/outcomes"
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
