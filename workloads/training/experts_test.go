package training

import (
	"math"
	"slices"
	"strings"
	"testing"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
	"overlapsim/sim/must"
	"overlapsim/workloads/experiments"
)

// exchanging is the machine of the tests, with rates of exchanges.
func exchanging() *machines.Machine {
	m := node()
	m.GPUs.Exchanges = gpus.Exchanges{Links: 0.8, Network: 0.9, Start: 40 * sim.Microsecond, Direct: 30 * sim.Microsecond}
	return m
}

// mixed is a transformer with 32 experts.
func mixed(change func(*transformer)) *transformer {
	return small(func(w *transformer) {
		w.Experts, w.ExpertFFN, w.Flash, w.EP = 32, 512, true, 8
		change(w)
	})
}

// Qwen3-30B-A3B has 30.5 billion parameters, of which 3.3 billion are used for a token.
func TestParametersOfExperts(t *testing.T) {
	m := model{layers: 48, hidden: 2048, heads: 32, groups: 4, headSize: 128, vocabulary: 151936, sequence: 4096, gated: true,
		moe: mixture{experts: 128, topK: 8, width: 768}}
	if got := m.parameters(); math.Abs(got/30.5e9-1) > 0.01 {
		t.Errorf("%.4g parameters, want 30.5e9", got)
	}
	if got := m.layers*m.active() + 2*m.embedding(); math.Abs(got/3.3e9-1) > 0.03 {
		t.Errorf("%.4g parameters of a token, want 3.3e9", got)
	}
}

// One GPU of each stage stands for all with experts and split sequences, too: simulating all gives the same times, to the bit.
func TestFoldedWithExpertsAndContext(t *testing.T) {
	for _, w := range []*transformer{
		mixed(func(w *transformer) { w.GlobalBatch = 32 }),
		mixed(func(w *transformer) { w.GlobalBatch, w.EP, w.Bucket, w.ZeRO = 32, 16, 4<<20, 1 }),
		mixed(func(w *transformer) { w.GlobalBatch, w.TP, w.SequenceParallel, w.PP, w.EP = 16, 2, true, 2, 4 }),
		mixed(func(w *transformer) { w.GlobalBatch, w.Dispatcher, w.EPOverlap, w.EP = 64, "two-stage", true, 16 }),
		mixed(func(w *transformer) {
			w.GlobalBatch, w.HostCounts, w.EPOverlap, w.EP, w.Bucket = 64, true, true, 4, 4<<20
		}),
		mixed(func(w *transformer) {
			w.GlobalBatch, w.Dispatcher, w.CP, w.Recompute, w.PP = 16, "direct", 2, "full", 2
		}),
		mixed(func(w *transformer) { w.GlobalBatch, w.EP, w.ZeRO, w.SharedFFN = 32, 4, 3, 256 }),
		mixed(func(w *transformer) { w.GlobalBatch, w.EP, w.ZeRO, w.Prefetch, w.ExpertSkew = 32, 16, 3, 2, 1.5 }),
		mixed(func(w *transformer) {
			w.GlobalBatch, w.TP, w.SequenceParallel, w.PP, w.EP, w.ZeRO, w.SharedFFN = 16, 2, true, 2, 4, 3, 512
		}),
		small(func(w *transformer) { w.GlobalBatch, w.CP, w.Flash, w.TP = 16, 4, true, 2 }),
		small(func(w *transformer) { w.GlobalBatch, w.CP, w.ContextBy, w.ZeRO = 16, 8, "all-to-all", 3 }),
		small(func(w *transformer) { w.GlobalBatch, w.CP, w.Flash, w.PP = 16, 4, true, 2 }),
		small(func(w *transformer) {
			w.GlobalBatch, w.CP, w.Flash, w.TP, w.ContextBy = 16, 4, true, 2, "all-gather-repeated"
		}),
		small(func(w *transformer) { w.GlobalBatch, w.CP, w.Flash, w.ZeRO, w.ContextBy = 16, 8, true, 3, "all-gather" }),
	} {
		folds(t, w, exchanging(), 16)
	}
}

