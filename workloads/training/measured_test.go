package training

import (
	"math"
	"strings"
	"testing"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/sim"
	"overlapsim/sim/must"
	"overlapsim/workloads/experiments"
)

// slower is a run in which kernels of each class take as many times as long, and launches.
func slower(t *testing.T, w *transformer, ranks int, by [experiments.NumClasses]float64, host float64) (*builder, *streams.Graph, sim.Time) {
	t.Helper()
	b := must.Get(w.builder(node(), place(ranks)))(t)
	g := must.Get(b.build())(t)
	(&scaling{factors: by, host: host, flash: w.Flash}).scale(g)
	run := must.Get(streams.Run(g))(t)
	return b, g, run.Makespan
}

// A step that was measured where kernels and launches take 1.37 times as long as the model says gives that factor, and on other GPUs
// and layouts the step of kernels that are so much slower.
func TestMeasuredStep(t *testing.T) {
	for _, factor := range []float64{0.9, 1.37, 5} {
		all := [experiments.NumClasses]float64{factor, factor, factor, factor}
		there := small(func(w *transformer) { w.TP, w.GlobalBatch = 2, 16 })
		_, _, measured := slower(t, there, 4, all, factor)
		for name, change := range map[string]func(*transformer){
			"replicas":        func(w *transformer) { w.TP, w.GlobalBatch = 2, 128 },
			"tensor parallel": func(w *transformer) { w.TP, w.GlobalBatch, w.SequenceParallel = 8, 64, true },
			"pipeline":        func(w *transformer) { w.PP, w.MicroBatch, w.GlobalBatch = 2, 2, 128 },
		} {
			w := small(func(w *transformer) {
				change(w)
				w.MeasuredStep, w.MeasuredRanks, w.MeasuredLayout, w.MeasuredBatch = measured, 4, "tp2-pp1-mb1", 16
				w.SequenceParallel = false
			})
			got := stepOf(t, w, node(), 32)
			plain := small(change)
			plain.SequenceParallel = false
			if _, _, want := slower(t, plain, 32, all, factor); math.Abs(float64(got-want)) > 1e-5*float64(want) {
				t.Errorf("%s, kernels %g times as slow: %v, want %v", name, factor, got, want)
			}
		}
	}
}

// Kernels of traces of which each class takes its own number of times as long give these factors, regardless of the layout, the number of
// steps, and the ranks that were traced.
func TestTracedKernels(t *testing.T) {
	factors := [experiments.NumClasses]float64{1.5, 0.7, 2, 0.9}
	for _, flash := range []bool{true, false} {
		there := small(func(w *transformer) { w.PP, w.MicroBatch, w.GlobalBatch, w.Flash = 2, 2, 16, flash })
		b, g, _ := slower(t, there, 4, factors, 1)
		var steps []experiments.Steps
		for _, rank := range []int{1, 2} { // of both stages
			s := experiments.Steps{File: "x", Rank: rank, World: 4, Number: 3}
			for i := range g.Ops {
				if o := &g.Ops[i]; int(o.Device) == rank/2 && o.Collective == 0 && o.Blocks > 0 {
					k := &s.Kernels[classOf(o.Kind, flash)]
					k.Count, k.Time = k.Count+3, k.Time+3*b.alone(o)
				}
			}
			steps = append(steps, s)
		}
		change := func(w *transformer) { w.TP, w.GlobalBatch, w.Flash = 4, 32, flash }
		w := small(func(w *transformer) {
			change(w)
			w.Traced, w.MeasuredLayout, w.MeasuredBatch = "x", "tp1-pp2-mb2", 16
		})
		w.steps = steps
		got := stepOf(t, w, node(), 8)
		if _, _, want := slower(t, small(change), 8, factors, 1); math.Abs(float64(got-want)) > 1e-5*float64(want) {
			t.Errorf("flash %v: %v, want %v", flash, got, want)
		}
	}
}

// Errors of what was measured name the keys and say why it cannot be scaled.
func TestMeasuredMistakes(t *testing.T) {
	traced := func(s experiments.Steps) func(*transformer) {
		return func(w *transformer) { w.Traced, w.steps = "x", []experiments.Steps{s} }
	}
	strange := experiments.Steps{File: "x", Rank: -1, World: 8, Number: 1}
	strange.Kernels[experiments.Products] = experiments.ClassTime{Count: 1, Time: 1000}
	for want, change := range map[string]func(*transformer){
		"measured_step: is missing: measured_ranks, ":                           func(w *transformer) { w.MeasuredRanks = 8 },
		"measured_ranks: is missing; it is the number of GPUs on which":         func(w *transformer) { w.MeasuredStep = sim.Second },
		"measured_ranks: is missing; the trace does not say on how many":        traced(experiments.Steps{Rank: -1, Number: 1}),
		"measured_step: must be omitted with traced":                            func(w *transformer) { w.Traced, w.MeasuredStep = "x", sim.Second },
		"traced: x does not say how many steps it has":                          traced(experiments.Steps{File: "x", Rank: -1, World: 8}),
		"measured_ranks: must be more than the rank 9 of x, got 8":              traced(experiments.Steps{File: "x", Rank: 9, World: 8, Number: 1}),
		"traced: is not a trace of this model on 8 GPUs as tp1-pp1-mb1: its pr": traced(strange),
		"traced: has no kernels in its steps that this model has":               traced(experiments.Steps{File: "x", Rank: 0, World: 8, Number: 1}),
		"measured_layout: must look like tp8-pp2-mb4": func(w *transformer) {
			w.MeasuredStep, w.MeasuredRanks, w.MeasuredLayout = sim.Second, 8, "dp8"
		},
		"does not fit this model: tp: tp 16 x pp 1 x dp 1 = 16 GPUs": func(w *transformer) {
			w.MeasuredStep, w.MeasuredRanks, w.MeasuredLayout = sim.Second, 8, "tp16-pp1-mb1"
		},
		"measured_step: 1ns is no more than the ": func(w *transformer) { w.MeasuredStep, w.MeasuredRanks = sim.Nanosecond, 8 },
		"ms needs kernels that compute at ":       func(w *transformer) { w.MeasuredStep, w.MeasuredRanks = 2*sim.Millisecond, 8 },
		"s is more than 1000 times the ":          func(w *transformer) { w.MeasuredStep, w.MeasuredRanks = 1_000_000*sim.Second, 8 },
	} {
		err := small(change).CheckGPUs(node(), place(8))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A factor is by how much kernels take longer: those that compute, and those that wait for memory.
func TestScaledKernels(t *testing.T) {
	m := node().GPUs
	for _, w := range []gpus.Work{m.Product(gpus.BF16, 1, 4096, 4096, 4096), m.Move(1e9), m.Product(gpus.BF16, 1, 16, 4096, 4096)} {
		g := &streams.Graph{Ops: []streams.Op{{Kind: product, Blocks: w.Blocks, Work: w.Block, Demand: w.Demand}}}
		b := &builder{machine: m}
		before := b.alone(&g.Ops[0])
		(&scaling{factors: [experiments.NumClasses]float64{1.7, 1, 1, 1}, host: 1}).scale(g)
		if after := b.alone(&g.Ops[0]); math.Abs(after/before-1.7) > 1e-6 {
			t.Errorf("%+v takes %g times as long, want 1.7", w, after/before)
		}
	}
}
