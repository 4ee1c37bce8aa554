package training

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"overlapsim/nodes/gpus/streams"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// One slow GPU makes a step as long as if all GPUs were as slow, where all wait for it: replicas for its gradients, tensor-parallel ranks
// for each of its operations.
func TestSlowGPU(t *testing.T) {
	for _, change := range []func(*transformer){
		func(w *transformer) {},
		func(w *transformer) { w.TP = 2 },
		func(w *transformer) { w.TP, w.SequenceParallel, w.ZeRO = 4, true, 3 },
		func(w *transformer) { w.CP, w.Flash, w.GlobalBatch = 4, true, 8 },
	} {
		w := small(change)
		w.Slow, w.SlowGPU = 1.7, 5
		must.Do(t, w.CheckGPUs(node(), place(8)))
		r := must.Get(w.RunGPUs(node(), place(8)))(t)
		all := small(change)
		b := must.Get(all.builder(node(), place(8)))(t)
		g := must.Get(b.build())(t)
		all.Slow = w.Slow // of the GPU 0, which stands for all
		want := must.Get(streams.Run(all.drawn(b, g, 0, 0)))(t)
		if r.Makespan() != want.Makespan {
			t.Errorf("%+v: %v with a slow GPU, %v with all slow", w, r.Makespan(), want.Makespan)
		}
	}
}

// Jitter keeps the mean of the times of kernels and has the spread that is asked for. The result is the step of median length, and the
// same seed gives the same steps.
func TestJitter(t *testing.T) {
	for _, as := range []string{"normal", exponential} {
		w := small(func(w *transformer) { w.Jitter, w.JitterAs, w.Steps = 0.2, as, 5 })
		var sum, squares float64
		const draws = 20_000
		for i := range draws {
			x := w.drawnAround(w.Jitter, sim.NewStream(7, uint64(i)))
			sum, squares = sum+x, squares+x*x
		}
		if mean, spread := sum/draws, math.Sqrt(squares/draws-sum/draws*sum/draws); math.Abs(mean-1) > 0.01 || math.Abs(spread-0.2) > 0.01 {
			t.Errorf("%s: mean %g, spread %g", as, mean, spread)
		}
		var steps [2][]sim.Time
		for i := range steps {
			r := must.Get(w.RunGPUs(node(), place(8)))(t)
			if steps[i] = r.Steps; len(steps[i]) != 5 || !slices.IsSorted(steps[i]) || r.Makespan() != steps[i][2] || steps[i][0] == steps[i][4] {
				t.Errorf("%s: steps %v, of which %v", as, steps[i], r.Makespan())
			}
		}
		if !slices.Equal(steps[0], steps[1]) {
			t.Errorf("%s: %v, and again %v", as, steps[0], steps[1])
		}
	}
}

// Kernels take the same number of times as long where they have in common what the key names, and not elsewhere: a pass, a micro-batch on
// both stages, a GPU, all.
func TestJitterInCommon(t *testing.T) {
	for _, one := range []struct {
		key    string
		common func(replica, stage, pass int) string
	}{
		{"pass_jitter", func(replica, stage, pass int) string { return fmt.Sprint(replica, stage, pass) }},
		{"micro_batch_jitter", func(replica, _, pass int) string { return fmt.Sprint(replica, pass/2) }},
		{"gpu_jitter", func(replica, stage, _ int) string { return fmt.Sprint(replica, stage) }},
		{"step_jitter", func(int, int, int) string { return "" }},
	} {
		w := small(func(w *transformer) { w.Layers, w.PP, w.GlobalBatch = 4, 2, 16 })
		plain := must.Get(must.Get(w.builder(node(), place(8)))(t).build())(t)
		for _, l := range jitters {
			if l.key == one.key {
				*l.of(w) = 0.2
			}
		}
		b := must.Get(w.builder(node(), place(8)))(t)
		g := must.Get(b.build())(t)
		before := slices.Clone(g.Ops)
		drawn := w.drawn(b, g, 7, 0)
		factors, passes := map[string]float64{}, 0
		for i := range drawn.Ops {
			o := &drawn.Ops[i]
			if o.Blocks == 0 || o.Collective > 0 || b.passOf[i] < 0 {
				continue
			}
			passes++
			got, key := float64(o.Work)/float64(before[i].Work), one.common(int(o.Device)%b.each(), int(o.Device)/b.each(), int(b.passOf[i]))
			if want, ok := factors[key]; ok && math.Abs(got/want-1) > 1e-4 {
				t.Fatalf("%s: %s takes %g times as long, others with that in common %g", one.key, o.Name, got, want)
			}
			factors[key] = got
		}
		different := map[float64]bool{}
		for _, f := range factors {
			different[math.Round(f*1e4)] = true
		}
		if passes == 0 || len(plain.Devices) != 2 || len(different) < len(factors)*9/10 {
			t.Errorf("%s: %d kernels, %d different factors of %d", one.key, passes, len(different), len(factors))
		}
	}
}