// Without hosts a step with experts is its kernels plus its exchanges: four per layer, each with the time of its
// formula.
func TestExchangesAreExposedWithoutOverlap(t *testing.T) {
	m := exchanging()
	m.GPUs.Kernels.Launch, m.GPUs.Kernels.Join = 0, 0
	for _, dispatcher := range []string{"two-stage", "direct", "all-to-all"} {
		w := mixed(func(w *transformer) { w.Dispatcher = dispatcher })
		b := must.Get(w.builder(m, place(8)))(t)
		b.write()
		var want sim.Time
		for _, s := range append(slices.Clone(b.layer), b.back...) {
			if s.kind == expertComm {
				want += b.costOf(&s).Total() * sim.Time(w.Layers)
			}
		}
		r := must.Get(w.RunGPUs(m, place(8)))(t)
		ledger := r.Ledgers[0][expertComm]
		if got := ledger.Sum(); got != want || want == 0 {
			t.Errorf("%s: %v exposed, want %v", dispatcher, got, want)
		}
	}
}

// If hosts launch in no time, gathering the numbers of tokens adds only its own time for each layer. If launches take
// time, the GPU also waits for the next kernels, because the host cannot launch ahead.
func TestHostsThatLearnHowManyTokensCome(t *testing.T) {
	step := func(counts bool, launch sim.Time) sim.Time {
		m := exchanging()
		m.GPUs.Kernels.Launch, m.GPUs.Kernels.Join = launch, launch
		return stepOf(t, mixed(func(w *transformer) { w.GlobalBatch, w.HostCounts = 16, counts }), m, 8)
	}
	routing := must.Get(gpus.First(exchanging().GPUs, 8, 8).Time(gpus.AllGather, 1024*32*8))(t)
	want := routing.Total() * 4 * 2 // layers, micro-batches
	if got := step(true, 0) - step(false, 0); got != want {
		t.Errorf("%v longer, want %v", got, want)
	}
	if got := step(true, 10*sim.Microsecond) - step(false, 10*sim.Microsecond); got <= want {
		t.Errorf("%v longer with hosts that take time, without %v", got, want)
	}
}

// A shared expert is a feed-forward network on every GPU that all tokens go through, next to their own experts.
func TestSharedExperts(t *testing.T) {
	of := func(change func(*transformer)) (*builder, *gpus.Machine) {
		m := exchanging()
		b := must.Get(mixed(change).builder(m, place(8)))(t)
		b.write()
		return b, m.GPUs
	}
	without, _ := of(func(*transformer) {})
	with, m := of(func(w *transformer) { w.SharedFFN = 2048 })
	for _, more := range []float64{with.dense() - without.dense(), with.active() - without.active(),
		with.layerParameters() - without.layerParameters()} {
		if want := 2 * 1024 * 2048.0; more != want {
			t.Errorf("%g parameters more, want %g", more, want)
		}
	}
	work := func(steps []step) (sum float64) {
		for i := range steps {
			if steps[i].op == nil {
				sum += m.Alone(steps[i].work)
			}
		}
		return sum
	}
	plain := must.Get(small(func(w *transformer) { w.FFN, w.Flash = 2048, true }).builder(exchanging(), place(8)))(t)
	p := &pass{model: &plain.model, machine: m, spread: &plain.plan, tp: 1, tokens: 1024, micro: 1}
	for i, write := range []func(){func() { p.feedForward(2048) }, func() { p.feedBack(2048) }} {
		want := work(p.take(write))
		lists := [][2][]step{{with.layer, without.layer}, {with.back, without.back}}
		if got := work(lists[i][0]) - work(lists[i][1]); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%g s more, want %g", got, want)
		}
	}
}

// If a GPU gets more tokens than the others, a step is longer by the additional time of its experts and its
// exchanges. The bytes sent and the arithmetic of the model are the same.
func TestSkewOfExperts(t *testing.T) {
	at := func(skew float64, dispatcher string) (sim.Time, sim.Time, int64) {
		m := exchanging()
		r, err := mixed(func(w *transformer) { w.ExpertSkew, w.Dispatcher, w.GlobalBatch = skew, dispatcher, 16 }).RunGPUs(m, place(8))
		if err != nil {
			t.Fatal(err)
		}
		ledger := r.Ledgers[0][expertComm]
		return r.Makespan(), ledger.Sum(), r.Bytes
	}
	for _, dispatcher := range []string{"two-stage", "all-to-all"} {
		even, way, bytes := at(1, dispatcher)
		uneven, longer, sent := at(2, dispatcher)
		if uneven <= even || longer <= way || uneven-even <= longer-way {
			t.Errorf("%s: %v, of which %v exchanges, with twice the tokens %v and %v", dispatcher, even, way, uneven, longer)
		}
		if math.Abs(float64(sent)/float64(bytes)-1) > 1e-6 {
			t.Errorf("%s: %d bytes, with skew %d", dispatcher, bytes, sent)
		}
	}
}

