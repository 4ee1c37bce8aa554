package training

import (
	"math"
	"strings"
	"testing"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

func gemmOf(change func(*gemm)) *gemm {
	w := &gemm{Rows: 4096, Columns: 12288, Depth: 12288, Operation: "all-gather", How: "fused", Precision: "bf16", TopK: 2, EP: 1}
	change(w)
	return w
}

func gemmTime(t *testing.T, w *gemm, m *machines.Machine, ranks int) sim.Time {
	t.Helper()
	must.Do(t, w.CheckGPUs(m, place(ranks)))
	r := must.Get(w.RunGPUs(m, place(ranks)))(t)
	return r.Makespan()
}

// free is a node whose hosts and kernels lose no time.
func free() *machines.Machine {
	m := node()
	m.GPUs.Kernels.Start, m.GPUs.Kernels.Launch, m.GPUs.Kernels.Join = 0, 0, 0
	return m
}

// In a fused product a tile runs on the first free SM once its rows are there, in the order of pieces. A simulation
// tile by tile, without streams, takes as long, within the time of a tile.
func TestFusedTileByTile(t *testing.T) {
	for _, ring := range []float64{1e15, 240e9, 100e9, 20e9} {
		for _, pieces := range []int{8, 32} {
			for _, columns := range []int64{12288, 49152} {
				m := free()
				m.GPUs.Fit.Ring = ring
				const alone = 2 * sim.Millisecond
				w := gemmOf(func(w *gemm) { w.Alone, w.Pieces, w.Columns = alone, int64(pieces), columns })
				tile, want := tileByTile(t, w, m)
				if got := gemmTime(t, w, m, 8).Seconds(); math.Abs(got-want) > tile {
					t.Errorf("links of %g GB/s, %d pieces, %d columns: %.4g ms, tile by tile %.4g ms, a tile %.3g", ring/1e9, pieces, columns, got*1e3,
						want*1e3, tile*1e3)
				}
			}
		}
	}
}

// tileByTile returns the time of a tile, and of all of them.
func tileByTile(t *testing.T, w *gemm, m *machines.Machine) (tile, all float64) {
	t.Helper()
	two := gpus.Communicator{Machine: m.GPUs, Members: []int{0, 1}}
	bytes, pieces := 2*float64(w.Rows*w.Depth), int(w.Pieces)
	c := must.Get(two.Time(gpus.SendReceive, int64(bytes/float64(pieces))))(t)
	blocks := int(m.GPUs.Product(gpus.BF16, 1, float64(w.Rows), float64(w.Columns)/8, float64(w.Depth)).Blocks)
	tile = w.Alone.Seconds() / math.Ceil(float64(blocks)/108)
	told := must.Get(two.Time(gpus.SendReceive, 1))(t)
	begin := 2*bytes/8/m.GPUs.Memory() + told.Total().Seconds() // the GPU's own rows are copied to where others read, and they are told
	free := make([]float64, 108)
	for i := range free {
		free[i] = begin
	}
	for n := range blocks {
		piece := n * pieces / blocks
		first := 0
		for i := range free {
			if free[i] < free[first] {
				first = i
			}
		}
		free[first] = max(free[first], begin+float64(piece-pieces/8+1)*c.Total().Seconds()) + tile
		all = max(all, free[first])
	}
	return tile, all
}

// Without communication each way takes the measured time; one after the other adds the collective; fused is between.
func TestWaysOfAProduct(t *testing.T) {
	for _, op := range gemmOperations {
		const alone = 3 * sim.Millisecond
		set := func(how string) *gemm {
			return gemmOf(func(w *gemm) { w.How, w.Operation, w.Alone = how, op.Name, alone })
		}
		if got := gemmTime(t, set("sequence"), free(), 1); math.Abs(float64(got-alone)) > float64(alone)/1000 {
			t.Errorf("%s on one GPU takes %v, the product alone %v", op, got, alone)
		}
		c := must.Get(gpus.First(free().GPUs, 8, 8).Time(op, 2*4096*12288))(t)
		sequence := gemmTime(t, set("sequence"), free(), 8)
		if got := sequence - alone - c.Total(); math.Abs(float64(got)) > float64(alone)/1000 {
			t.Errorf("%s: one after the other takes %v, the parts %v and %v", op, sequence, alone, c.Total())
		}
		if op == gpus.AllReduce {
			continue
		}
		if fused := gemmTime(t, set("fused"), free(), 8); fused < alone || fused > sequence {
			t.Errorf("%s: fused takes %v, alone %v, one after the other %v", op, fused, alone, sequence)
		}
	}
}

// The update moves the bytes of its kernels: Adam in one kernel moves 28 bytes for a parameter, after the all-reduce
// or on the GPU's part within it.
func TestUpdate(t *testing.T) {
	at := func(change func(*update)) sim.Time {
		w := &update{Numbers: 1 << 28, GradientBytes: 4, Optimizer: "adam-fused"}
		change(w)
		r := must.Get(w.RunGPUs(free(), place(8)))(t)
		return r.Makespan()
	}
	sum := at(func(w *update) { w.Optimizer = "none" })
	moved := 28 * float64(1<<28) / free().GPUs.Memory()
	apart, fused := at(func(*update) {}), at(func(w *update) { w.Fused = true })
	if got := (apart - sum).Seconds(); math.Abs(got/moved-1) > 0.01 {
		t.Errorf("the optimizer takes %.4g ms, want %.4g", got*1e3, moved*1e3)
	}
	if got := (fused - sum).Seconds(); math.Abs(got/moved*8/0.8-1) > 0.01 { // a block alone is a quarter faster than the memory
		t.Errorf("its part of 8 takes %.4g ms", got*1e3)
	}
}

// Products of experts have the arithmetic of all rows that go to experts, however GPUs share the experts; one expert
// that all rows go to is the product without experts.
func TestProductOfExperts(t *testing.T) {
	work := func(experts, k, ep int64) float64 {
		m := free()
		w := gemmOf(func(w *gemm) { w.Experts, w.TopK, w.EP, w.Rows = experts, k, ep, 16384 })
		g := must.Get(w.writer(m, place(8)))(t)
		one := g.product(16384)
		return float64(one.Blocks) * one.Block.Seconds()
	}
	dense := work(0, 1, 1)
	if got := work(1, 1, 1); got != dense {
		t.Errorf("one expert takes %g s of SMs, the product without %g", got, dense)
	}
	for _, c := range [][3]int64{{8, 2, 1}, {8, 2, 2}, {32, 4, 1}, {32, 4, 4}, {8, 8, 8}} {
		if got, want := work(c[0], c[1], c[2]), float64(c[1])*dense; math.Abs(got/want-1) > 1e-6 {
			t.Errorf("%d of %d experts in %d parts: %g s of SMs, want %g", c[1], c[0], c[2], got, want)
		}
	}
	even := gemmTime(t, gemmOf(func(w *gemm) { w.Experts, w.TopK = 8, 2 }), node(), 8)
	if plain := gemmTime(t, gemmOf(func(*gemm) {}), node(), 8); even <= plain {
		t.Errorf("with two experts for each row %v, with one product %v", even, plain)
	}
}

// Mistakes are reported by key.
func TestProductMistakes(t *testing.T) {
	for want, c := range map[string]func(*gemm){
		"operation: \"scatter\"": func(w *gemm) { w.Operation = "scatter" },
		"how: \"both\"":          func(w *gemm) { w.How = "both" },
		"pieces: must be a mult": func(w *gemm) { w.Pieces = 9 },
		"rows: must be 1":        func(w *gemm) { w.Rows = 0 },
		"all-reduce has seq":     func(w *gemm) { w.Operation = "all-reduce" },
		"precision: \"fp7\"":     func(w *gemm) { w.Precision = "fp7" },
		"ep: shares experts":     func(w *gemm) { w.EP = 2 },
		"top_k: must be at most": func(w *gemm) { w.Experts = 1 },
		"ep: must divide the 8":  func(w *gemm) { w.Experts, w.EP = 8, 3 },
		"experts: are modelled":  func(w *gemm) { w.Experts, w.Operation = 8, "reduce-scatter" },
	} {
		if err := gemmOf(c).CheckGPUs(node(), place(8)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	for want, w := range map[string]*update{
		"optimizer: \"lion\"":  {Numbers: 1, GradientBytes: 4, Optimizer: "lion"},
		"algorithm: \"nvls\"":  {Numbers: 1, GradientBytes: 4, Optimizer: "none", Algorithm: "nvls"},
		"gradient_bytes: must": {Numbers: 1, GradientBytes: 3, Optimizer: "none"},
		"numbers: must be":     {GradientBytes: 4, Optimizer: "none"},
	} {
		if err := w.CheckGPUs(node(), place(8)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// A signal costs an all-gather its time once; before a reduce-scatter each of the pieces for others waits for its own, so that the kernel is
// a chain of them where the product is small.
func TestSignals(t *testing.T) {
	for _, c := range []struct {
		op      *gpus.Operation
		signals sim.Time
	}{{gpus.AllGather, 1}, {gpus.ReduceScatter, 7}} {
		takes := func(signal sim.Time) sim.Time {
			m := free()
			m.GPUs.Kernels.Signal = signal
			return gemmTime(t, gemmOf(func(w *gemm) {
				w.How, w.Operation, w.Rows, w.Columns, w.Depth, w.Alone = "fused", c.op.Name, 64, 64, 64, sim.Nanosecond
			}), m, 8)
		}
		const signal = sim.Millisecond
		if more := takes(2*signal) - takes(signal); more != c.signals*signal {
			t.Errorf("%s: a signal more costs %v, want %d of %v", c.op, more, c.signals, signal)
		}
	}
}
