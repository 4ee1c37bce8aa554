package workloads

import (
	"testing"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// Where nothing is shared, the halo takes as long as alone, and the collectives as long as alone.
func TestJobsThatShareNothing(t *testing.T) {
	m := &machines.Machine{Name: "test", Cores: 1, Processes: 1, Network: network.LogGOPS{Latency: sim.Microsecond, Gap: sim.Microsecond / 10}}
	end := func(w Workload, ranks int) *results.Result {
		return simulate(t, w, m, ranks, 1, nodes.Options{})
	}
	for _, others := range []int{0, 1, 5, 8} {
		keys := collectiveKeys{Algorithm: auto, Bytes: 4096}
		w := &haloBeside{Others: int64(others), Face: 1000, Iterations: 3, Compute: sim.Microsecond, Operation: "allreduce",
			collectiveKeys: keys, Repeat: 2}
		both := end(w, 12+others)
		halo := end(&halo{Bytes: 1000, Pieces: 1, Iterations: 3, Compute: sim.Microsecond}, 12)
		if got := latest(both.Finish[:12]); got != halo.Makespan().Seconds() {
			t.Errorf("the halo takes %g s beside %d others, %v alone", got, others, halo.Makespan())
		}
		if others == 0 {
			continue
		}
		alone := end(&oneCollective{Operation: "allreduce", collectiveKeys: keys, Repeat: 2}, others)
		if got := latest(both.Finish[12:]); got != alone.Makespan().Seconds() {
			t.Errorf("the collectives of %d others take %g s beside the halo, %v alone", others, got, alone.Makespan())
		}
	}
}