// Parameters of shared experts are gathered from the GPUs with the same experts, the others from all; if each GPU has
// its own experts, those of experts are not gathered.
func TestGatheredExperts(t *testing.T) {
	gathered := func(ep int64) (names map[string]int) {
		b := must.Get(mixed(func(w *transformer) { w.EP, w.ZeRO = ep, 3 }).builder(exchanging(), place(8)))(t)
		g := must.Get(b.build())(t)
		names = map[string]int{}
		for i := range g.Ops {
			names[g.Ops[i].Name]++
		}
		return names
	}
	for ep, want := range map[int64]int{4: 2*4 - 1, 8: 0} { // forward and back, except the last layer
		if got := gathered(ep); got["expert parameters"] != want || got["parameters"] != 2*4-1 {
			t.Errorf("ep %d: experts are gathered %d times, the rest %d times; want %d and 7", ep, got["expert parameters"], got["parameters"], want)
		}
	}
}

// Two passes at once hide tokens on their way, at most as long as the kernels next to them take, and with the same
// kernels.
func TestPassesTogetherHideExchanges(t *testing.T) {
	at := func(together bool, dispatcher string) sim.Time {
		return stepOf(t, mixed(func(w *transformer) {
			w.GlobalBatch, w.EPOverlap, w.Dispatcher, w.EP, w.Hidden, w.ExpertFFN = 128, together, dispatcher, 16, 4096, 2048
		}), exchanging(), 16)
	}
	for _, dispatcher := range []string{"direct", "two-stage", "all-to-all"} {
		if apart, together := at(false, dispatcher), at(true, dispatcher); together >= apart || together < apart/2 {
			t.Errorf("%s: %v one after the other, %v together", dispatcher, apart, together)
		}
	}
}

// Passes that are written together are those of the schedule, each once, a backward pass after its forward pass.
func TestOrderTogether(t *testing.T) {
	for pp := 1; pp <= 4; pp++ {
		for stage := range pp {
			p := plan{pp: pp, micros: 6, together: true, chunks: 1, schedule: chosenOf(schedules, "1f1b")}
			seen := map[task]bool{}
			for _, x := range p.order(stage) {
				if seen[x] || x.back && !seen[task{micro: x.micro}] {
					t.Errorf("stage %d of %d does %+v twice or too early", stage, pp, x)
				}
				seen[x] = true
			}
			if len(seen) != 12 {
				t.Errorf("%d passes of 12", len(seen))
			}
		}
	}
}

// In a ring whose messages take no time, attention takes as long as the kernels of its parts; slower messages show as
// waits for them.
func TestRingAttention(t *testing.T) {
	step := func(change func(*transformer), nic float64) (sim.Time, sim.Time) {
		m := node()
		for i := range m.GPUs.Node.NICs {
			m.GPUs.Node.NICs[i].Bandwidth = nic
		}
		w := small(func(w *transformer) {
			w.Flash, w.Sequence, w.Layers, w.DP = true, 65536, 2, 1
			change(w)
		})
		r := must.Get(w.RunGPUs(m, place(16)))(t)
		ledger := r.Ledgers[0][contextComm]
		return r.Makespan(), ledger.Sum()
	}
	ring := func(w *transformer) { w.CP = 16 }
	fast, hidden := step(ring, 50e9)
	slow, exposed := step(ring, 1e9)
	if hidden > fast/100 || exposed < slow/4 {
		t.Errorf("fast %v, of which %v wait; slow %v, of which %v", fast, hidden, slow, exposed)
	}
	heads, exposed := step(func(w *transformer) { w.CP, w.ContextBy = 16, "all-to-all" }, 50e9)
	if exposed == 0 || math.Abs(float64(heads)/float64(fast)-1) > 0.3 {
		t.Errorf("all-to-all %v, of which %v wait; ring %v", heads, exposed, fast)
	}
}