// Errors of what is uneven name the keys.
func TestUnevenMistakes(t *testing.T) {
	for want, change := range map[string]func(*transformer){
		"slow: must be 1 to 1000 times, got 0.5":                                            func(w *transformer) { w.Slow = 0.5 },
		"slow_gpu: must be one of the GPUs 0 to 7, got 8":                                   func(w *transformer) { w.Slow, w.SlowGPU = 2, 8 },
		"jitter: must be at most 1, the whole time":                                         func(w *transformer) { w.Jitter = 1.5 },
		"steps: are all equal without jitter and documents":                                 func(w *transformer) { w.Steps = 3 },
		"steps: must be at most 10000, got 20000":                                           func(w *transformer) { w.Jitter, w.Steps = 0.1, 20000 },
		"expert_skew: must be 1 where GPUs are slow":                                        func(w *transformer) { w.Slow, w.Experts, w.EP, w.ExpertSkew = 2, 8, 4, 1.5 },
		"global_batch: slow, jitter, jobs or a fabric: all 8 GPUs are simulated, and they ": func(w *transformer) { w.Slow, w.GlobalBatch = 2, 80_000_000 },
	} {
		err := small(change).CheckGPUs(node(), place(8))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// The ends of documents of exponential lengths are a Poisson process. Therefore attention within them is a part of the
// attention within whole sequences that has a closed form.
func TestPackedDocuments(t *testing.T) {
	for _, tokens := range []int64{8, 64, 512, 1024} {
		w := small(func(w *transformer) { w.Documents, w.MicroBatch = tokens, 2 })
		const draws = 4000
		sum, squares := 0.0, 0.0
		for i := range draws {
			part := w.packed(3, 0, i%7, i/7)
			sum, squares = sum+part, squares+part*part
		}
		mean := sum / draws
		want, noise := withinDocuments(float64(w.Sequence)/float64(tokens)), math.Sqrt((squares/draws-mean*mean)/draws)
		if math.Abs(mean-want) > 4*noise {
			t.Errorf("documents of %d tokens: %.4f of the arithmetic, want %.4f within %.4f", tokens, mean, want, noise)
		}
	}
}

// Documents make replicas unequal: the step waits for the slowest. Tensor-parallel ranks and stages of a replica have the same documents.
// Shorter documents than sequences make a step shorter.
func TestDocuments(t *testing.T) {
	change := func(w *transformer) {
		w.Flash, w.TP, w.PP, w.Sequence, w.GlobalBatch = true, 2, 2, 8192, 8
	}
	whole := stepOf(t, small(change), node(), 8)
	w := small(func(w *transformer) { change(w); w.Documents, w.Steps = 2048, 7 })
	r := must.Get(w.RunGPUs(node(), place(8)))(t)
	if !slices.IsSorted(r.Steps) || len(r.Steps) != 7 || r.Steps[0] == r.Steps[6] || r.Makespan() != r.Steps[3] || r.Makespan() >= whole {
		t.Errorf("steps %v, the median %v, with whole sequences %v", r.Steps, r.Makespan(), whole)
	}
	for gpu := 0; gpu < 8; gpu += 2 {
		if r.Ledgers[gpu][attend] != r.Ledgers[gpu+1][attend] {
			t.Errorf("the tensor-parallel ranks %d and %d differ in attention", gpu, gpu+1)
		}
	}
	if r.Ledgers[0][attend] == r.Ledgers[2][attend] || r.Ledgers[0][attend] != r.Ledgers[4][attend] {
		t.Error("replicas have the same documents, or stages of a replica have other ones")
	}
}

// Layers that are given to stages as they would be dealt change nothing; a longer last stage makes the step longer by what it has more,
// for every micro-batch.
func TestStageLayers(t *testing.T) {
	change := func(w *transformer) { w.Layers, w.PP, w.GlobalBatch = 8, 4, 64 }
	even := stepOf(t, small(change), node(), 4)
	if got := stepOf(t, small(func(w *transformer) { change(w); w.StageLayers = "2, 2,2,2" }), node(), 4); got != even {
		t.Errorf("%v, dealt evenly %v", got, even)
	}
	got := stepOf(t, small(func(w *transformer) { change(w); w.StageLayers = "2,2,1,3" }), node(), 4)
	if ratio := float64(got) / float64(even); ratio < 1.2 || ratio > 1.5 {
		t.Errorf("with a longer last stage %.3f times as long", ratio)
	}
	for text, want := range map[string]string{"2,2,4": "must be of pp x chunks = 4, got 3 numbers", "2,2,2,3": "must sum up to the 8 layers, got 9",
		"2,2,4,0": "must be numbers from 1 on", "a": "must be numbers from 1 on"} {
		err := small(func(w *transformer) { change(w); w.StageLayers = text }).CheckGPUs(node(), place(4))
		if err == nil || !strings.Contains(err.Error(), "stage_layers: "+want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
