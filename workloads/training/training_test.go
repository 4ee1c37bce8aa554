package training

import (
	"errors"
	"math"
	"strings"
	"testing"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
	"overlapsim/sim/must"
	"overlapsim/workloads/experiments"
)

// node is a machine of nodes of 8 GPUs at a switch, with round numbers.
func node() *machines.Machine {
	g := &gpus.Machine{GPU: gpus.GPU{Title: "round", Generation: gpus.Ampere, SMs: 108, Memory: 80e9, Bandwidth: 2e12}}
	g.GPU.Peak[gpus.FP16], g.GPU.Peak[gpus.BF16] = 312e12, 312e12
	g.Node = gpus.Node{GPUs: 8, Domain: 8, Switch: &gpus.Switch{Bandwidth: 300e9, Links: 12}}
	for i := range 8 {
		g.Node.NICs = append(g.Node.NICs, gpus.NIC{GPU: i, Rail: i, Bandwidth: 25e9})
	}
	g.Fit = gpus.Calibration{Start: 10 * sim.Microsecond, Step: 4 * sim.Microsecond, Ring: 236e9, Channels: 24, Low: 1,
		Network: 0.965, Far: 1.6}
	g.Kernels = gpus.Rates{Products: 0.8, Moves: 0.9, Start: 3 * sim.Microsecond, Launch: 5 * sim.Microsecond, Join: 10 * sim.Microsecond}
	return &machines.Machine{Name: "round", GPUs: g}
}

// small is a transformer with default keys and few layers.
func small(change func(*transformer)) *transformer {
	w := &transformer{Layers: 4, Hidden: 1024, Heads: 16, Sequence: 1024, Vocabulary: 1024, ScoreBytes: 6, Precision: "bf16", Recompute: "none", TP: 1, PP: 1,
		MicroBatch: 1, Schedule: "1f1b", Chunks: 1, GradientBytes: 2, Prefetch: 1, TopK: 2, CP: 1, EP: 1, ContextBy: "ring",
		Dispatcher: "all-to-all", DispatchSMs: 24, ExpertSkew: 1, Slow: 1, Jobs: 1, Steps: 1}
	change(w)
	return w
}

func place(ranks int) experiments.Place { return experiments.Place{Ranks: ranks, PerNode: 8} }

func stepOf(t *testing.T, w *transformer, m *machines.Machine, ranks int) sim.Time {
	t.Helper()
	must.Do(t, w.CheckGPUs(m, place(ranks)))
	r := must.Get(w.RunGPUs(m, place(ranks)))(t)
	for i, phases := range r.Ledgers {
		var sum sim.Time
		for k := range phases {
			sum += phases[k].Sum()
		}
		if sum != r.Finish[i] {
			t.Fatalf("the ledger of GPU %d has %v of %v", i, sum, r.Finish[i])
		}
	}
	return r.Makespan()
}

// GPT-3 has 175 billion parameters, Llama 3.1 405 billion.
func TestParameters(t *testing.T) {
	gpt3 := model{layers: 96, hidden: 12288, heads: 96, groups: 96, ffn: 4 * 12288, vocabulary: 51200, sequence: 2048}
	llama := model{layers: 126, hidden: 16384, heads: 128, groups: 8, ffn: 53248, vocabulary: 128256, sequence: 8192, gated: true}
	for want, m := range map[float64]*model{175e9: &gpt3, 405e9: &llama} {
		if got := m.parameters(); math.Abs(got/want-1) > 0.01 {
			t.Errorf("%.4g parameters, want %.4g", got, want)
		}
	}
}

