package workloads

import (
	"math"
	"testing"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
	"overlapsim/workloads/collectives"
)

// tuned is the program that a run would take, on the ideal fabric.
func tuned(t must.Test, w Tuned, m *machines.Machine, ranks int) programs.Program {
	return must.Get(w.Tune(m, ranks, func(p programs.Program) (*results.Result, error) { return nodes.Run(m, p, 1, nodes.Options{}) }))(t)
}

// columns are the metrics of a run on the ideal fabric.
func columns(t must.Test, w *osuNBC, m *machines.Machine, ranks int) []Metric {
	run := func(p programs.Program) *results.Result { return must.Get(nodes.Run(m, p, 1, nodes.Options{}))(t) }
	return w.MetricsWith(run(tuned(t, w, m, ranks)), run(must.Get(w.Other(m, ranks))(t))).list
}

// Where the NIC does everything, the first round of a non-blocking collective hides and the
// others do not, because none begins without a call: with R rounds of equal length, (R-1)/R of its time is left. A round without
// messages, such as the first one of Bruck's all-to-all, is over in the call.
func TestRoundsAreLeft(t *testing.T) {
	m := &machines.Machine{Name: "test", Cores: 1, Processes: 1, Network: network.LogGOPS{Latency: 10 * sim.Microsecond}}
	for ranks, want := range map[int]float64{2: 0, 4: 0.5, 8: 2.0 / 3, 16: 0.75} {
		for operation, algorithm := range map[string]string{"allreduce": "doubling", "alltoall": "bruck"} {
			w := &osuNBC{Operation: operation, collectiveKeys: collectiveKeys{Algorithm: algorithm, Bytes: 1024}}
			for _, metric := range columns(t, w, m, ranks) {
				if metric.Name == "r" && (metric.Value < want-1e-9 || metric.Value > want+1e-9) {
					t.Errorf("%s of %d ranks: r is %g, want %g", algorithm, ranks, metric.Value, want)
				}
			}
		}
	}
}

// Nothing hides a reading of the clock: alone there is one between the ends, next to the computation
// there are six, and one that the benchmark counts as computation.
func TestReadingsOfTheClock(t *testing.T) {
	m := &machines.Machine{Name: "test", Cores: 1, Processes: 1, Network: network.LogGOPS{Latency: 10 * sim.Microsecond}}
	w := &osuNBC{Operation: "allreduce", collectiveKeys: collectiveKeys{Algorithm: "doubling", Bytes: 1000}, Clock: sim.Microsecond}
	want := map[string]float64{"overall_s": 18e-6, "compute_s": 12e-6, "pure_comm_s": 11e-6, "r": 6.0 / 11}
	for _, metric := range columns(t, w, m, 2) {
		if x, ok := want[metric.Name]; ok && math.Abs(metric.Value-x) > 1e-9*x {
			t.Errorf("%s is %g, want %g", metric.Name, metric.Value, x)
		}
	}
}

// Tests during the computation are not computation, as in the benchmark: nine of 1 us in 100 us are what is left of an all-reduce
// whose three rounds of 10 us hide.
func TestTestsAreNotComputation(t *testing.T) {
	m := &machines.Machine{Name: "test", Cores: 1, Processes: 1, Network: network.LogGOPS{Latency: 10 * sim.Microsecond},
		Runtime: &machines.Runtime{Progress: machines.Progression{By: machines.Testing, Every: 10 * sim.Microsecond, Test: sim.Microsecond}}}
	w := &osuNBC{Operation: "allreduce", collectiveKeys: collectiveKeys{Algorithm: "doubling", Bytes: 1000}, Compute: 100 * sim.Microsecond}
	want := map[string]float64{"overall_s": 109e-6, "compute_s": 100e-6, "pure_comm_s": 30e-6, "r": 0.3, "overlap_percent": 70}
	for _, metric := range columns(t, w, m, 8) {
		if x := want[metric.Name]; math.Abs(metric.Value-x) > 1e-9*x {
			t.Errorf("%s is %g, want %g", metric.Name, metric.Value, x)
		}
	}
}

// Non-blocking collectives are those of the library's other table, where it has one; barriers have no bytes; a block goes to each
// neighbour.
func TestWhatCollectivesSend(t *testing.T) {
	m := &machines.Machine{Name: "test", Cores: 8, Processes: 8, Runtime: &machines.Runtime{Collectives: "openmpi-5"}}
	for _, c := range []struct {
		of   string
		keys collectiveKeys
		by   string
		want int64
	}{
		{"allreduce", collectiveKeys{Bytes: 1 << 20}, "han", 1 << 20},
		{"allreduce", collectiveKeys{Bytes: 1 << 20, nonblocking: true}, "rabenseifner", 1 << 20},
		{"barrier", collectiveKeys{Bytes: 1 << 20}, "", 0},
		{"neighbour-alltoall", collectiveKeys{Block: 64 << 10}, "linear", 6 * 64 << 10},
		{"alltoall", collectiveKeys{Block: 64 << 10}, "", 64 * 64 << 10},
	} {
		c.keys.Algorithm = auto
		g, a, err := c.keys.plan(c.of, m, 64)
		if err != nil || g.Bytes != c.want || c.by != "" && a.Name != c.by {
			t.Errorf("%s %+v: %s of %d B, %v", c.of, c.keys, a.Name, g.Bytes, err)
		}
	}
}

// A live program that tests while it computes lets the library begin the next round: of an
// all-reduce in three rounds of 10 us next to a computation of 40 us in pieces, nothing is
// left but the piece in which the last round ends. Without tests two rounds are left.
func TestProgressBeginsRounds(t *testing.T) {
	m := &machines.Machine{Name: "test", Cores: 1, Processes: 1, Network: network.LogGOPS{Latency: 10 * sim.Microsecond}}
	for pieces, want := range map[int]sim.Time{1: 60 * sim.Microsecond, 4: 40 * sim.Microsecond, 40: 40 * sim.Microsecond} {
		r, err := nodes.RunLive(m, 8, nil, func(p *nodes.Process) {
			g := collectives.Group{Ranks: 8, Me: p.Rank(), Bytes: 1000, Request: 1}
			collectives.Start(collectives.AllreduceDoubling, g, 0, p)
			for range pieces {
				p.Compute(machines.Task{Time: 40 * sim.Microsecond / sim.Time(pieces)}, 1)
				p.Test(0)
			}
			p.Wait(0)
		}, 1, nodes.Options{})
		if err != nil || r.Makespan() != want {
			t.Errorf("%d pieces: %v, %v; want %v", pieces, r.Makespan(), err, want)
		}
	}
}
