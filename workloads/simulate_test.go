package workloads

import (
	"pgregory.net/rapid"

	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim/must"
)

// simulate runs a workload with the given number of ranks on each node.
func simulate(t rapid.TB, w Workload, m *machines.Machine, ranks, perNode int, o nodes.Options) *results.Result {
	t.Helper()
	p := must.Get(w.Program(m, ranks))(t)
	return must.Get(nodes.Run(m, p, perNode, o))(t)
}
