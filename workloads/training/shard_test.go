package training

import (
	"math"
	"testing"

	"overlapsim/nodes/gpus"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// sharded is a model of 12 layers of 2048 on 8 GPUs with ZeRO 3.
func sharded(change func(*transformer)) *transformer {
	return small(func(w *transformer) {
		w.Layers, w.Hidden, w.MicroBatch, w.ZeRO = 12, 2048, 4, 3
		change(w)
	})
}

// With ZeRO 3 a GPU sends (n-1)/n of each layer twice, except for the last one, which is still there for the backward
// pass; of its gradients once; of each table of words once each way. With ZeRO 2 gradients are sent in each pass, and
// parameters once.
func TestShardedBytes(t *testing.T) {
	for _, c := range []struct {
		zero, micros int64
		tied         bool
	}{{3, 1, false}, {3, 3, false}, {2, 3, false}, {1, 3, false}, {0, 3, false}, {3, 1, true}, {3, 3, true}, {2, 3, true}, {1, 3, true}, {0, 3, true}} {
		w := sharded(func(w *transformer) { w.ZeRO, w.GlobalBatch, w.Tied = c.zero, 8*4*c.micros, c.tied })
		b := must.Get(w.builder(node(), place(8)))(t)
		must.Get(b.build())(t)
		layer, words, passes := b.model.layer(), 2*b.model.embedding(), float64(c.micros)
		if c.tied {
			words /= 2
		}
		gathered, summed := 2*(passes*23*layer+words), 2*passes*(12*layer+words)
		if c.zero < 3 {
			gathered = 2 * (12*layer + words)
		}
		if c.zero < 2 {
			summed = 2 * (12*layer + words)
		}
		want := 7.0 / 8 * 8 * (gathered + summed) // an all-reduce sends as much as both
		if got := float64(b.bytes()); math.Abs(got/want-1) > 1e-6 {
			t.Errorf("zero %d, %d micro-batches, tied %t: %.0f bytes, want %.0f", c.zero, c.micros, c.tied, got, want)
		}
	}
}

// The ends of a pipeline sum up the gradients of their tables of words with their replicas. If the table is tied, they also sum them up
// with the other end, unless GPUs have both ends (dualpipe, where the mirrored stage sums up anyway): these have one table, not two.
func TestBytesOfTables(t *testing.T) {
	sent := func(schedule string, tied bool) (bytes, parameters float64) {
		w := small(func(w *transformer) {
			w.PP, w.GlobalBatch, w.Schedule, w.Vocabulary, w.Tied = 4, 16, schedule, 32768, tied
		})
		b := must.Get(w.builder(node(), place(8)))(t)
		must.Get(b.build())(t)
		b.stage = 0
		return float64(b.bytes()), b.ownParameters()
	}
	const words = 32768 * 1024
	for schedule, want := range map[string]struct{ bytes, parameters float64 }{
		"1f1b":     {2 * words * 4, 0},                // 2 bytes a gradient, by 4 GPUs
		"dualpipe": {-2 * 3.0 / 2 * words * 4, words}, // an all-reduce of 4 sends 3/2 of its bytes
	} {
		tied, small := sent(schedule, true)
		untied, large := sent(schedule, false)
		if tied-untied != want.bytes || large-small != want.parameters {
			t.Errorf("%s: a tied table sends %.0f more, want %.0f, and has %.0f parameters fewer, want %.0f", schedule, tied-untied, want.bytes,
				large-small, want.parameters)
		}
	}
}

// Parameters gathered ahead are hidden as long as computation lasts; the rest is exposed.
func TestPrefetch(t *testing.T) {
	at := func(prefetch int64, m float64) sim.Time {
		machine := node()
		machine.GPUs.Fit.Ring *= m
		return stepOf(t, sharded(func(w *transformer) { w.Prefetch = prefetch }), machine, 8)
	}
	none, one, two := at(0, 1), at(1, 1), at(2, 1)
	if fast := at(1, 1e6); one >= none || two > one+one/100 || one < fast {
		t.Errorf("ahead 0: %v, 1: %v, 2: %v, on fast links %v", none, one, two, fast)
	}
	c := must.Get((&gpus.Communicator{Machine: node().GPUs, Members: upTo(8)}).Time(gpus.AllGather, int64(2*12*2048*2048)))(t)
	if saved := none - one; saved < 20*c.Total() {
		t.Errorf("ahead saves %v; 22 of 23 all-gathers take %v each", saved, c.Total())
	}
}

// Pieces hide a part of tensor-parallel communication, and no more than there is.
func TestPieces(t *testing.T) {
	at := func(async bool, m float64) sim.Time {
		machine := node()
		machine.GPUs.Fit.Ring *= m
		return stepOf(t, small(func(w *transformer) {
			w.Hidden, w.MicroBatch, w.TP, w.SequenceParallel, w.AsyncTP = 4096, 8, 8, true, async
		}), machine, 8)
	}
	in, whole, fast := at(true, 1), at(false, 1), at(false, 1e6)
	if in >= whole || in <= fast {
		t.Errorf("in pieces %v, whole %v, on fast links %v", in, whole, fast)
	}
}

// Split data need less memory: all of parameters, gradients and the optimizer's state is divided by the replicas,
// except what is on its way.
func TestShardedMemory(t *testing.T) {
	need := func(zero int64) need {
		b := must.Get(sharded(func(w *transformer) { w.ZeRO = zero }).builder(node(), place(8)))(t)
		return b.needOf(0)
	}
	none, one, two, three := need(0), need(1), need(2), need(3)
	if one.optimizer*8 != none.optimizer || two.gradients > none.gradients/4 || three.parameters > none.parameters/3 ||
		three.activations != none.activations {
		t.Errorf("zero 0: %v\n1: %v\n2: %v\n3: %v", &none, &one, &two, &three)
	}
}

// Peak memory of PyTorch in torchtitan, in GiB (benchmarks/llama3_h100_202412_torchtitan.md, llama3-8b_h200_202506; the row of one
// sequence: pytorch/torchtitan#996). Nothing is fitted. Rows without compilation lack 4 to 7 %, compiled rows of 2024 a quarter to a
// half, as if their loss were not compiled; the row of 2025 has 5 % less than is said.
func TestMemoryOfTorchtitan(t *testing.T) {
	m := node()
	m.GPUs.GPU.Memory = 1e12
	for _, c := range []struct {
		gpus, tp, cp, micro, sequence int64
		recompute                     string
		scores                        int64
		seventy                       bool
		measured, said                float64
	}{
		{8, 1, 1, 1, 8192, "alternate", 14, false, 49.58, 47.8},
		{8, 1, 1, 2, 8192, "alternate", 14, false, 82.4, 77.0},
		{128, 1, 1, 2, 8192, "alternate", 14, false, 67.0, 63.0},
		{8, 1, 1, 2, 8192, "alternate", 6, false, 77.0, 61.3},
		{128, 1, 1, 2, 8192, "alternate", 6, false, 62.0, 47.3},
		{32, 1, 1, 2, 8192, "alternate", 6, false, 47.96, 50.1},
		{8, 1, 1, 1, 32768, "full", 6, false, 83.9, 50.0},
		{8, 1, 8, 1, 262144, "full", 6, false, 84.5, 50.0},
		{256, 8, 1, 16, 8192, "full", 6, true, 71.9, 37.1},
	} {
		w := small(func(w *transformer) {
			w.Layers, w.Hidden, w.Heads, w.KVHeads, w.FFN, w.Gated, w.Flash, w.Vocabulary = 32, 4096, 32, 8, 14336, true, true, 128256
			if c.seventy {
				w.Layers, w.Hidden, w.Heads, w.FFN = 80, 8192, 64, 28672
			}
			w.ZeRO, w.GradientBytes, w.Recompute, w.ScoreBytes = 3, 4, c.recompute, c.scores
			w.TP, w.CP, w.MicroBatch, w.Sequence, w.SequenceParallel = c.tp, c.cp, c.micro, c.sequence, c.tp > 1
		})
		b := must.Get(w.builder(m, place(int(c.gpus))))(t)
		_, n := b.needs()
		got := n.sum() / (1 << 30)
		if math.Abs(got-c.said) > 0.05 {
			t.Errorf("%d GPUs, %d x %d tokens, %s: %.1f GiB, want %.1f; measured %.1f (%+.0f %%); %v", c.gpus, c.micro, c.sequence, c.recompute, got, c.said,
				c.measured, 100*(got/c.measured-1), &n)
		}
	}
}

// A layer of GPT keeps 34 s b h bytes (Korthikanti et al., section 4.1); queries, keys, values and a gated network count with their widths.
func TestActivationsOfALayer(t *testing.T) {
	for name, c := range map[string]struct {
		change func(w *transformer)
		want   float64 // of a token
	}{
		"GPT": {func(w *transformer) {}, 34 * 2048},
		"gated, 8 of 16 heads have keys": {func(w *transformer) { w.Gated, w.FFN, w.KVHeads = true, 5632, 8 },
			10*2048 + 2*(2048+2*1024+2048) + 2*(2*5632+5632)},
		"in two parts": {func(w *transformer) { w.Gated, w.FFN, w.TP = true, 5632, 2 }, 10*2048 + (2*4*2048+2*3*5632)/2},
	} {
		b := must.Get(small(func(w *transformer) {
			w.Hidden, w.Heads, w.Flash, w.MicroBatch = 2048, 16, true, 1
			c.change(w)
		}).builder(node(), place(8)))(t)
		if got := b.activations(false) / b.tokens(); got != c.want {
			t.Errorf("%s: %g bytes of a token, want %g", name, got, c.want)
		}
	}
}

// With the batch first, tensors gathered or scattered along the sequence are read and written once more, as a whole
// by each rank; with one sequence nothing is.
func TestShuffle(t *testing.T) {
	at := func(micro int64, batchFirst bool) sim.Time {
		m := node()
		m.GPUs.Kernels.Start, m.GPUs.Kernels.Launch, m.GPUs.Kernels.Join = 0, 0, 0
		return stepOf(t, small(func(w *transformer) {
			w.TP, w.SequenceParallel, w.MicroBatch, w.BatchFirst = 8, true, micro, batchFirst
		}), m, 8)
	}
	if a, b := at(1, false), at(1, true); a != b {
		t.Errorf("one sequence takes %v, with the batch first %v", a, b)
	}
	const operations = 4*8 + 3 // of 4 layers, the words, the end of the model and its backward pass
	want := operations * 2 * 2 * 4 * 1024 * 1024 / node().GPUs.Memory()
	if got := (at(4, true) - at(4, false)).Seconds(); math.Abs(got/want-1) > 0.01 {
		t.Errorf("the batch first takes %.4g ms more, want %.4g", got*1e3, want*1e3)
	}
}
