package training

import (
	"slices"
	"strings"
	"testing"
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
		"tp2-pp2-mb1-1f1b") || w.Range("tp", 4) != "" {
		t.Errorf("4 stages of 6 layers, or a range of tp: %v", all)
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
