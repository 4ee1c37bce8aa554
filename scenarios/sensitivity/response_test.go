package sensitivity

import (
	"math"
	"testing"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim/must"
)

// TestMakespanBetweenSamples runs at costs between the samples: the makespan lies between
// the limits from the samples, up to the picoseconds to which kernels are rounded.
func TestMakespanBetweenSamples(t *testing.T) {
	for _, name := range []string{"fig21-transfer", "fig22-initiation", "ft-slabs-jacquard"} {
		o, all := sensitivities(t, name)
		for _, s := range all {
			for i := 1; i < len(s.Samples); i++ {
				cost := 0.3*s.Samples[i-1].Cost + 0.7*s.Samples[i].Cost
				tangent := must.Get(tangentOf(o, s.Parameter, cost, s.Unit.Rate()))(t)
				least, most := s.Makespan(s.BadAt(cost))
				if got := tangent.value * 1e-12; got < least-1e-7*got || got > most+1e-7*got {
					t.Errorf("%s: at cost %g of %s the makespan is %g s, not from %g to %g", name, cost, s.Parameter, got, least, most)
				}
			}
		}
	}
}

// TestSamples checks that the costs that readers are told were run, or are on the line.
func TestSamples(t *testing.T) {
	_, all := sensitivities(t, "fig22-initiation")
	seen := 0
	for _, s := range all {
		if s.Samples == nil {
			continue
		}
		for _, bad := range []float64{TwiceAsGood, TenthBetter, 1, HalfAgain} {
			if least, most := s.Makespan(bad); !(most-least <= 1e-6*most) {
				t.Errorf("%s %g times as bad: the makespan is from %g to %g s", s.Parameter, bad, least, most)
			}
		}
		seen++
	}
	if seen != 3 {
		t.Errorf("%d parameters have ranges, not 3", seen)
	}
	// Figure 22: the NIC sends for 48 us of 58. The makespan falls with the time per byte
	// until that is half as long; there g takes over.
	if s := all[0]; s.Parameter != "network.gap_per_byte" || math.Abs(s.Better().Factor-0.5) > 1e-6 {
		t.Errorf("%s: the range ends at %g", s.Parameter, s.Better().Factor)
	}
}

// sensitivities runs a built-in scenario and finds all ranges.
func sensitivities(t *testing.T, name string) (*outcomes.Outcome, []Sensitivity) {
	t.Helper()
	study := must.Get(scenarios.Load(name, smaller[name]))(t)
	o := must.Get(study.Runs[0].Run(nodes.Options{Critical: true}))(t)
	all := must.Get(Of(o, nil, math.Inf(1), func(string) error { return nil }))(t)
	return o, all
}
