package scenarios

import (
	"fmt"
	"slices"
	"testing"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/sim/must"
)

const smallAdvection = `
machine: xenon
workload: {name: advection-%s, x: 40, y: 30, z: 20, steps: 16}
ranks: %d
processes_per_node: 4
mapping: cyclic-all
`

// The ranks are distributed over the nodes of the SMT cluster, with the threads of a
// process together. A run finds the tile and the grid that are left open, and reports
// them.
func TestAdvectionIsTuned(t *testing.T) {
	for name, want := range map[string][]int32{
		"std": {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3}, "asym": {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5},
	} {
		study := must.Get(studyText(fmt.Sprintf(smallAdvection, name, 12), nil))(t)
		s := study.Runs[0]
		if !slices.Equal(s.Nodes, want) {
			t.Errorf("%s: ranks are on %v, want %v", name, s.Nodes, want)
		}
		o := must.Get(s.Run(nodes.Options{}))(t)
		found := map[string]float64{}
		for _, m := range o.Metrics {
			found[m.Name] = m.Value
		}
		processes := map[string]float64{"std": 12, "asym": 6}[name]
		if found["tile"] < 1 || found["grid_x"]*found["grid_y"]*found["grid_z"] != processes ||
			found["total_s"] != o.Result.Makespan().Seconds() {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// With more than one process per processor threads interfere; up to one they do not. The
// memory of a node has enough bandwidth for two.
func TestSiblingsOfXenonInterfere(t *testing.T) {
	for ranks, interferes := range map[int]bool{16: false, 32: true} {
		study := must.Get(studyText(fmt.Sprintf(smallAdvection, "std", ranks), []string{"workload.tile=1"}))(t)
		o := must.Get(study.Runs[0].Run(nodes.Options{}))(t)
		ledger := o.Ledger()
		if got := !ledger[results.Interference].Zero(); got != interferes {
			t.Errorf("%d ranks: interference %v", ranks, ledger[results.Interference])
		}
	}
}