// A schedule does each pass once, each backward pass after its forward pass; 1F1B keeps one micro-batch for each
// stage from its own on.
func TestSchedules(t *testing.T) {
	for _, s := range schedules {
		if s.mirrored {
			continue // TestDualPipe
		}
		for stages := 2; stages <= 4; stages++ {
			for stage := range stages {
				chunks, micros := 1, 2*stages
				if s.chunked {
					chunks = 3
				}
				seen, now, most := map[task]bool{}, 0, 0
				for _, x := range s.order(stage, stages, micros, chunks) {
					if seen[x] || x.back && !seen[task{micro: x.micro, chunk: x.chunk}] ||
						x.weights && !seen[task{micro: x.micro, chunk: x.chunk, back: true}] {
						t.Fatalf("%s: stage %d does %+v twice, or too early", s.name, stage, x)
					}
					seen[x] = true
					switch {
					case x.weights || x.back && !s.split:
						now--
					case !x.back:
						now++
					}
					most = max(most, now)
				}
				passes := 2
				if s.split {
					passes = 3
				}
				if len(seen) != passes*micros*chunks {
					t.Errorf("%s: %d passes of %d", s.name, len(seen), passes*micros*chunks)
				}
				if s.split && most > stages {
					t.Errorf("%s: stage %d of %d keeps %d micro-batches", s.name, stage, stages, most)
				}
				if s.name == "1f1b" && most != stages-stage {
					t.Errorf("stage %d of %d keeps %d micro-batches", stage, stages, most)
				}
			}
		}
	}
}

// Each schedule ends with each number of stages and micro-batches that it takes, with messages inside a node and between nodes.
func TestSchedulesEnd(t *testing.T) {
	for stages := int64(2); stages <= 16; stages++ {
		for _, s := range schedules {
			for _, micros := range []int64{1, stages, 2*stages + 2} {
				w := small(func(w *transformer) {
					w.Layers, w.PP, w.GlobalBatch, w.Schedule, w.Sequence = stages, stages, micros, s.name, 128
					if s.chunked {
						w.Chunks, w.Layers = 3, 3*stages
					}
				})
				if err := w.CheckGPUs(node(), place(int(stages))); err != nil && (s.mirrored || s.chunked) {
					continue // they need other numbers
				}
				if _, err := w.RunGPUs(node(), place(int(stages))); err != nil {
					t.Errorf("%s, %d stages, %d micro-batches: %v", s.name, stages, micros, err)
				}
			}
		}
	}
}

