package scenarios

import (
	"math"
	"testing"

	"overlapsim/nodes"
	"overlapsim/sim/must"
)

// Where nothing contends, operations of GPUs take as long as without a fabric, also where the flows of a NIC leave one after another.
func TestFlowsInTurn(t *testing.T) {
	const file = "machine: dgx-h100\nranks: 64\nworkload: {name: gpu-collective, operation: all-to-all, bytes: 64MiB}\n"
	const trees, packets = "workload.operation=all-reduce", 1
	span := func(set ...string) float64 {
		s := must.Get(studyText(file, set))(t)
		return must.Get(s.Runs[0].Run(nodes.Options{}))(t).Result.Makespan().Seconds()
	}
	for _, workload := range []string{"workload.algorithm=auto", "workload.algorithm=pairs", trees} {
		alone := span(workload)
		for i, fabric := range [][]string{
			{"fabric.kind=backlog", "topology={kind: fat-tree, children: [1, 64], parents: [1]}"},
			{"fabric={kind: packet, payload: 4KiB, packet: 4096B, slots: 16}", "topology={kind: crossbar}"},
		} {
			if workload == trees && i == packets {
				continue // the NICs of a tree have unequally much to send, and its packets wait behind each other
			}
			if got := span(append(fabric, workload)...); math.Abs(got/alone-1) > 0.002 {
				t.Errorf("%s: %g s, %g with %s", workload, alone, got, fabric[0])
			}
		}
	}
}
