package scenarios

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim/must"
)

// A kernel that a file defines takes its work divided by its speed, like the standard
// kernel with the same work.
func TestOwnKernel(t *testing.T) {
	for _, c := range []struct{ work, rates, standard, n string }{
		{"{flop: 5, logs: 1}", "2GF/s", "fft", "20000"}, {"{flop: 2, power: 3}", "2GF/s", "dgemm", "300"},
		{"{bytes: 1}", "2GB/s", "copy", "1000000"}, {"{flop: 7}", "2GF/s", "advection3d", "100000"},
	} {
		run := func(kernel, defined string) *outcomes.Outcome {
			text := "machine:\n  cores: 2\n  network: {latency: 5us, send_overhead: 1us, gap: 2us, bandwidth: 1GB/s}\n" +
				"  kernels: {" + kernel + ": {" + defined + "rates: " + c.rates + "}}\n" +
				"ranks: 2\nworkload: {name: halo, kernel: " + kernel + ", n: " + c.n + ", bytes: 1B, compute: 0s, iterations: 3}\n"
			study, err := studyText(text, nil)
			if err != nil {
				t.Fatal(text, err)
			}
			return must.Get(study.Runs[0].Run(nodes.Options{Critical: true}))(t)
		}
		own, standard := run("own", "work: "+c.work+", "), run(c.standard, "")
		if a, b := own.Result.Makespan(), standard.Result.Makespan(); a != b {
			t.Errorf("%s takes %v, %s %v", c.work, a, c.standard, b)
		}
		slope := own.Slopes()[0]
		for _, s := range own.Slopes() {
			if s.Parameter == "kernels.own.rates" {
				slope = s
			}
		}
		compute := own.Record().Ledger[results.Compute].Value
		if slope.Parameter != "kernels.own.rates" || math.Abs(slope.Time-compute) > 1e-9*compute {
			t.Errorf("%s: of %g s of computation %s has %g s", c.work, compute, slope.Parameter, slope.Time)
		}
	}
}

// A memory slows computations with a demand, and neither copies inside a node nor bytes of NICs: without such a kernel its bandwidth has no
// effect, and is named.
func TestMemoryWithoutDemand(t *testing.T) {
	text := "machine: {cores: 4, network: {latency: 1us, send_overhead: 1us, bandwidth: 10GB/s}, kernels: {fft: {rates: 1GF/s}}, " +
		"intra_node: {latency: 0.5us, per_byte: 5GB/s}}\nprocesses_per_node: 4\nranks: 8\nworkload: "
	run := func(workload, bandwidth string, more ...string) *outcomes.Outcome {
		study := must.Get(studyText(text+workload, append(more, "machine.memory.bandwidth="+bandwidth)))(t)
		return must.Get(study.Runs[0].Run(nodes.Options{}))(t)
	}
	const halo, pencils = "{name: halo, bytes: 1MiB}\n", "{name: ft-pencils, rows: 64, row_length: 64}\n"
	one, other := run(halo, "1GB/s"), run(halo, "100GB/s")
	if found := one.NoEffect(); len(found) != 1 || found[0].Key != "machine.memory.bandwidth" || one.Result.Makespan() != other.Result.Makespan() {
		t.Errorf("%v and %v; without effect are %v", one.Result.Makespan(), other.Result.Makespan(), found)
	}
	const demand = "machine.kernels.fft.demand=4GB/s"
	if one, other := run(pencils, "1GB/s", demand), run(pencils, "100GB/s", demand); one.Result.Makespan() <= other.Result.Makespan() || one.NoEffect() != nil {
		t.Errorf("%v and %v; without effect are %v", one.Result.Makespan(), other.Result.Makespan(), one.NoEffect())
	}
}

// Two kernels of one machine are kept apart, regardless of their names.
func TestOwnKernels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z][a-z0-9_-]{3,8}x`)
		a, b := name.Draw(t, "a"), name.Draw(t, "b")
		if a == b {
			return
		}
		text := "machine:\n  cores: 1\n  network: {latency: 1us, send_overhead: 1us, gap: 0s, bandwidth: 1GB/s}\n" +
			"  kernels: {" + a + ": {work: {flop: 1}, rates: 1GF/s}, " + b + ": {work: {flop: 3}, rates: 1GF/s}}\n" +
			"ranks: 2\nworkload: {name: halo, kernel: " + a + ", n: 1000000, compute: 0s, iterations: 1}\n"
		study, err := studyText(text, []string{"machine.kernels." + b + ".rates=2GF/s"})
		if err != nil {
			t.Fatal(text, err)
		}
		o := must.Get(study.Runs[0].Run(nodes.Options{Critical: true}))(t)
		for _, s := range o.Slopes() {
			if s.Parameter == "kernels."+b+".rates" && s.Time != 0 {
				t.Fatalf("%s has %g s, and only %s is called", b, s.Time, a)
			}
		}
		found := o.NoEffect()
		if len(found) != 1 || found[0].Key != "machine.kernels."+b+".rates" {
			t.Fatalf("without effect are %v, not %s", found, b)
		}
	})
}
