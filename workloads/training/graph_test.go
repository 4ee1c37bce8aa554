package training

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

const us = sim.Microsecond

// ofGraph returns a graph of operations, repeated once.
func ofGraph(operations ...operation) *graph {
	return &graph{Operations: operations, Repeat: 1, Precision: "bf16"}
}

// runGraph runs a graph without launches on GPUs with round numbers.
func runGraph(t *testing.T, w *graph, ranks int) *results.Result {
	t.Helper()
	m := node()
	m.GPUs.Kernels.Launch, m.GPUs.Kernels.Join = 0, 0
	return runOn(t, w, m, ranks)
}

func runOn(t *testing.T, w *graph, m *machines.Machine, ranks int) *results.Result {
	t.Helper()
	must.Do(t, w.CheckGPUs(m, place(ranks)))
	return must.Get(w.RunGPUs(m, place(ranks)))(t)
}

// Times on one stream add up; operations on two streams go on together, unless one waits for the other.
func TestGraphTimes(t *testing.T) {
	m := node().GPUs
	c := gpus.Communicator{Machine: m, Members: upTo(8)}
	reduce := must.Get(c.Time(gpus.AllReduce, 64<<20))(t)
	product := m.Product(gpus.BF16, 1, 2048, 2048, 2048)
	comm := operation{Name: "b", Stream: "comm", Collective: "all-reduce", Bytes: 64 << 20}
	after := comm
	after.After = []string{"a"}
	held := operation{Name: "c", Time: 5 * us, HostAfter: []string{"b"}}
	for i, c := range []struct {
		want sim.Time
		w    *graph
	}{
		{30 * us, ofGraph(operation{Name: "a", Time: 10 * us}, operation{Name: "b", Time: 20 * us})},
		{20 * us, ofGraph(operation{Name: "a", Time: 10 * us}, operation{Name: "b", Time: 20 * us, Stream: "other"})},
		{10*us + reduce.Total(), ofGraph(operation{Name: "a", Time: 10 * us}, after)},
		{15*us + reduce.Total(), ofGraph(operation{Name: "a", Time: 10 * us}, after, held)},
		{50 * us, ofGraph(operation{Name: "a", Time: 50 * us, Blocks: 500})},
		{60 * us, ofGraph(operation{Name: "a", Time: 30 * us, Blocks: 108}, operation{Name: "b", Time: 30 * us, Blocks: 108, Stream: "other"})},
		{3*us + sim.Time((product.Blocks+107)/108)*product.Block, ofGraph(operation{Name: "a", Time: 3 * us},
			operation{Name: "b", Product: []float64{2048, 2048, 2048}})},
	} {
		if got := runGraph(t, c.w, 8).Makespan(); got < c.want-2 || got > c.want+2 { // parts are rounded to picoseconds
			t.Errorf("case %d takes %v, want %v", i, got, c.want)
		}
	}
}

// Rounds follow each other: n rounds take n times as long as one, on one stream.
func TestRounds(t *testing.T) {
	w := ofGraph(operation{Name: "a", Time: 10 * us, Blocks: 50}, operation{Name: "b", Collective: "all-gather", Bytes: 1 << 20, After: []string{"a"}})
	once := runGraph(t, w, 4).Makespan()
	w.Repeat = 7
	if got := runGraph(t, w, 4).Makespan(); got != 7*once {
		t.Errorf("seven rounds take %v, one %v", got, once)
	}
}

// Collectives of the same GPUs share their links; those of other GPUs do not.
func TestGraphShares(t *testing.T) {
	one := func(name, stream string, gpus ...int) operation {
		return operation{Name: name, Stream: stream, Collective: "all-reduce", Bytes: 1 << 30, GPUs: gpus}
	}
	alone := runGraph(t, ofGraph(one("a", "x", 0, 1)), 4).Makespan()
	both := runGraph(t, ofGraph(one("a", "x", 0, 1), one("b", "y", 0, 1)), 4).Makespan()
	apart := runGraph(t, ofGraph(one("a", "x", 0, 1), one("b", "y", 2, 3)), 4).Makespan()
	if both < alone*18/10 || apart != alone {
		t.Errorf("alone %v, two of the same GPUs %v, two of different ones %v", alone, both, apart)
	}
}

// A product of 132 blocks next to a collective of 24 on 132 SMs takes two waves.
func TestWaves(t *testing.T) {
	m := node()
	m.GPUs.GPU.SMs = 132
	m.GPUs.Kernels.Launch, m.GPUs.Kernels.Join = 0, 0
	product := operation{Name: "gemm", Blocks: 132, Time: 100 * us}
	alone := runOn(t, ofGraph(product), m, 8).Makespan()
	for gather, want := range map[sim.Time][2]float64{75 * us: {1.7, 1.8}, 150 * us: {2, 2}} {
		w := ofGraph(operation{Name: "gather", Stream: "comm", Collective: "all-gather", Time: gather, Channels: 24}, product)
		if got := float64(runOn(t, w, m, 8).Makespan()) / float64(alone); got < want[0] || got > want[1] {
			t.Errorf("beside %v the product takes %.3f times as long", gather, got)
		}
	}
}