// A schedule ends also where each pass launches more than a host may be ahead of a stream: sends wait for receives that come after such a pass.
func TestDeepSchedulesEnd(t *testing.T) {
	for _, s := range schedules {
		w := small(func(w *transformer) {
			w.Layers, w.PP, w.GlobalBatch, w.Schedule, w.Sequence = 2*launchesAhead/5, 2, 4, s.name, 128
			if s.chunked {
				w.Chunks = 2
			}
		})
		if _, err := w.RunGPUs(node(), place(2)); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
}

// Without hosts, messages and ends of the model a pipeline takes (m + (p - 1)/v) / m times as long as
// its micro-batches.
func TestBubble(t *testing.T) {
	m := node()
	m.GPUs.Kernels.Launch, m.GPUs.Kernels.Join = 0, 0
	m.GPUs.Fit.Start, m.GPUs.Fit.Ring, m.GPUs.Fit.Step = 0, 1e15, 0
	alone := stepOf(t, small(func(w *transformer) { w.Layers, w.Vocabulary, w.GlobalBatch = 8, 2, 8 }), m, 1).Seconds()
	for schedule, chunks := range map[string]int64{"gpipe": 1, "1f1b": 1, "interleaved": 2} {
		w := small(func(w *transformer) {
			w.Layers, w.Vocabulary, w.GlobalBatch, w.PP, w.Schedule, w.Chunks = 8, 2, 8, 4, schedule, chunks
		})
		got := stepOf(t, w, m, 4).Seconds()
		want := alone / 4 * (8 + 3/float64(chunks)) / 8
		if math.Abs(got/want-1) > 0.03 {
			t.Errorf("%s: %.4g s, want %.4g", schedule, got, want)
		}
	}
}

// With gradients of weights in their own passes, the bubble of p stages is p - 1 times the forward and the
// backward pass without the weights (ZB-H1, table 2).
func TestZeroBubble(t *testing.T) {
	m := node()
	m.GPUs.Kernels.Launch, m.GPUs.Kernels.Join = 0, 0
	m.GPUs.Fit.Start, m.GPUs.Fit.Ring, m.GPUs.Fit.Step = 0, 1e15, 0
	step := func(schedule string) float64 {
		return stepOf(t, small(func(w *transformer) {
			w.Layers, w.Vocabulary, w.GlobalBatch, w.PP, w.Schedule, w.MicroBatch = 8, 2, 32, 4, schedule, 2
		}), m, 4).Seconds()
	}
	b := must.Get(small(func(w *transformer) {
		w.Layers, w.Vocabulary, w.GlobalBatch, w.PP, w.Schedule, w.MicroBatch = 8, 2, 32, 4, "zero-bubble", 2
	}).builder(m, place(4)))(t)
	b.write()
	forward, inputs, weights := b.slower(b.layer), b.slower(b.back), b.slower(b.weightsBack)
	all := forward + inputs + weights
	want := (16 + 3*(forward+inputs-weights)/all) / (16 + 3)
	if got := step("zero-bubble") / step("1f1b"); math.Abs(got/want-1) > 0.02 || want > 0.97 {
		t.Errorf("zero-bubble takes %.4f of 1f1b, want %.4f", got, want)
	}
}

// One GPU of each stage stands for all: simulating all gives the same times, to the bit.
func TestFolded(t *testing.T) {
	for _, w := range []*transformer{
		small(func(w *transformer) { w.TP, w.PP, w.GlobalBatch, w.Recompute = 2, 2, 8, "full" }),
		small(func(w *transformer) { w.TP, w.SequenceParallel, w.GlobalBatch, w.Bucket = 2, true, 8, 4<<20 }),
		small(func(w *transformer) {
			w.PP, w.Chunks, w.Schedule, w.GlobalBatch, w.ZeRO = 2, 2, "interleaved", 32, 1
		}),
		small(func(w *transformer) {
			w.TP, w.SequenceParallel, w.GlobalBatch, w.ZeRO, w.AsyncTP = 2, true, 16, 3, true
		}),
		small(func(w *transformer) { w.GlobalBatch, w.ZeRO, w.Bucket = 32, 2, 8<<20 }),
		small(func(w *transformer) { w.TP, w.PP, w.GlobalBatch, w.Schedule, w.Bucket = 2, 4, 16, "zero-bubble", 4<<20 }),
		small(func(w *transformer) { w.TP, w.PP, w.GlobalBatch, w.ZeRO, w.Prefetch = 2, 2, 16, 3, 0 }),
		small(func(w *transformer) { w.TP, w.PP, w.GlobalBatch, w.Schedule, w.Bucket = 2, 4, 16, "dualpipe", 4<<20 }),
		small(func(w *transformer) { w.PP, w.GlobalBatch, w.Schedule, w.Tied = 4, 64, "dualpipe", true }),
		small(func(w *transformer) { w.PP, w.GlobalBatch, w.Tied, w.Bucket = 4, 64, true, 1<<20 }),
		small(func(w *transformer) { w.PP, w.GlobalBatch, w.Schedule, w.ZeRO = 4, 64, "dualpipe", 1 }),
		small(func(w *transformer) { w.Layers, w.EndsCount, w.PP, w.GlobalBatch, w.ZeRO = 6, true, 4, 16, 3 }),
		small(func(w *transformer) {
			w.Layers, w.EndsCount, w.PP, w.Chunks, w.Schedule, w.GlobalBatch, w.Bucket = 6, true, 2, 2, "interleaved", 32, 4<<20
		}),
		small(func(w *transformer) {
			w.Layers, w.EndsCount, w.PP, w.GlobalBatch, w.Schedule = 6, true, 4, 64, "dualpipe"
		}),
	} {
		folds(t, w, node(), 16)
	}
}

// Without a pipeline the closed form is close: it knows all kernels, and no tails of buckets.
func TestClosedForm(t *testing.T) {
	for _, tp := range []int64{1, 2, 8} {
		w := small(func(w *transformer) { w.TP, w.GlobalBatch, w.MicroBatch, w.Layers = tp, 16, 2, 8 })
		b := must.Get(w.builder(node(), place(8)))(t)
		want := must.Get(closed(b.model, b.plan, b.machine))(t)
		if got := stepOf(t, w, node(), 8).Seconds(); math.Abs(got/want-1) > 0.03 {
			t.Errorf("tp %d: %.4g s, the closed form has %.4g", tp, got, want)
		}
	}
}

// Buckets hide gradients; many small ones hide less.
func TestBuckets(t *testing.T) {
	at := func(bucket int64) sim.Time {
		return stepOf(t, small(func(w *transformer) { w.Layers, w.Hidden, w.GlobalBatch, w.Bucket = 12, 2048, 64, bucket }), node(), 64)
	}
	if all, some, small := at(0), at(100<<20), at(1<<20); some >= all || small <= some {
		t.Errorf("all at the end %v, buckets of 100 MiB %v, of 1 MiB %v", all, some, small)
	}
}

// Errors name the numbers.
func TestMistakes(t *testing.T) {
	for want, w := range map[string]*transformer{
		"tp: tp 2 x pp 3 x dp 1 = 6 GPUs, and the run has 8 ranks": small(func(w *transformer) { w.TP, w.PP, w.Layers = 2, 3, 6 }),
		"layers: 4 is not a multiple of pp x chunks = 8":           small(func(w *transformer) { w.PP = 8 }),
		"sequence: 8193 is not a multiple of tp x cp = 4":          small(func(w *transformer) { w.TP, w.Sequence, w.SequenceParallel = 4, 8193, true }),
		"heads: 12 is not a multiple of tp = 8":                    small(func(w *transformer) { w.TP, w.Heads, w.Hidden = 8, 12, 1200 }),
		"global_batch: 20 is not a multiple of dp x micro_batch = 8": small(func(w *transformer) {
			w.GlobalBatch = 20
		}),
		`schedule: "zb-h2" is not known; use one of gpipe, 1f1b, zero-bubble, interleaved, dualpipe`: small(
			func(w *transformer) { w.Schedule = "zb-h2" }),
		"schedule: dualpipe needs an even number of stages and of micro-batches": small(func(w *transformer) { w.Schedule = "dualpipe" }),
		"zero: must be 0 to 3, got 4":                                            small(func(w *transformer) { w.ZeRO = 4 }),
		"bucket: must be 0B with zero 3":                                         small(func(w *transformer) { w.ZeRO, w.Bucket = 3, 1 }),
		"prefetch: must be at most the 4 layers":                                 small(func(w *transformer) { w.Prefetch = 5 }),
		"async_tp: needs tp of 2 or more, and sequence":                          small(func(w *transformer) { w.AsyncTP = true }),
		"layers: 6 is not a multiple of pp x chunks, with both ends, = 8": small(func(w *transformer) {
			w.Layers, w.PP, w.EndsCount = 4, 8, true
		}),
		"chunks: must be 1 with schedule 1f1b":               small(func(w *transformer) { w.Chunks = 2 }),
		"precision: the speed of fp8 is not known for round": small(func(w *transformer) { w.Precision = "fp8" }),
		"zero: stage 0 is out of memory: parameters":         small(func(w *transformer) { w.Hidden, w.Layers = 16384, 96 }),
		"tp: stage 0 is out of memory: parameters": small(func(w *transformer) {
			w.Hidden, w.Layers, w.TP, w.ZeRO, w.DP = 65536, 96, 4, 3, 2
		}),
		"micro_batch: stage 0 is out of memory: parameters": small(func(w *transformer) { w.MicroBatch, w.GlobalBatch = 4096, 0 }),
	} {
		if err := w.CheckGPUs(node(), place(8)); err == nil || !strings.Contains(errors.Join(err).Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// The parts of streams add up to the step. The time that a stage of a pipeline of equal stages waits for others, or
// for the end, is the share of the closed form.
func TestStreamsOfAStep(t *testing.T) {
	w := small(func(w *transformer) { w.PP, w.GlobalBatch, w.Layers, w.Schedule = 4, 8, 16, "gpipe" })
	r := must.Get(w.RunGPUs(node(), place(4)))(t)
	bubbles := 0
	for _, s := range r.Streams {
		var sum, waits sim.Time
		for _, p := range s.Parts {
			sum += p.Time
			switch p.Name {
			case bubble, "skew", "event_wait", "idle":
				waits += p.Time
			}
		}
		if sum != r.Makespan() {
			t.Errorf("stream %s of GPU %d has %v of %v", s.Name, s.GPU, sum, r.Makespan())
		}
		if s.Name != streamNames[computeStream] {
			continue
		}
		bubbles++
		if share, want := waits.Seconds()/r.Makespan().Seconds(), 3.0/(8+3); math.Abs(share-want) > 0.08 {
			t.Errorf("GPU %d waits %.3f of the step for others, a pipeline of 4 stages %.3f", s.GPU, share, want)
		}
	}
	if bubbles != 4 {
		t.Errorf("%d compute streams, want 4", bubbles)
	}
}
