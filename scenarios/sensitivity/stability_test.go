package sensitivity

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/points"
	"overlapsim/scenarios/report"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// drawScenario draws a small scenario on a machine of the library.
func drawScenario(t *rapid.T) string {
	one := func(label string, values ...string) string { return rapid.SampledFrom(values).Draw(t, label) }
	machine := one("machine", "jacquard", "bassi", "bassi-rdma", "intrepid", "loggp", "hopper", "xenon", "william-tcp", "miriel", "juqueen")
	text := fmt.Sprintf("machine: %s\nchanges: {nodes: 0, processes_per_node: %s", machine, one("per node", "1", "2", "4"))
	text += one("library", "", "", ", runtime: none", ", runtime: openmpi-1.10-tcp", ", runtime: mvapich2-2.2",
		", runtime.progress.by: thread")
	text += one("topology", "", ", topology: {kind: fat-tree, levels: 3, arity: 4, taper: 2}", ", topology: {kind: torus, dims: "+
		"[4, 4, 2]}") + "}\n"
	text += "processes_per_node: " + one("processes", "1", "2") + "\nranks: " + one("ranks", "8", "16", "32") + "\n"
	text += "fabric: {kind: " + one("fabric", "ideal", "flow", "flow", "backlog") + "}\n"
	bytes := one("bytes", "100B", "8KiB", "64KiB", "1MiB")
	text += "workload: {name: " + one("workload",
		"halo, iterations: 5, compute: "+one("compute", "0s", "100us", "2ms")+", bytes: "+bytes,
		"shift, distance: 3, repeat: 5, bytes: "+bytes,
		"ft-slabs, rows: 64, row_length: 256", "ft-pencils, rows: 64, row_length: 64",
		"advection-std, x: 64, y: 64, z: 64, steps: 8, tile: 4, grid: 2x2x2",
		"alltoall-linear, bytes: "+bytes) + "}\n"
	return text
}

// Derivatives of random scenarios are no larger than the amplification that the run
// states for its parts, and add up to the makespan. Unstable derivatives are omitted.
func TestDrawnSlopes(t *testing.T) {
	must.Long(t)
	runs, unstable := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		text := drawScenario(t)
		study, err := scenarios.Read("text.yaml", []byte(text), nil)
		if err != nil {
			return // drawn keys that exclude each other
		}
		o, err := study.Runs[0].Run(nodes.Options{Critical: true})
		if err != nil {
			return
		}
		runs++
		if o.Unstable() {
			if unstable++; len(o.Slopes()) > 0 || o.Record().Gradient != nil || o.Record().Unstable == "" {
				t.Fatalf("%s%+v: unstable, and there are derivatives", text, o.Result.Stability)
			}
			return
		}
		sum := o.Result.Stability.Other
		for _, s := range o.Slopes() {
			if s.Unit != results.Factor {
				sum += s.Time
			}
			if !(math.Abs(s.Elasticity) <= o.Result.Stability.Amplification*(1+1e-6)) {
				t.Fatalf("%s%s: elasticity %g, the parts amplify by %g", text, s.Parameter, s.Elasticity, o.Result.Stability.Amplification)
			}
		}
		if makespan := o.Result.Makespan().Seconds(); math.Abs(sum-makespan) > (1e-5+o.Result.Stability.Rounding)*makespan {
			t.Fatalf("%sthe parameters and the rest add up to %g s, the makespan is %g s", text, sum, makespan)
		}
	})
	if t.Logf("%d runs, %d unstable", runs, unstable); runs < 20 {
		t.Errorf("only %d drawn scenarios ran", runs)
	}
}

// If a range is stated, a run anywhere in it has the makespan that the derivative
// predicts, to twice the slack and the noise of the run. A few makespans jump between the places at which the range was checked,
// because the order of messages changes.
func TestDrawnRanges(t *testing.T) {
	must.Long(t)
	inside, off, noisy := 0, 0, 0
	for seed := range 16 {
		text := rapid.Custom(drawScenario).Example(seed)
		o, noise := drawnRun(text)
		if o == nil {
			continue
		}
		if report.Noisy(noise) {
			noisy++
		}
		all, err := Of(o, noise, math.Inf(1), func(string) error { return nil })
		if err != nil {
			t.Fatal(text, err)
		}
		places := sim.NewStream(uint64(seed))
		for _, s := range all {
			for _, b := range []*Bound{&s.Down, &s.Up} {
				if b.Runs == 0 {
					continue
				}
				factor := math.Pow(b.Factor, places.Float64())
				if inside++; math.Abs(offLine(t, o, &s, factor)) > 2*slack+zero(noise) {
					off++
					t.Logf("%s%s x %g, in the range to %g: the makespan is %g of it off, noise %g", text, s.Parameter, factor, b.Factor,
						offLine(t, o, &s, factor), zero(noise))
				}
			}
		}
	}
	if t.Logf("%d runs in ranges, %d off; %d scenarios with noise", inside, off, noisy); inside < 50 || off*50 > inside {
		t.Errorf("%d of %d runs in ranges are off", off, inside)
	}
}

