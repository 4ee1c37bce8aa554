package training

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

// A layout means its numbers given one by one.
func TestLayout(t *testing.T) {
	by := small(func(w *transformer) { w.Layers, w.GlobalBatch, w.Layout = 8, 64, "tp2-pp2-x2-mb2" })
	one := small(func(w *transformer) {
		w.Layers, w.GlobalBatch, w.TP, w.PP, w.Chunks, w.MicroBatch, w.Schedule = 8, 64, 2, 2, 2, 2, "interleaved"
	})
	if a, b := stepOf(t, by, node(), 16), stepOf(t, one, node(), 16); a != b {
		t.Errorf("%v by the layout, %v by its numbers", a, b)
	}
	by.Layout = "tp2-pp2-mb2-zero-bubble"
	one.Chunks, one.Schedule = 1, "zero-bubble"
	if a, b := stepOf(t, by, node(), 16), stepOf(t, one, node(), 16); a != b {
		t.Errorf("%v by the layout with a schedule, %v by its numbers", a, b)
	}
}

// No division of layers has a shorter longest stage than the one that is near, by the times alone; none is near if that of the run is as short.
func TestDivided(t *testing.T) {
	for _, change := range []func(w *transformer){
		func(w *transformer) { w.Vocabulary = 1 << 10 },
		func(w *transformer) { w.Vocabulary = 1 << 17 },
		func(w *transformer) { w.Vocabulary, w.Recompute = 1<<17, "full" },
		func(w *transformer) { w.Vocabulary, w.Schedule = 1<<17, "zero-bubble" },
		func(w *transformer) { w.Vocabulary, w.TP, w.ZeRO = 1<<16, 2, 3 },
		func(w *transformer) { w.StageLayers = "1,1,1,9" },
		func(w *transformer) { w.Vocabulary, w.Schedule, w.Chunks, w.PP = 1<<17, "interleaved", 2, 2 },
		func(w *transformer) { w.Vocabulary, w.Schedule, w.GlobalBatch = 1<<17, "dualpipe", 32 },
	} {
		w := small(func(w *transformer) {
			w.Layers, w.PP, w.GlobalBatch = 12, 4, 16
			change(w)
		})
		b := must.Get(w.builder(node(), place(8)))(t)
		layer, embedding, head := w.alone(b)
		if layer <= 0 || embedding <= 0 || head <= 0 {
			t.Fatalf("a layer takes %g s, the ends %g and %g", layer, embedding, head)
		}
		longest := func(dealt []int) float64 {
			loads := make([]float64, b.pp)
			for stage := range loads {
				for place, n := range dealt {
					if place%b.pp == stage || b.schedule.mirrored && place == b.pp-1-stage {
						loads[stage] += float64(n) * layer
						if place == 0 {
							loads[stage] += embedding
						}
						if place == len(dealt)-1 {
							loads[stage] += head
						}
					}
				}
			}
			return slices.Max(loads)
		}
		least := math.Inf(1)
		var try func(dealt []int, left int)
		try = func(dealt []int, left int) {
			if rest := 4 - len(dealt); rest == 1 {
				least = min(least, longest(append(dealt, left)))
			} else {
				for n := 1; n <= left-rest+1; n++ {
					try(append(slices.Clone(dealt), n), left-n)
				}
			}
		}
		try(nil, 12)
		now := make([]int, 4)
		for place := range now {
			now[place] = b.layersAt(12, place)
		}
		best := longest(now)
		for _, text := range w.Near("stage_layers", node(), 8) {
			var dealt [4]int
			must.Get(fmt.Sscanf(text, "%d,%d,%d,%d", &dealt[0], &dealt[1], &dealt[2], &dealt[3]))(t)
			if longest(dealt[:]) >= best {
				t.Errorf("%s is no better than %v", text, now)
			}
			best = longest(dealt[:])
		}
		if best > least*(1+1e-9) {
			t.Errorf("%+v: the longest stage takes %g s, with the best division %g", w, best, least)
		}
	}
}

// The range of layouts has those whose numbers divide each other, no others, each once.
func TestLayouts(t *testing.T) {
	w := small(func(w *transformer) { w.Layers, w.GlobalBatch = 6, 12 })
	all := strings.Split(w.Range("layout", 4), ",")
	want := []string{"tp1-pp1-mb1", "tp1-pp2-mb1", "tp1-pp2-mb2", "tp2-pp1-mb1", "tp2-pp1-mb2", "tp2-pp2-mb1", "tp2-pp2-mb2", "tp2-pp2-mb4",
		"tp2-pp2-mb1-zero-bubble", "tp2-pp2-mb1-dualpipe", "tp2-pp2-mb1-gpipe",
		"tp4-pp1-mb1", "tp4-pp1-mb2", "tp4-pp1-mb4"}
	for _, l := range want {
		if !slices.Contains(all, l) {
			t.Errorf("%s is missing in %v", l, all)
		}
	}
	for i, l := range all {
		try := *w
		if try.Layout = l; slices.Contains(all[:i], l) || try.CheckGPUs(node(), place(4)) != nil {
			t.Errorf("%s is twice there, or is refused: %v", l, try.CheckGPUs(node(), place(4)))
		}
	}
	if slices.Contains(all, "tp1-pp4-mb1") || slices.Contains(all, "tp4-pp1-mb1-zero-bubble") || slices.Contains(all,
		"tp2-pp2-mb1-1f1b") || w.Range("dp", 4) != "" {
		t.Errorf("4 stages of 6 layers, or a range of dp: %v", all)
	}
	for text, want := range map[string]string{"8x2": "must look like", "tp0-pp1-mb1": "numbers from 1 on",
		"tp4-pp4-mb1": "16 GPUs, and the run has 4"} {
		try := *w
		try.Layout = text
		if err := try.CheckGPUs(node(), place(4)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Experts may be shared by more GPUs as well as by fewer, as far as the numbers divide each other: 4 of 8 GPUs share 8 experts.
func TestNearExperts(t *testing.T) {
	w := small(func(w *transformer) { w.Experts, w.EP = 8, 4 })
	if got := w.Near("ep", nil, 8); !slices.Equal(got, []string{"2", "8"}) {
		t.Error(got)
	}
	w.EP = 8
	if got := w.Near("ep", nil, 8); !slices.Equal(got, []string{"4", "2"}) {
		t.Error(got)
	}
}
