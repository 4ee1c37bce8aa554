package nodes

import (
	"slices"
	"testing"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// chain is a pipelined broadcast along the ranks: each one forwards a segment as soon as it has it.
func chain(ranks, segments int, bytes int32) *script {
	all := make([][]programs.Op, ranks)
	for r := range all {
		for i := range int32(segments) {
			if r > 0 {
				all[r] = append(all[r], irecv(int32(r-1), i, 0), wait(0))
			}
			if r < ranks-1 {
				all[r] = append(all[r], isend(int32(r+1), bytes, i, 1), wait(1))
			}
		}
	}
	return &script{1, all, 1}
}

// Each rank needs for a segment its NIC's time G, or the job j that takes it in and the overhead o
// of sending it on. The longer of the two is the pace of the pipeline. The first segment takes
// o + G + L + j from rank to rank. A NIC so fast that segments arrive faster than the CPU takes
// them in changes nothing: a wait returns when its own segment is there.
func TestRule12ChainOfWaits(t *testing.T) {
	const o, j, latency, ranks, segments, bytes = 400, 600, 5000, 6, 200, 100
	for _, perByte := range []sim.Time{16, 8, 4, 2, 1} {
		m := &machines.Machine{Name: "chain", Cores: 1, Processes: 1, Network: network.LogGOPS{
			Latency: latency, SendOverhead: network.Constant(o), Transfer: network.PerByte(float64(perByte))},
			Runtime: &machines.Runtime{Matching: j, Progress: machines.Progression{By: machines.InWaits}}}
		r := must.Get(Run(m, chain(ranks, segments, bytes), 1, Options{Critical: true}))(t)
		g := perByte * bytes
		if got, want := r.Makespan(), (ranks-1)*(o+g+latency+j)+(segments-1)*max(g, o+j); got != want {
			t.Errorf("G %d: %d, want %d", g, got, want)
		}
	}
}

// Regardless of who does the jobs, a faster NIC makes the chain no slower, also where posts do jobs of later
// segments before they forward their own.
func TestRule12ChainByAgent(t *testing.T) {
	for _, by := range machines.Agents() {
		before := sim.Forever
		for _, perByte := range []sim.Time{16, 8, 4, 2, 1} {
			m := &machines.Machine{Name: "chain", Cores: 1, Processes: 1, Network: network.LogGOPS{
				Latency: 5000, SendOverhead: network.Constant(400), Transfer: network.PerByte(float64(perByte))},
				Runtime: &machines.Runtime{Matching: 600, Progress: machines.Progression{By: by, Every: 100}}}
			r := must.Get(Run(m, chain(6, 200, 100), 1, Options{Critical: true}))(t)
			if r.Makespan() > before {
				t.Errorf("agent %d, G %d: %d, with a slower NIC %d", by, perByte*100, r.Makespan(), before)
			}
			before = r.Makespan()
		}
	}
}

// A wait for a request that is complete does no job, and one that ends leaves the jobs after its own
// to the next call: here three messages have come, the wait for the first takes in one, and the
// others are taken in after the computation.
func TestRule12WaitReturns(t *testing.T) {
	m := &machines.Machine{Name: "returns", Cores: 1, Processes: 1, Network: network.LogGOPS{Transfer: network.PerByte(1)},
		Runtime: &machines.Runtime{Matching: 100, Progress: machines.Progression{By: machines.InWaits}}}
	sends := []programs.Op{isend(1, 8, 0, 0), isend(1, 8, 1, 1), isend(1, 8, 2, 2), wait(0), wait(1), wait(2)}
	receives := []programs.Op{irecv(0, 0, 0), irecv(0, 1, 1), irecv(0, 2, 2), compute(1000), wait(0), put(0, 0, 3), wait(3), compute(500), wait(1), wait(2)}
	r := must.Get(Run(m, &script{1, [][]programs.Op{sends, receives}, 1}, 1, Options{Timeline: true, Critical: true}))(t)
	var computes []sim.Time
	for _, lane := range r.Timeline.Lanes {
		for _, s := range lane.All() {
			if lane.Kind == results.CPULane && lane.Index == 1 && s.Term == results.Compute {
				computes = append(computes, s.Start)
			}
		}
	}
	if want := []sim.Time{0, 1100}; !slices.Equal(computes, want) || r.Finish[1] != 1100+500+200 {
		t.Errorf("computes at %v and ends at %v, want %v and 1800", computes, r.Finish[1], want)
	}
}