// Keys and values by head of keys are gathered before attention: of each GPU its tokens, the heads of keys that it has, and both in 2 bytes.
// In the backward pass their gradients are scattered. Attention has the arithmetic of a part of the queries with all keys.
func TestGatheredKeys(t *testing.T) {
	for _, c := range []struct{ heads, tp, each int64 }{{16, 1, 16}, {4, 1, 4}, {4, 2, 2}, {1, 2, 1}} {
		b := must.Get(small(func(w *transformer) {
			w.CP, w.TP, w.Flash, w.ContextBy, w.Layers, w.KVHeads = 4, c.tp, true, "all-gather", 1, c.heads
		}).builder(node(), place(8)))(t)
		b.write()
		want := 4 * b.tokens() * 4 * float64(c.each) * b.size()
		var names []string
		for _, s := range slices.Concat(b.layer, b.back) {
			if s.kind == contextComm {
				if names = append(names, s.op.Name); s.bytes != want {
					t.Errorf("%d heads of keys, tp %d: %g bytes, want %g", c.heads, c.tp, s.bytes, want)
				}
			}
		}
		if !slices.Equal(names, []string{"all-gather", "all-gather", "reduce-scatter"}) {
			t.Errorf("operations %q", names)
		}
	}
}

// A separate rate of attention decides how long attention in one kernel takes, and nothing else.
func TestAttentionRate(t *testing.T) {
	attends := func(rate float64) (attention, others sim.Time) {
		m := node()
		m.GPUs.Kernels.Attention = rate
		b := must.Get(small(func(w *transformer) { w.Flash, w.Layers, w.Sequence = true, 1, 2048 }).builder(m, place(8)))(t)
		b.write()
		for _, s := range b.layer {
			time := sim.Seconds(m.GPUs.Alone(s.work) - m.GPUs.Kernels.Start.Seconds())
			if s.kind == attend {
				attention += time
			} else if s.op == nil {
				others += time
			}
		}
		return attention, others
	}
	half, others := attends(0.25)
	whole, same := attends(0.5)
	if ratio := float64(half) / float64(whole); others != same || math.Abs(ratio-2) > 0.01 {
		t.Errorf("at half the rate attention takes %v, at the whole %v; all others %v and %v", half, whole, others, same)
	}
}

// Gathered keys and values arrive before the second part. Results are merged once for each further part in the
// forward pass, and for each part in the backward pass; then gradients of all parts have gone round.
func TestGatheredAttention(t *testing.T) {
	if two := small(func(w *transformer) { w.CP, w.ContextBy = 2, "all-gather-repeated" }); two.Doubts(place(2)) != nil {
		t.Error(two.Doubts(place(2)))
	}
	if four := small(func(w *transformer) { w.CP, w.ContextBy = 4, "all-gather-repeated" }); four.Doubts(place(4)) == nil {
		t.Error("cp 4 of PyTorch is not predicted")
	}
	b, err := small(func(w *transformer) { w.CP, w.Flash, w.ContextBy, w.Layers = 4, true, "all-gather-repeated", 1 }).builder(node(), place(8))
	if err != nil {
		t.Fatal(err)
	}
	g := must.Get(b.build())(t)
	names := map[string]int{}
	for i := range g.Ops {
		names[g.Ops[i].Name]++
	}
	for name, want := range map[string]int{"gather": 2, "attention": 4, "attention, backward": 4, "merge": 3 + 4, "pass on": 4} {
		if names[name] != want {
			t.Errorf("%s is done %d times, want %d", name, names[name], want)
		}
	}
	run := must.Get(streams.Run(g))(t)
	var gathered sim.Time
	parts := 0
	for i := range g.Ops {
		switch g.Ops[i].Name {
		case "gather":
			gathered, parts = run.Ends[i], 0
		case "attention", "attention, backward":
			if parts++; parts > 1 && run.Starts[i] < gathered {
				t.Errorf("part %d starts at %v, before all are gathered at %v", parts, run.Starts[i], gathered)
			}
		}
	}
}

// Split sequences are computed by that many GPUs: the total arithmetic is the same, and a message of the pipeline is
// one part.
func TestContextSplitsWork(t *testing.T) {
	work := func(cp int64, by string) (flops float64) {
		b, err := small(func(w *transformer) { w.CP, w.Flash, w.ContextBy, w.Sequence = cp, true, by, 32768 }).builder(node(), place(8))
		if err != nil {
			t.Fatal(err)
		}
		b.write()
		for _, s := range append(slices.Clone(b.layer), b.back...) {
			parts := 1.0
			if s.parts != nil {
				parts = float64(cp)
			}
			if s.op == nil || s.parts != nil {
				flops += float64(s.work.Blocks) * s.work.Block.Seconds() * parts
			}
		}
		return flops * float64(cp)
	}
	for _, by := range []string{"ring", "all-to-all", "all-gather", "all-gather-repeated"} {
		if one, four := work(1, by), work(4, by); math.Abs(four/one-1) > 0.05 {
			t.Errorf("%s: %g on one GPU, %g on four", by, one, four)
		}
	}
}