// drawnRun runs a scenario that was drawn, and finds its noise; nil if it cannot run, or has no derivatives.
func drawnRun(text string) (*outcomes.Outcome, *float64) {
	study, err := scenarios.Read("text.yaml", []byte(text), nil)
	if err != nil {
		return nil, nil
	}
	o, err := study.Runs[0].Run(nodes.Options{Critical: true})
	if err != nil || o.Unstable() {
		return nil, nil
	}
	noise := points.NoiseOf(&points.Pool{Load: study.Runs[0].With}, o, nodes.Options{Critical: true})
	return o, noise.Part
}

// wild is a halo exchange in which tiny changes decide which message is first on a link,
// with further effects from iteration to iteration.
const wild = `
machine: jacquard
changes:
  nodes: 0
  network.channels: 1
  topology: {kind: fat-tree, levels: 2, arity: 8}
  links: {bandwidth: 900MB/s, injection: 900MB/s, ejection: 900MB/s}
processes_per_node: 1
ranks: 27
fabric: {kind: flow}
workload: {name: halo, bytes: 64KiB, compute: 100us, iterations: 10}
`

// runWild runs a scenario whose derivatives are not stable.
func runWild(t *testing.T) *outcomes.Outcome {
	t.Helper()
	study := must.Get(scenarios.Read("text.yaml", []byte(wild), nil))(t)
	return must.Get(study.Runs[0].Run(nodes.Options{Critical: true}))(t)
}

// An unstable run has differences in place of derivatives; they equal those of re-runs.
func TestDifferences(t *testing.T) {
	must.Long(t)
	o := runWild(t)
	if !o.Unstable() || o.Slopes() != nil {
		t.Fatalf("%+v, slopes %v", o.Result.Stability, o.Slopes())
	}
	all := must.Get(Of(o, nil, math.Inf(1), func(string) error { return nil }))(t)
	if len(all) < 4 {
		t.Errorf("differences by %d parameters: %+v", len(all), all)
	}
	for i, s := range all {
		last := s.Differences[len(s.Differences)-1]
		if s.Elasticity != last.Elasticity || i > 0 && math.Abs(s.Elasticity) > math.Abs(all[i-1].Elasticity) {
			t.Errorf("%s: elasticity %g of %+v", s.Parameter, s.Elasticity, s.Differences)
		}
		for _, d := range s.Differences {
			smaller, larger := times(t, o, s.Parameter, 1-d.Step), times(t, o, s.Parameter, 1+d.Step)
			if want := (larger - smaller) / (2 * d.Step); math.Abs(d.Elasticity-want) > 1e-9 {
				t.Errorf("%s over %g: elasticity %g, want %g", s.Parameter, d.Step, d.Elasticity, want)
			}
		}
	}
}

// A run with an unstable value inside a range has a makespan and no tangent. The tangent
// is neither drawn nor written.
func TestNoTangent(t *testing.T) {
	o := runWild(t)
	beyond, err := tangentOf(o, "network.latency", 1.5, false)
	if err != nil || !math.IsNaN(beyond.slope) || beyond.value <= 0 {
		t.Fatalf("%+v, %v", beyond, err)
	}
	s := Sensitivity{Samples: []Sample{{1, 10, math.NaN()}, {2, 12, math.NaN()}, {3, 20, 5}},
		Down: Bound{Factor: 0.5, Runs: 1, Then: math.NaN()}}
	if least, most := s.Makespan(1.5); least != 11 || most != 11 {
		t.Errorf("between two runs without tangents it is %g to %g", least, most)
	}
	if least, most := s.Makespan(2.5); least != 16 || most != 16 { // the tangent at 3 is above the line
		t.Errorf("beside a run with a tangent it is %g to %g", least, most)
	}
	s.Samples[2].Slope = 10
	if least, most := s.Makespan(2.5); least != 15 || most != 16 {
		t.Errorf("beside a run with a steep tangent it is %g to %g", least, most)
	}
	text, err := json.Marshal(s.record(nil))
	if err != nil || !strings.Contains(string(text), `"slope_s":null`) || !strings.Contains(string(text), `"elasticity_then":null`) {
		t.Errorf("%s, %v", text, err)
	}
}