// One GPU stands for all if no operation names GPUs. Naming all of them gives the same, to the bit.
func TestGraphFolded(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		w := ofGraph()
		for i := range 1 + random.IntN(6) {
			o := operation{Name: fmt.Sprint("o", i), Stream: fmt.Sprint("s", random.IntN(3)), Time: sim.Time(1+random.IntN(50)) * us}
			if random.IntN(3) == 0 {
				o.Time, o.Collective, o.Bytes = 0, "all-reduce", int64(1+random.IntN(1<<24))
			} else {
				o.Blocks = int64(random.IntN(300))
			}
			if i > 0 && random.IntN(2) == 0 {
				o.After = []string{fmt.Sprint("o", random.IntN(i))}
			}
			w.Operations = append(w.Operations, o)
		}
		folded := runGraph(t, w, 4)
		unfolded := ofGraph(slices.Clone(w.Operations)...)
		unfolded.Operations[0].GPUs = upTo(4)
		all := runGraph(t, unfolded, 4)
		if fmt.Sprint(folded.Ledgers) != fmt.Sprint(all.Ledgers) || fmt.Sprint(folded.Hidden) != fmt.Sprint(all.Hidden) ||
			folded.Bytes != all.Bytes {
			t.Fatalf("folded %v\nall %v\nof %+v", folded.Ledgers, all.Ledgers, w)
		}
	}
}

// Groups are rows and columns of GPUs, and take the time of a group of that shape.
func TestGroups(t *testing.T) {
	m := node()
	m.GPUs.Kernels.Join = 0
	for _, c := range []struct {
		group, apart int64
		members      []int
	}{{4, 0, []int{0, 1, 2, 3}}, {2, 8, []int{0, 8}}} {
		com := gpus.Communicator{Machine: m.GPUs, Members: c.members}
		if c.apart > 0 {
			com.Machine = shared(m.GPUs, &com, int(c.apart))
		}
		cost := must.Get(com.Time(gpus.ReduceScatter, 256<<20))(t)
		w := ofGraph(operation{Name: "a", Collective: "reduce-scatter", Bytes: 256 << 20, Group: c.group, Apart: c.apart})
		if got := runOn(t, w, m, 16).Makespan(); got != cost.Total() {
			t.Errorf("groups of %d, %d apart, take %v, want %v", c.group, c.apart, got, cost.Total())
		}
	}
}

// Mistakes are reported at their keys, all at once.
func TestGraphMistakes(t *testing.T) {
	kernel := operation{Name: "a", Time: us}
	for want, w := range map[string]*graph{
		`operations[0].name: must be letters, digits, - or _`: ofGraph(
			operation{Name: "a b", Time: us}),
		`operations[1].name: a is the name of operations[0] too`: ofGraph(
			kernel, kernel),
		`operations[0].after: must name operations that are listed before it; "a"`: ofGraph(
			operation{Name: "a", Time: us, After: []string{"a"}}),
		`operations[0].name: a does not say how long it takes`: ofGraph(
			operation{Name: "a"}),
		`operations[0].gpus: must be different numbers of GPUs, 0 to 7; got 8`: ofGraph(
			operation{Name: "a", Time: us, GPUs: []int{8}}),
		`operations[0].channels: is of a collective, and a is not one`: ofGraph(
			operation{Name: "a", Time: us, Channels: 3}),
		`operations[0].blocks: is of a kernel, and a is a collective`: ofGraph(
			operation{Name: "a", Collective: "reduce", Bytes: 1, Blocks: 3}),
		`operations[0].collective: "reduc" is not known; use one of all`: ofGraph(
			operation{Name: "a", Collective: "reduc", Bytes: 1}),
		`operations[0].algorithm: all-gather has no algorithm tree`: ofGraph(
			operation{Name: "a", Collective: "all-gather", Bytes: 1, Algorithm: "tree"}),
		`operations[0].bytes: must be 1 to`: ofGraph(
			operation{Name: "a", Collective: "reduce"}),
		`operations[0].collective: send-receive is between 2 GPUs, got 8`: ofGraph(
			operation{Name: "a", Collective: "send-receive", Bytes: 1}),
		`operations[0].group: groups of 3 GPUs that are 1 apart need ranks that`: ofGraph(
			operation{Name: "a", Collective: "reduce", Bytes: 1, Group: 3}),
		`operations[0].apart: is of groups; give group too`: ofGraph(
			operation{Name: "a", Collective: "reduce", Bytes: 1, Apart: 3}),
		`operations[0].flops: say how long it takes, as time does`: ofGraph(
			operation{Name: "a", Time: us, Flops: 3}),
		`operations[0].product: says time, blocks, flops and bytes already`: ofGraph(
			operation{Name: "a", Time: us, Product: []float64{1, 1, 1}}),
		`operations[0].product: must be rows, columns and depth`: ofGraph(
			operation{Name: "a", Product: []float64{1, 1}}),
		`operations[0].bytes: 1000000000 in 1us are more than the memory moves`: ofGraph(
			operation{Name: "a", Time: us, Blocks: 1, Bytes: 1e9}),
		`operations[1].after: b does not run on all GPUs that a runs on`: ofGraph(
			operation{Name: "b", Time: us, GPUs: []int{1}},
			operation{Name: "a", Time: us, After: []string{"b"}}),
		`repeat: the operations take longer than a run can`: {Operations: []operation{kernel}, Repeat: 1 << 20, Precision: "bf16"},
		`streams[0].name: must be letters`: {Operations: []operation{kernel}, Streams: []streamKey{{Name: "é"}},
			Repeat: 1, Precision: "bf16"},
	} {
		if strings.HasPrefix(want, "repeat") {
			w.Operations[0].Time = machines.Longest / 100
		}
		if err := w.CheckGPUs(node(), place(8)); err == nil || !strings.Contains(errors.Join(err).Error(), want) {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}
