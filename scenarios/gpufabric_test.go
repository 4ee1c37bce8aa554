package scenarios

import (
	"fmt"
	"math"
	"testing"

	"overlapsim/nodes"
	"overlapsim/sim/must"
)

// Steps of two jobs whose nodes are on the same leaves have the loads of links, over time too. They take as long as without a fabric
// where nothing contends, and longer with half of the cables. Without links there are no loads.
func TestGPUsOnFabric(t *testing.T) {
	const text = "machine: dgx-a100\nranks: 64\ntopology: {kind: fat-tree, children: [2, 32], parents: [1]}\nfabric: {kind: flow}\n" +
		"workload: {name: transformer, layers: 2, tp: 8, jobs: 2}\n"
	run := func(o nodes.Options, settings ...string) (makespan int64, links, bytes float64) {
		t.Helper()
		study := must.Get(studyText(text, settings))(t)
		out := must.Get(study.Runs[0].Run(o))(t)
		if out.Links != nil {
			if err := out.Links.Check(); err != nil {
				t.Error(err)
			}
			links = out.Links.ByteHops()
		}
		if traffic := out.Result.Traffic; traffic != nil {
			for link := range out.Links.Shape.Links() {
				for _, n := range traffic.Bytes(link) {
					bytes += float64(n)
				}
			}
		}
		return int64(out.Result.Makespan()), links, bytes
	}
	ideal, none, _ := run(nodes.Options{}, "fabric.kind=ideal")
	free, off, _ := run(nodes.Options{}, "without=links")
	full, links, _ := run(nodes.Options{}, "topology.parents=[2]")
	slow, more, recorded := run(nodes.Options{Traffic: true})
	if ideal != free || ideal != full || none != 0 || off != 0 {
		t.Errorf("%d without a fabric, %d without links, %d on a full tree", ideal, free, full)
	}
	if slow <= full || links == 0 || more != links || recorded < links*(1-1e-6) || recorded > links*(1+1e-6) {
		t.Errorf("half of the cables: %d instead of %d; %.0f bytes on links instead of %.0f, %.0f over time", slow, full, more, links, recorded)
	}
}

// Law: on a network on which nothing contends, each workload on GPUs takes the same picoseconds as without one. With half of the cables
// those that send more than one cable carries take longer.
func TestEachWorkloadOnFabric(t *testing.T) {
	for workload, slower := range map[string]bool{
		"{name: transformer, layers: 2, tp: 8}":                                          false,
		"{name: gpu-collective, operation: all-to-all, bytes: 256MiB}":                   true,
		"{name: gpu-collective, operation: all-reduce, bytes: 256MiB, skew: 1ms}":        true, // a tree
		"{name: expert-exchange}":                                                        true,
		"{name: gemm-collective, rows: 8192, columns: 8192, depth: 1024, how: sequence}": false,
		"{name: gemm-collective, rows: 8192, columns: 8192, depth: 1024, how: pieces}":   false,
		"{name: gradient-update, numbers: 100000000}":                                    true,
		"{name: ddp}":                 true,
		"{name: halo-gpus}":           true,
		"{name: halo-gpus, by: nccl}": true,
		"{name: graph, operations: [{name: a, collective: all-to-all, bytes: 24MiB, group: 8, apart: 8}, {name: b, time: 1ms}]}": true,
		"{name: graph, operations: [{name: a, collective: all-to-all, bytes: 24MiB}]}":                                           true,
	} {
		text := "machine: dgx-h100\nranks: 64\ntopology: {kind: fat-tree, children: [2, 32], parents: [1]}\nfabric: {kind: flow}\nworkload: " + workload
		took := func(settings ...string) int64 {
			study, err := studyText(text, settings)
			if err != nil {
				t.Fatal(workload, err)
			}
			out, err := study.Runs[0].Run(nodes.Options{})
			if err != nil {
				t.Fatal(workload, err)
			}
			return int64(out.Result.Makespan())
		}
		ideal, full, half := took("fabric.kind=ideal"), took("topology.parents=[2]", "topology.multipath=spray"), took()
		if full != ideal || half < full || slower != (half > full) {
			t.Errorf("%s: %d without a network, %d on a full tree, %d with half of the cables", workload, ideal, full, half)
		}
	}
}

// Law: an exchange of tokens sends no more through a NIC than the NIC carries, and nothing where all GPUs are in one domain. What benchmarks
// count for the network exceeds it by the tokens for the own domain: for direct kernels by the number of domains in proportion to the others.
func TestExchangeThroughNIC(t *testing.T) {
	for _, machine := range []string{"dgx-h100", "dgx-h800", "h800"} {
		for _, ranks := range []int{8, 16, 64} {
			for _, kernel := range []string{"two-stage", "direct"} {
				text := fmt.Sprintf("machine: %s\nranks: %d\nworkload: {name: expert-exchange, kernel: %s, tokens: 40960}\n", machine, ranks, kernel)
				out := must.Get(must.Get(studyText(text, nil))(t).Runs[0].Run(nodes.Options{}))(t)
				got := map[string]float64{}
				for _, m := range out.Metrics {
					got[m.Name] = m.Value
				}
				domains, node := float64(ranks)/8, &out.Machine.GPUs.Node
				through, crosses := got["network_GBps"]
				logical, counted := got["logical_network_GBps"]
				if crosses != (domains > 1) || through*1e9 > node.NICs[0].Bandwidth || counted != (crosses || kernel == "direct") {
					t.Errorf("%s: %v", text, got)
				}
				if want := through * domains / (domains - 1); crosses && kernel == "direct" && math.Abs(logical/want-1) > 1e-9 {
					t.Errorf("%s: logical %g, want %g", text, logical, want)
				}
			}
		}
	}
}
