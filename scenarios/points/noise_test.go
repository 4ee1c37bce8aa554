package points

import (
	"math"
	"testing"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/sim/must"
)

// noiseOf runs a text and finds its noise.
func noiseOf(t *testing.T, text string) Noise {
	t.Helper()
	study := must.Get(scenarios.Read("text.yaml", []byte(text), nil))(t)
	o := must.Get(study.Runs[0].Run(nodes.Options{}))(t)
	return NoiseOf(&Pool{Load: study.Runs[0].With}, o, nodes.Options{})
}

func TestNoiseOf(t *testing.T) {
	for text, want := range map[string]string{
		"machine: loggp\nworkload: {name: halo, bytes: 8B}\nranks: 8\n": "",

		"machine: loggp\nchanges: {nodes: 0}\nworkload: {name: halo, iterations: 100, bytes: 8B}\nranks: 1000000\n":// by symmetry
		"with simultaneous events in another order all 1000000 nodes would be simulated, in more than 5 million events",

		"machine: hopper\nworkload: {name: halo, bytes: 8B}\nranks: 8\nbackground_threads: 1\n" +
			"changes: {runtime: mvapich2-2.2, time_slice: 4ms}\n": "delays ranks by a computation, which background_threads do not allow",
	} {
		if n := noiseOf(t, text); n.Why != want || (n.Part == nil) != (want != "") {
			t.Errorf("%s%+v, want %q", text, n, want)
		}
	}
	n := noiseOf(t, "machine: hopper\nworkload: {name: halo, bytes: 64KiB, iterations: 5, compute: 50us}\nranks: 64\nprocesses_per_node: 4\n"+
		"fabric: {kind: flow}\n")
	if n.Part == nil || *n.Part < 0.005 || *n.Part > 0.1 {
		t.Errorf("%+v", n)
	}
}

func TestNoiseNote(t *testing.T) {
	none := "none: the makespan does not depend on the order of what happens at the same moment"
	for want, n := range map[string]Noise{
		"not known: a reason": {Why: "a reason"},
		none:                  {Part: new(0.0004), Shortest: 1, Longest: 1.0004},
		"40 %: the makespan is between 1.000 s and 1.400 s in other orders of what happens at the same moment": {
			Part: new(0.4), Shortest: 1, Longest: 1.4},
	} {
		if got := n.Note(); got != want {
			t.Errorf("%+v: %q, want %q", n, got, want)
		}
	}
}

func TestFarthest(t *testing.T) {
	if Farthest(1, nil) != nil {
		t.Error("noise without re-runs")
	}
	if got := Farthest(2, []float64{2 + 1e-9, 1.9, 2.05}); math.Abs(*got-0.05) > 1e-8 {
		t.Errorf("%g", *got)
	}
}
