package training

import (
	"fmt"
	"testing"

	"overlapsim/nodes/gpus/streams"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/without"
	"overlapsim/sim/must"
)

// folds checks that one GPU of each stage stands for all: if all are simulated, each has the same times as the one
// that stands for it, to the bit, and they send as much; also if the operations of each are written, not of one of each stage.
func folds(t *testing.T, w *transformer, m *machines.Machine, ranks int) {
	t.Helper()
	var runs [3]*streams.Result
	var sent [3]int64
	for i := range runs {
		b, err := w.builder(m, place(ranks))
		if err != nil {
			t.Fatal(err)
		}
		b.whole, b.equal = i > 0, i == 1
		g, err := b.build()
		if err != nil {
			t.Fatal(err)
		}
		if runs[i], err = streams.Run(g); err != nil {
			t.Fatal(err)
		}
		sent[i] = b.bytes()
	}
	if sent[0] != sent[1] || sent[0] != sent[2] || sent[0] == 0 {
		t.Errorf("%+v: folded %d bytes, all %d", w, sent[0], sent[1:])
	}
	if a, b := fmt.Sprint(runs[1].Ledgers, runs[1].Critical()), fmt.Sprint(runs[2].Ledgers, runs[2].Critical()); a != b {
		t.Fatalf("%+v: alike %s\napart %s", w, a, b)
	}
	each := len(runs[1].Ledgers) / len(runs[0].Ledgers)
	for gpu, ledger := range runs[1].Ledgers {
		if a, b := fmt.Sprint(runs[0].Ledgers[gpu/each]), fmt.Sprint(ledger); a != b {
			t.Fatalf("%+v: GPU %d: folded %s\nall %s", w, gpu, a, b)
		}
	}
}

// Each layer is on one stage, and the first and the last chunk have one layer fewer if the ends count as layers: 126
// layers on 64 chunks are 1, 2, ..., 2, 1. Together the stages have all parameters of the model.
func TestLayersAreDealtOut(t *testing.T) {
	for _, w := range []*transformer{
		small(func(w *transformer) {
			w.Layers, w.EndsCount, w.PP, w.Chunks, w.Schedule = 126, true, 8, 8, "interleaved"
		}),
		small(func(w *transformer) { w.Layers, w.EndsCount, w.PP = 14, true, 8 }),
		small(func(w *transformer) { w.Layers, w.EndsCount = 5, true }),
		small(func(w *transformer) { w.Tied = true }),
		small(func(w *transformer) { w.PP, w.Tied = 4, true }),
		small(func(w *transformer) { w.Layers, w.PP, w.Chunks, w.Schedule = 32, 8, 2, "interleaved" }),
	} {
		w.GlobalBatch = 8
		b := must.Get(w.builder(node(), place(int(w.PP))))(t)
		layers, parameters := 0, 0.0
		for stage := range b.pp {
			b.stage = int32(stage)
			layers += b.stageLayers()
			parameters += b.ownParameters()
		}
		if w.PP == 1 && w.Tied {
			parameters += b.model.embedding() // one stage has both ends, and one table
		}
		if int64(layers) != w.Layers || parameters != b.parameters() {
			t.Errorf("%d layers of %d, %.0f parameters of %.0f", layers, w.Layers, parameters, b.parameters())
		}
	}
	p := plan{pp: 8, chunks: 8, endsCount: true}
	if first, second, last := p.layersAt(126, 0), p.layersAt(126, 1), p.layersAt(126, 63); first != 1 || second != 2 || last != 1 {
		t.Errorf("%d, %d, ..., %d layers", first, second, last)
	}
}

// Law: the absence of a cause gives the same times whether GPUs that are alike have the operations of one, or each its own.
func TestCausesOfAlike(t *testing.T) {
	for _, w := range []*transformer{
		small(func(w *transformer) { w.Layers, w.TP, w.PP, w.GlobalBatch, w.SequenceParallel = 4, 2, 2, 16, true }),
		small(func(w *transformer) { w.Layers, w.ZeRO = 2, 3 }),
	} {
		for _, name := range without.Names() {
			cause, _ := without.Of(name)
			var said [2]string
			for i, equal := range []bool{true, false} {
				b := must.Get(w.builder(node(), place(16)))(t)
				b.whole, b.equal = true, equal
				g := must.Get(b.build())(t)
				if err := cause.Streams(g); err != nil {
					said[i] = err.Error()
					continue
				}
				said[i] = fmt.Sprint(must.Get(streams.Run(g))(t).Ledgers)
			}
			if said[0] != said[1] {
				t.Errorf("%+v without %s: %s\napart %s", w, name, said[0], said[1])
			}
		}
	}
}