// Errors of experts and context name the numbers.
func TestMistakesOfExpertsAndContext(t *testing.T) {
	for want, w := range map[string]*transformer{
		"tp: tp 2 x cp 2 x pp 3 x dp 1 = 12 GPUs, and the run has 8 ranks": small(func(w *transformer) {
			w.TP, w.CP, w.PP, w.DP, w.Layers = 2, 2, 3, 1, 6
		}),
		"ep: tp 1 x cp 1 x dp 8 = 8 GPUs of a stage are not a multiple of ep = 3": mixed(func(w *transformer) { w.EP = 3 }),
		"experts: 12 is not a multiple of ep = 8":                                 mixed(func(w *transformer) { w.Experts = 12 }),
		"ep: shares experts, and the model has none":                              small(func(w *transformer) { w.EP = 8 }),
		"top_k: must be at most the 32 experts, got 33":                           mixed(func(w *transformer) { w.TopK = 33 }),
		"sequence_parallel: must be true with experts and tp 2":                   mixed(func(w *transformer) { w.TP = 2 }),
		"shared_ffn: is in addition to experts, and the model has none":           small(func(w *transformer) { w.SharedFFN = 512 }),
		"expert_skew: must be 1 to ep = 8, where one GPU gets all tokens; got 9":  mixed(func(w *transformer) { w.ExpertSkew = 9 }),
		"expert_skew: must be 1 to ep = 1":                                        small(func(w *transformer) { w.ExpertSkew = 1.5 }),
		"expert_skew: must be 1 with capacity":                                    mixed(func(w *transformer) { w.ExpertSkew, w.Capacity = 1.5, 1.25 }),
		"recompute: alternate is not modelled with experts":                       mixed(func(w *transformer) { w.Recompute = "alternate" }),
		"ep_overlap: needs ep of 2 or more, schedule 1f1b": mixed(func(w *transformer) {
			w.EPOverlap, w.Schedule = true, "gpipe"
		}),
		"context_by: ring needs flash attention":     small(func(w *transformer) { w.CP = 2 }),
		"sequence: 1024 is not a multiple of cp = 3": small(func(w *transformer) { w.CP, w.Flash = 3, true }),
		"heads: 4 is not a multiple of tp x cp = 8": small(func(w *transformer) {
			w.CP, w.ContextBy, w.Heads = 8, "all-to-all", 4
		}),
		"give machine.gpu_exchange": mixed(func(w *transformer) { w.Dispatcher = "direct" }),
	} {
		if err := w.CheckGPUs(node(), place(8)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for _, w := range []*transformer{
		small(func(w *transformer) { w.PP, w.DP, w.GlobalBatch = 4, 6, 24 }), // stages of 6 GPUs: only the second one is in two domains
		small(func(w *transformer) { w.TP, w.PP, w.GlobalBatch = 4, 2, 12 }),
	} {
		if err := w.CheckGPUs(node(), place(24)); err != nil {
			t.Error(err)
		}
		folds(t, w, node(), 24)
	}
	six := small(func(w *transformer) { w.TP, w.Heads, w.Hidden, w.Vocabulary, w.FFN = 6, 12, 1200, 1200, 4800 })
	if err := six.CheckGPUs(node(), place(24)); err == nil || !strings.Contains(err.Error(), "tp: groups of 6 GPUs that are 1 apart are placed differently") {
		t.Error(err)
	}
	rack := node()
	rack.GPUs.Node.GPUs, rack.GPUs.Node.Domain = 2, 20 // 16 of 20 GPUs are two groups of 8
	eight := small(func(w *transformer) { w.TP, w.GlobalBatch = 8, 40 })
	err := eight.CheckGPUs(rack, experiments.Place{Ranks: 40, PerNode: 2})
	if err == nil || !strings.Contains(err.Error(), "with machine.gpu.domain=16 they are placed alike") {
		t.Error(err)
	}
	rack.GPUs.Node.Domain = 16
	if err := eight.CheckGPUs(rack, experiments.Place{Ranks: 40, PerNode: 2}); err != nil {
		t.Error(err)
	}
	unlike := mixed(func(w *transformer) { w.EP, w.Experts, w.GlobalBatch = 6, 36, 24 })
	if err := unlike.CheckGPUs(node(), place(24)); err == nil || !strings.Contains(err.Error(), "groups of 6 GPUs that are 1 apart are placed differently") {
		t.Error(err)
	}
}
