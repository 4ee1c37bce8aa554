package workloads

import (
	"testing"

	"overlapsim/network"
	"overlapsim/network/flow"
	"overlapsim/network/topology"
	"overlapsim/nodes"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// A contended fabric without contention gives the same result as the ideal fabric: every
// finish time, ledger and span is equal. The ideal fabric knows every time in advance;
// the contended one knows none.
func TestQuietFabricEqualsIdeal(t *testing.T) {
	m := peerMachine()
	m.Cores, m.Processes = 4, 2
	m.Network.QueueDepth, m.Network.Outstanding, m.Network.Startup = 1, 4, 300*ns
	m.Barrier.PerRound = 3000 * ns
	m.Kernels = allKernels
	shape := must.Get(topology.NewCrossbar(8))(t)
	fabric := func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
		return flow.New(k, sink, shape, flow.Params{Latency: m.Network.Latency})
	}
	for _, name := range []string{"ft-exchange", "ft-slabs", "ft-pencils", "ft-overlap", "dissemination", "allreduce-doubling", "token-ring"} {
		for _, perNode := range []int{1, 2} {
			kind, _ := Lookup(name)
			w := kind.New()
			shrink(w)
			program, err := w.Program(m, 8)
			if err != nil {
				t.Fatal(name, err)
			}
			want, err := nodes.Run(m, program, perNode, nodes.Options{Timeline: true})
			if err != nil {
				t.Fatal(name, err)
			}
			got, err := nodes.Run(m, program, perNode, nodes.Options{Timeline: true, Fabric: fabric})
			if err != nil {
				t.Fatal(name, err)
			}
			got.Events = want.Events
			compare(t, name, want, got)
		}
	}
}

// Placing ranks by hand in blocks is the same as not placing them. Node numbers belong to
// the fabric and change nothing on an ideal fabric.
func TestPlacedInBlocks(t *testing.T) {
	m := peerMachine()
	m.Cores, m.Processes = 4, 2
	m.Kernels = allKernels
	kind, _ := Lookup("ft-pencils")
	w := kind.New()
	shrink(w)
	program := must.Get(w.Program(m, 8))(t)
	want := must.Get(nodes.Run(m, program, 2, nodes.Options{Timeline: true}))(t)
	got := must.Get(nodes.Run(m, program, 2, nodes.Options{Timeline: true, Nodes: []int32{70, 70, 3, 3, 0, 0, 9, 9}}))(t)
	compare(t, "placed", want, got)
	if _, err := nodes.Run(m, program, 2, nodes.Options{Nodes: []int32{0, 0, 0, 1, 1, 2, 2, 3}}); err == nil {
		t.Error("three ranks on a node of two are no error")
	}
}
