package workloads

import (
	"testing"

	"pgregory.net/rapid"

	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// runSpMV runs an algorithm with the block time and piece size of the given program.
func runSpMV(t *testing.T, m *machines.Machine, p spmvProgram) *results.Result {
	t.Helper()
	return must.Get(nodes.Run(m, &p, 1, nodes.Options{}))(t)
}

// Section 8.1: eq. (10) holds to the picosecond if a block takes longer than a get. If it
// does not, the total is at least the time of the bytes and at most eq. (13), in which
// gets do not overlap each other.
func TestSection81GatherEqualsModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := rapid.IntRange(2, 8).Draw(rt, "P")
		bytes := rapid.Int64Range(1, 4000).Draw(rt, "bytes")
		model := SpMVModel{P: int64(p),
			Overhead: sim.Time(rapid.IntRange(1, 3000).Draw(rt, "o")),
			Gap:      sim.Time(rapid.IntRange(1, 3000).Draw(rt, "g")),
			Latency:  sim.Time(rapid.IntRange(0, 3000).Draw(rt, "L")),
			Compute:  sim.Time(rapid.IntRange(1, 30000).Draw(rt, "T")),
			Transfer: sim.Time(bytes),
		}
		m := paperMachine(model.Overhead, model.Gap, 1)
		m.Network.Latency = model.Latency
		r := runSpMV(t, m, spmvProgram{algorithm: gather, ranks: p, bytes: bytes, block: []machines.Task{{Time: model.Compute}}, communicate: true})
		total := r.Makespan()
		if get := max(model.Overhead, model.Gap) + 2*model.Latency + model.Transfer; model.Compute >= get {
			if total != model.Computation() {
				rt.Fatalf("total %v, eq. (10): %v", total, model.Computation())
			}
			return
		}
		if least := model.Transfer * sim.Time(p-1); total < least {
			rt.Fatalf("total %v, the bytes take %v", total, least)
		}
		if most := model.Total() + max(model.Overhead, model.Gap)*sim.Time(p) + model.Compute*sim.Time(p); total > most {
			rt.Fatalf("total %v, eq. (13) and what it leaves out: %v", total, most)
		}
	})
}

// Every process needs the pieces of all others, regardless of the side that moves them. Without
// computation, Gather with all pieces prefetched is the bulk gather.
func TestSpMVVolume(t *testing.T) {
	m := paperMachine(1000, 500, 1)
	m.Network.Latency = 2000
	m.Kernels = allKernels
	total := map[string]sim.Time{}
	for _, name := range []string{"spmv-bulk-gather", "spmv-gather", "spmv-scatter"} {
		k, _ := Lookup(name)
		w := k.New().(*spmv)
		w.Dimension, w.NonzeroRatio, w.Prefetch = 1<<10, 0, 100
		r := simulate(t, w, m, 8, 1, nodes.Options{})
		if r.Messages != 8*7 || r.Bytes != 8*7*1024 {
			t.Errorf("%s: %d messages, %d bytes", name, r.Messages, r.Bytes)
		}
		total[name] = r.Makespan()
	}
	if total["spmv-gather"] != total["spmv-bulk-gather"] {
		t.Errorf("gather ahead of everything takes %v, bulk gather %v", total["spmv-gather"], total["spmv-bulk-gather"])
	}
}

// On a machine that has rates for them, loops take time for each row and each nonzero, next to the bytes, and nothing where
// there are no nonzeros.
func TestSpMVLoops(t *testing.T) {
	m := paperMachine(1000, 500, 1)
	rate := func(kernel string, x float64) machines.Kernel {
		return machines.Kernel{Work: work(kernel), Rate: []machines.RatePoint{{N: 1, Rate: x}}}
	}
	took := func(ratio float64, kernels map[string]machines.Kernel) (sum sim.Time) {
		m.Kernels = kernels
		tasks := must.Get(spmvBlock(m, 100, ratio))(t)
		for _, task := range tasks {
			sum += task.Time
		}
		return sum
	}
	bytes := rate("spmv", 1e9)
	all := map[string]machines.Kernel{"spmv": bytes, "spmv-row": rate("spmv-row", 5e8), "spmv-nonzero": rate("spmv-nonzero", 2e9)}
	alone := took(0.03, map[string]machines.Kernel{"spmv": bytes})
	// 100 rows at 2 ns, 300 nonzeros at 1 ns
	if got := took(0.03, all) - alone; got != 500*sim.Nanosecond {
		t.Errorf("loops take %v, want 500 ns", got)
	}
	if got := took(0, all); got != 0 {
		t.Errorf("nothing takes %v", got)
	}
}

// A block of the matrix is read once (section 4.1).
func TestSpMVTraffic(t *testing.T) {
	if got := spmvTraffic(100, 0); got != 0 {
		t.Errorf("nothing moves %g bytes", got)
	}
	// 100 rows with 1 nonzero each: 12 bytes for it, 20 for the row and 8 for the source
	// vector.
	if got := spmvTraffic(100, 0.01); got != 100*(12+20+8) {
		t.Errorf("%g bytes, want 4000", got)
	}
}
