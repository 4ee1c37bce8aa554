package workloads

import (
	"pgregory.net/rapid"

	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
)

// simulate runs a workload with the given number of ranks on each node.
func simulate(t rapid.TB, w Workload, m *machines.Machine, ranks, perNode int, o nodes.Options) *results.Result {
	t.Helper()
	p, err := w.Program(m, ranks)
	if err != nil {
		t.Fatal(err)
	}
	r, err := nodes.Run(m, p, perNode, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
