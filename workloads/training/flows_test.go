package training

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/network"
	"overlapsim/network/flow"
	"overlapsim/network/topology"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
	"overlapsim/sim/must"
	"overlapsim/workloads/experiments"
)

// onTree is the place of GPUs whose NICs are on a fat tree: each NIC of a node on its own leaf. Cables are as fast as NICs.
func onTree(t must.Test, m *machines.Machine, ranks int, shape topology.Topology) experiments.Place {
	p := place(ranks)
	rails := must.Get(topology.NewRails(shape, len(m.GPUs.Node.NICs), true))(t)
	rate := sim.Rate(m.GPUs.Node.NICs[0].Bandwidth * m.GPUs.Fit.Network)
	p.Point = rails.Point
	p.Fabric = func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
		return flow.New(k, sink, shape, flow.Params{Capacity: []sim.Rate{rate}, Injection: rate, Ejection: rate})
	}
	return p
}

// tree is a fat tree of two levels.
func tree(t must.Test, leaf, leaves, parents int, sprayed bool) topology.Topology {
	shape := topology.Tree{Down: []int{leaf, leaves}, Up: []int{parents}}
	if sprayed {
		return must.Get(topology.NewSprayed(shape))(t)
	}
	return must.Get(topology.NewFatTree(shape))(t)
}

// Law: on a fabric without oversubscription, where operations do not go on at the same time, a step takes the same picoseconds as
// without a fabric, regardless of the layout.
func TestFullFabricChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one := func(label string, values ...int64) int64 { return rapid.SampledFrom(values).Draw(t, label) }
		m := node()
		w := small(func(w *transformer) {
			w.TP, w.PP, w.DP = one("tp", 1, 2, 8), one("pp", 1, 2, 4), one("dp", 1, 2, 4)
			w.ZeRO, w.GlobalBatch = one("zero", 0, 1, 2), w.DP*4
			w.Sequence = one("sequence", 1024, 2048)
			w.SequenceParallel = w.TP > 1 && rapid.Bool().Draw(t, "sequence parallel")
			w.Recompute = rapid.SampledFrom([]string{"none", "selective", "full"}).Draw(t, "recompute")
			if rapid.Bool().Draw(t, "experts") && w.ZeRO == 0 {
				w.Experts, w.EP, w.SequenceParallel = 16, min(one("ep", 1, 4, 16), w.TP*w.DP), w.TP > 1
			}
		})
		ranks := int(w.TP * w.PP * w.DP)
		if ranks > 8 && ranks%8 != 0 || w.CheckGPUs(m, place(ranks)) != nil {
			t.Skip("does not fit")
		}
		plain := must.Get(w.RunGPUs(m, place(ranks)))(t)
		on := must.Get(w.RunGPUs(m, onTree(t, m, ranks, tree(t, 4, 32, 4, rapid.Bool().Draw(t, "spray")))))(t)
		if plain.Makespan() != on.Makespan() || plain.Bytes != on.Bytes {
			t.Fatalf("%+v on %d GPUs: %v without a fabric, %v on one that nothing fills", w, ranks, plain.Makespan(), on.Makespan())
		}
	})
}

// Four replicas on nodes with one NIC, two nodes on a leaf with one cable up: the rings of all tensor-parallel ranks together fill a
// NIC, and cross each cable once. Therefore with cables of 1/k of a NIC the sums of gradients take k times as long.
func TestOversubscription(t *testing.T) {
	m := node()
	m.GPUs.Node.NICs = m.GPUs.Node.NICs[:1] // one rail, so that the rings of all 8 tensor-parallel ranks share the NIC
	w := small(func(w *transformer) { w.TP, w.DP, w.Hidden, w.Heads = 8, 4, 2048, 16 })
	whole := func(shape topology.Topology) float64 {
		p := onTree(t, m, 32, shape)
		r := must.Get(w.RunGPUs(m, p))(t)
		return r.Makespan().Seconds()
	}
	b := must.Get(w.builder(m, place(32)))(t)
	g := must.Get(b.build())(t)
	transfer := sim.Time(0) // of the sums of gradients, the only operations between nodes
	for i := range g.Ops {
		if o := &g.Ops[i]; o.Kind == dataComm && o.Collective > 0 {
			transfer += g.Collectives[o.Collective-1].Transfer
		}
	}
	full := stepOf(t, w, m, 32).Seconds()
	for _, c := range []struct{ slow, want float64 }{{1, 0}, {2, 1}, {4, 3}} {
		shape := tree(t, 2, 4, 1, false) // two nodes on a leaf, and one cable up
		p := onTree(t, m, 32, shape)
		rate := sim.Rate(m.GPUs.Node.NICs[0].Bandwidth * m.GPUs.Fit.Network)
		p.Fabric = func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
			return flow.New(k, sink, shape, flow.Params{Capacity: []sim.Rate{rate / sim.Rate(c.slow)}, Injection: rate, Ejection: rate})
		}
		r := must.Get(w.RunGPUs(m, p))(t)
		if got, want := r.Makespan().Seconds(), full+c.want*transfer.Seconds(); math.Abs(got/want-1) > 1e-6 {
			t.Errorf("cables of 1/%v: %.9g s, want %.9g", c.slow, got, want)
		}
	}
	if got := whole(tree(t, 2, 4, 2, false)); math.Abs(got/full-1) > 1e-9 {
		t.Errorf("with as many cables as NICs: %v s, want %v", got, full)
	}
}

// Two jobs that share nothing take as long as one. On cables that both need, neither is faster than alone, and both together are
// at most twice as slow.
func TestTwoJobs(t *testing.T) {
	m := node()
	one := small(func(w *transformer) { w.TP, w.DP = 8, 4 })
	two := small(func(w *transformer) { w.TP, w.DP, w.Jobs = 8, 4, 2 })
	times := func(w *transformer, ranks int, shape topology.Topology) sim.Time {
		p := place(ranks)
		if shape != nil {
			p = onTree(t, m, ranks, shape)
		}
		r := must.Get(w.RunGPUs(m, p))(t)
		return r.Makespan()
	}
	alone := times(one, 32, nil)
	if got := times(two, 64, nil); got != alone {
		t.Errorf("two jobs without a fabric take %v, one %v", got, alone)
	}
	fsdp := func(jobs int64) *transformer {
		return small(func(w *transformer) { w.TP, w.DP, w.ZeRO, w.Jobs = 1, 8, 3, jobs })
	}
	for name, shape := range map[string]topology.Topology{"no fabric": nil, "a cable each": tree(t, 2, 64, 2, false)} {
		// Parameters and gradients of a job share the links of a GPU, which belong to no other job.
		if got, alone := times(fsdp(2), 16, shape), times(fsdp(1), 8, nil); got != alone {
			t.Errorf("two jobs with zero 3, %s: %v, one %v", name, got, alone)
		}
	}
	// Nodes of both jobs alternate: on leaves of 2 each ring crosses on every hop, both by the one cable.
	if got := times(two, 64, tree(t, 2, 64, 2, false)); got != alone {
		t.Errorf("two jobs with a cable each take %v, one %v", got, alone)
	}
	if says := two.Described(&machines.Machine{GPUs: m.GPUs}, place(64)); says[0] != "2 jobs of 32 GPUs" {
		t.Errorf("two jobs are described as %q", says)
	}
	single, both := times(one, 32, tree(t, 2, 64, 1, false)), times(two, 64, tree(t, 2, 64, 1, false))
	if single != alone || both <= single || both >= 2*single {
		t.Errorf("on one cable: one job %v, two %v; without a fabric %v", single, both, alone)
	}
}
