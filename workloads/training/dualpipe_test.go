package training

import (
	"math"
	"testing"

	"overlapsim/sim/must"
)

// Each stage does each pass once, backward passes after their forward passes, passes for weights after the backward
// passes that left them out; it keeps at most p + 1 micro-batches, as in the paper's table.
func TestDualPipe(t *testing.T) {
	for stages := 2; stages <= 16; stages += 2 {
		for _, micros := range []int{2 * stages, 2*stages + 2, 4 * stages} {
			for stage := range stages {
				order := dualPipe(stage, stages, micros, 1)
				dualOrder(t, order, stages, micros)
			}
		}
	}
}

func dualOrder(t *testing.T, order []task, stages, micros int) {
	t.Helper()
	type key struct{ micro, chunk int }
	forward, back, owed := map[key]bool{}, map[key]bool{}, map[key]bool{}
	now, most := 0, 0
	for i, x := range order {
		k := key{x.micro, x.chunk}
		if x.micro/(micros/2) != x.chunk {
			t.Fatalf("%+v is of the other direction", x)
		}
		switch {
		case x.weights:
			if !owed[k] {
				t.Fatalf("%+v: no backward pass has left weights", x)
			}
			delete(owed, k)
			now--
		case x.back:
			if !forward[k] || back[k] {
				t.Fatalf("%+v comes twice or before its forward pass", x)
			}
			back[k], owed[k] = true, !x.whole
			if x.whole {
				delete(owed, k)
				now--
			}
			if i > 0 && order[i-1].paired {
				now++ // its forward pass takes the place
			}
		default:
			if forward[k] {
				t.Fatalf("%+v comes twice", x)
			}
			if forward[k] = true; !x.paired {
				now++
			}
		}
		most = max(most, now)
	}
	if len(forward) != micros || len(back) != micros || len(owed) != 0 {
		t.Errorf("%d stages: %d forward, %d backward passes of %d, %d without weights", stages, len(forward), len(back), micros, len(owed))
	}
	if most > stages+1 {
		t.Errorf("%d stages: %d micro-batches are kept", stages, most)
	}
}

// If nothing of two passes overlaps, the bubble is (p/2 - 1)(F + 2 B - 3 W), B with the weights (DeepSeek-V3, table
// 2, with F&B = F + B); that of ZB-H1 is (p - 1)(F + B - 2 W), that of 1F1B (p - 1)(F + B).
func TestBubblesOfThePapers(t *testing.T) {
	m := node()
	m.GPUs.Kernels.Launch, m.GPUs.Kernels.Join = 0, 0
	m.GPUs.Node.Domain = 16
	m.GPUs.Fit.Start, m.GPUs.Fit.Ring, m.GPUs.Fit.Step, m.GPUs.Fit.Send, m.GPUs.Fit.Channels = 0, 1e15, 0, 0, 100
	for _, pp := range []int64{2, 4, 8, 10, 16} {
		for schedule, bubble := range map[string]func(p, f, b, w float64) float64{
			"gpipe":       func(p, f, b, _ float64) float64 { return (p - 1) * (f + b) },
			"1f1b":        func(p, f, b, _ float64) float64 { return (p - 1) * (f + b) },
			"zero-bubble": func(p, f, b, w float64) float64 { return (p - 1) * (f + b - 2*w) },
			"dualpipe":    func(p, f, b, w float64) float64 { return (p/2 - 1) * (f + 2*b - 3*w) },
		} {
			const micros = 32
			w := small(func(w *transformer) {
				w.Layers, w.Vocabulary, w.Hidden, w.PP, w.DP = pp, 2, 2048, pp, 1
				w.GlobalBatch, w.Schedule, w.MicroBatch = 2*micros, schedule, 2
			})
			b := must.Get(w.builder(m, place(int(pp))))(t)
			b.write()
			forward, back, weights := b.slower(b.layer), b.slower(b.back), b.slower(b.weightsBack)
			p := float64(pp)
			ends, more := b.slower(b.head, b.headBack, b.headWeights), 0.0 // of the last stage, the slowest one
			if b.schedule.mirrored {
				// Stages between have none.
				ends, more = 0, micros*(ends+b.slower(b.embedding, b.embeddingBack))/2
			}
			if s := chosenOf(schedules, schedule); s.bubble != nil && s.bubble(p, forward, back+weights, weights) != bubble(p, forward, back+weights, weights) {
				t.Errorf("%s has another bubble than in its paper", schedule)
			}
			want := micros*(forward+back+weights+ends) + bubble(p, forward, back+weights, weights)
			r := must.Get(w.RunGPUs(m, place(int(pp))))(t)
			ledger := r.Ledgers[0]
			got := (r.Makespan() - ledger[dataComm].Sum() - ledger[optimizer].Sum()).Seconds()
			if math.Abs(got/want-1) > 0.015 || b.schedule.mirrored && got > 1.001*want+more {
				t.Errorf("%s, %d stages: %.6f s, want %.6f; without a bubble %.6f", schedule, pp, got, want, micros*(forward+back+weights+ends))
			}
		}
	}
}

// The arithmetic at the peak has the bubble of its schedule: by hand, of 8 stages and 32 micro-batches.
func TestAtPeak(t *testing.T) {
	m := node()
	m.GPUs.Node.Domain = 16
	for _, recompute := range []string{"none", "full"} {
		at := func(pp, chunks int64, schedule string) float64 {
			w := small(func(w *transformer) {
				w.Layers, w.PP, w.DP, w.GlobalBatch, w.Schedule, w.Chunks, w.Recompute = 16, pp, 1, 32, schedule, chunks, recompute
			})
			b := must.Get(w.builder(m, place(int(pp))))(t)
			return w.atPeak(&b.model, &b.plan, 1e12, int(pp))
		}
		alone, of := at(1, 1, "1f1b"), 3.0
		if recompute == "full" {
			of = 2
		}
		for schedule, bubble := range map[string]float64{"gpipe": 7, "1f1b": 7, "interleaved": 3.5, "zero-bubble": 7 / of, "dualpipe": 6 / of} {
			chunks := int64(1)
			if schedule == "interleaved" {
				chunks = 2
			}
			if got, want := at(8, chunks, schedule)/alone, (1+bubble/32)/8; math.Abs(got/want-1) > 1e-12 {
				t.Errorf("%s, recompute %s: %.6f of one GPU, want %.6f", schedule, recompute, got, want)
			}
		}
	}
}

// With experts DualPipe hides their exchanges as well as two passes at once do.
func TestDualPipeHidesExchanges(t *testing.T) {
	exposed := func(schedule string) float64 {
		w := mixed(func(w *transformer) {
			w.GlobalBatch, w.Schedule, w.PP, w.EP, w.Hidden, w.Dispatcher, w.MicroBatch = 128, schedule, 4, 4, 2048, "direct", 2
		})
		r := must.Get(w.RunGPUs(exchanging(), place(16)))(t)
		ledger := r.Ledgers[0][expertComm]
		return ledger.Sum().Seconds()
	}
	if dual, one := exposed("dualpipe"), exposed("1f1b"); dual > 0.7*one {
		t.Errorf("%.4g s exposed, 1f1b %.4g", dual, one)
	}
}
