package cli

import (
	"strings"
	"testing"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/forecast"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim/must"
)

// What a fabric or a node does for each message is in the forecast: as many packets as there are, pieces of messages, and contexts.
func TestLongByPieces(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, many, "machine: {base: jacquard, nodes: 1000000}\nworkload: {name: halo, bytes: 64KiB, iterations: 2}\nranks: 64\nprocesses_per_node: 1\n")
	const packets = "fabric={kind: packet, payload: 240B, packet: 256B, slots: 8}"
	load := func(settings ...string) *scenarios.Scenario {
		study := must.Get(scenarios.Load(many, settings))(t)
		return study.Runs[0]
	}
	s := load("topology={kind: torus, dims: [4, 4, 4]}", packets)
	o := must.Get(s.Run(nodes.Options{}))(t)
	if told, took := s.Effort(nodes.Options{}).Operations, float64(o.Result.Events); told > 2*took || took > 2*told {
		t.Errorf("%g operations were told, there were %g", told, took)
	}
	const chunks = "machine.copying={chunk: 1B, send: 1GB/s, receive: 1GB/s, buffer: 64KiB}"
	for want, settings := range map[string][]string{
		"packets: 6.44e+09 operations may take 21 minutes, at 5,000,000 operations/s\n": {"topology={kind: torus, dims: [4, 4, 4]}", packets,
			"workload.bytes=32MiB", "workload.iterations=60"},
		"contexts: 1.18e+06 operations may take 6 minutes, at 3,200 operations/s\n":         {"machine.smt={contexts: 26000}", "workload.iterations=400"},
		"chunks: 5.03e+09 operations may take 34 minutes, at 2,500,000 operations/s\n":      {chunks, "workload.iterations=200"},
		"two for all: 7.87e+09 operations may take 52 minutes, at 2,500,000 operations/s\n": {chunks, "workload.iterations=10000"},
		"moved: 4.32e+07 operations may take 90 seconds, at 480,000 operations/s\n":         {"workload.bytes=512KiB", "workload.iterations=400", "moves.pieces=64"},
	} {
		var out strings.Builder
		name, _, _ := strings.Cut(want, ":")
		if sayLong(&out, name, nodes.Options{NoSymmetry: name != "two for all"}, load(settings...)); out.String() != want {
			t.Errorf("said %q, want %q", out.String(), want)
		}
	}
}

// Operations that take longer than a tenth of a second have no speed of 0.
func TestLongOperations(t *testing.T) {
	for want, rate := range map[string]float64{"x: 1e+03 operations may take 50 minutes, at 3 s each\n": 1. / 3,
		"x: 1e+03 operations may take 83 seconds, at 12 operations/s\n": 12} {
		var out strings.Builder
		if sayEffort(&out, "x", forecast.Effort{Operations: 1000, Seconds: 1000 / rate}, 1); out.String() != want {
			t.Errorf("said %q, want %q", out.String(), want)
		}
	}
}

// Many runs on GPUs that will take long say so, as other runs do.
func TestLongOnGPUs(t *testing.T) {
	study := must.Get(scenarios.Load("gpt-18b", []string{"workload.global_batch=65536"}))(t)
	var out strings.Builder
	load := func(int) (*scenarios.Scenario, error) { return study.Runs[0], nil }
	if sayLongPoints(&out, "few", 2, 1, load); out.Len() > 0 {
		t.Errorf("few say %s", out.String())
	}
	sayLongPoints(&out, "swept", 1000, 2, load)
	if want := "swept: 4.6e+09 operations may take 113 minutes, at 340,000 operations/s in each of 2 processes or threads\n"; out.String() != want {
		t.Errorf("many say %q, want %q", out.String(), want)
	}
}

// Re-runs that explain a run and will take minutes say so; those of the largest ready scenarios do not take so long.
func TestLongAnswer(t *testing.T) {
	for want, settings := range map[string][]string{
		"": nil,
		"gpt-18b takes 2.000 s; re-runs explain it, --no-advice leaves them out\n" +
			"re-runs that explain it, without --no-advice: 1.84e+08 operations may take 9 minutes, at 340,000 operations/s\n": {"workload.jobs=2"},
	} {
		study := must.Get(scenarios.Load("gpt-18b", settings))(t)
		var out strings.Builder
		if sayLongAnswer(&out, study.Runs[0], &outcome{record: &outcomes.RunRecord{Makespan: 2}}); out.String() != want {
			t.Errorf("%q: said %q, want %q", settings, out.String(), want)
		}
	}
}
