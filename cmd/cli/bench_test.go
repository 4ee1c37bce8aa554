package cli

import (
	"testing"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/sim/must"
)

// BenchmarkRuns runs plain programs, one after the other: on the ideal fabric, with a library,
// and on links. The profile of released programs, released.pgo, is made from this benchmark
// (docs/contributing/performance.md).
func BenchmarkRuns(b *testing.B) {
	const here, halo = "machine: loggp\nprocesses_per_node: 1\n", "workload: {name: halo, bytes: 64KiB, compute: 1ms, iterations: "
	all := []struct {
		text   string
		events uint64
	}{
		{here + "ranks: 1024\n" + halo + "40}\n", 779264},
		{here + "ranks: 16384\nworkload: {name: dissemination, bytes: 8B}\n", 704512},
		{here + "ranks: 8192\nworkload: {name: allreduce-doubling, bytes: 8B}\n", 327680},
		{here + "ranks: 512\nworkload: {name: alltoall-linear, bytes: 1KiB}\n", 785408},
		{"machine: {base: hopper, runtime: openmpi-2.x}\nranks: 256\n" + halo + "20}\n", 349440},
		{"machine: {base: loggp, topology: {kind: torus, dims: [8, 8, 4]}, links: {bandwidth: 1GB/s}}\nfabric: {kind: flow}\nranks: 256\n" +
			halo + "5}\n", 32351},
	}
	for b.Loop() {
		for _, one := range all {
			study := must.Get(scenarios.Read("bench.yaml", []byte(one.text), nil))(b)
			outcome := must.Get(study.Runs[0].Run(nodes.Options{NoSymmetry: true}))(b)
			if outcome.Result.Events != one.events {
				b.Errorf("%s%d events, want %d", one.text, outcome.Result.Events, one.events)
			}
		}
	}
}
