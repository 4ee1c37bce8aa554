package training

import (
	"testing"

	"overlapsim/sim/must"
)

// The forecast of the operations of a step is near the number in the graph, for all kinds of layers.
func TestLoad(t *testing.T) {
	for name, c := range map[string]struct {
		ranks int
		w     *transformer
	}{
		"plain":      {1, small(func(w *transformer) { w.Layers, w.GlobalBatch = 16, 16 })},
		"recomputed": {8, small(func(w *transformer) { w.TP, w.Layers, w.Recompute, w.GlobalBatch = 8, 16, "full", 16 })},
		"pipeline":   {8, small(func(w *transformer) { w.PP, w.Layers, w.GlobalBatch = 8, 16, 64 })},
		"interleaved": {4, small(func(w *transformer) {
			w.PP, w.Layers, w.Chunks, w.Schedule, w.GlobalBatch = 4, 32, 4, "interleaved", 32
		})},
		"zero bubble": {4, small(func(w *transformer) { w.PP, w.Layers, w.Schedule, w.GlobalBatch = 4, 16, "zero-bubble", 32 })},
		"dualpipe":    {4, small(func(w *transformer) { w.PP, w.Layers, w.Schedule, w.GlobalBatch = 4, 16, "dualpipe", 32 })},
		"in pieces": {8, small(func(w *transformer) {
			w.TP, w.Layers, w.SequenceParallel, w.AsyncTP, w.GlobalBatch = 8, 16, true, true, 16
		})},
		"in a ring":  {8, small(func(w *transformer) { w.CP, w.Flash, w.Layers, w.GlobalBatch = 8, true, 16, 16 })},
		"sharded":    {8, small(func(w *transformer) { w.ZeRO, w.Layers, w.GlobalBatch = 3, 16, 64 })},
		"of experts": {8, small(func(w *transformer) { w.Experts, w.EP, w.Layers, w.GlobalBatch = 8, 8, 16, 64 })},
	} {
		b, err := c.w.builder(node(), place(c.ranks))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		told := b.load().Operations
		g := must.Get(b.build())(t)
		if has := float64(len(g.Ops)); told < 0.8*has || told > 1.1*has {
			t.Errorf("%s: %.0f operations told, the graph has %.0f", name, told, has)
		}
	}
}
