package gradient

import (
	"math"
	"slices"
	"strings"
	"testing"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/points"
	"overlapsim/scenarios/report"
	"overlapsim/scenarios/sensitivity"
	"overlapsim/sim/must"
)

// noisy is a halo exchange on a torus in which the order of what happens at the same moment moves the makespan by some per cent.
const noisy = `
machine: hopper
workload: {name: halo, bytes: 64KiB, iterations: 5, compute: 50us}
ranks: 64
processes_per_node: 4
fabric: {kind: flow}
`

// In a noisy run the bandwidth of links is told, and its elasticity predicts re-runs to the noise. Chance ends its range, of which no digits
// are said. The page has no digits of those that do less.
func TestNoisyGradient(t *testing.T) {
	must.Long(t)
	study := must.Get(scenarios.Read("text.yaml", []byte(noisy), nil))(t)
	critical := nodes.Options{Critical: true}
	o := must.Get(study.Runs[0].Run(critical))(t)
	pool := &points.Pool{Load: study.Runs[0].With}
	noise := points.NoiseOf(pool, o, critical)
	if !report.Noisy(noise.Part) {
		t.Fatalf("noise %+v", noise)
	}
	all := must.Get(sensitivity.Of(o, noise.Part, math.Inf(1), func(string) error { return nil }))(t)
	told, below, _ := Split(all, noise.Part)
	if len(told) == 0 || told[0].Parameter != "links.bandwidth" || !slices.Contains(below, "network.gap") {
		t.Fatalf("told of %v, not of %v", told, below)
	}
	s, today := told[0], o.Result.Makespan().Seconds()
	for _, factor := range []float64{0.75, 0.9, 0.98, 1.01, 1.05, 1.1} {
		scaled := must.Get(o.Scaled(s.Parameter, factor))(t)
		got, err := points.One(pool, points.Point{Loaded: &scenarios.Scenario{Scenario: scaled}}, points.Makespan)
		if want := today * (1 - s.Elasticity*(1/factor-1)); err != nil || math.Abs(got-want) > (*noise.Part+0.001)*today {
			t.Errorf("%s x %g: %g s, the derivative predicts %g s (%v)", s.Parameter, factor, got, want, err)
		}
	}
	if from, to := Change(&s.Down), Change(&s.Up); from != "noise" || to != "noise" {
		t.Errorf("the derivative by %s holds from %s to %s", s.Parameter, from, to)
	}
	for _, row := range Ranges(o, noise.Part, all).Table.Rows {
		if digits := row[3].Text != report.InCell; digits == slices.Contains(below, row[0].Text) {
			t.Errorf("the row of %s has the elasticity %q", row[0].Text, row[3].Text)
		}
	}
	if lead := Lead(o, noise.Part, all); !strings.Contains(lead, "links.bandwidth matters most: its elasticity is -0.9763.") {
		t.Error(lead)
	}
	if lead := Lead(o, noise.Part, all[len(all)-1:]); !strings.Contains(lead, "The effect of each parameter is below the noise of this run (") {
		t.Error(lead)
	}
}
