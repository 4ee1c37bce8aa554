package overlap

import (
	"math"
	"testing"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/scenarios/files"
	"overlapsim/sim"
)

// If messages take only their latency, a long computation leaves all rounds of a collective
// except the first: two of the three of a small all-reduce of 8 ranks. Alongside a computation of
// one round or less, nothing else hides.
func TestCollectivesHideTheFirstRound(t *testing.T) {
	const latency = 64 * sim.Microsecond
	m := &files.Machine{Machine: &machines.Machine{Name: "test", Cores: 1, Processes: 1, Network: network.LogGOPS{Latency: latency}}}
	operations := 0
	l, err := RunCollectives("test", m, 8, func(work func() (*Map, error)) (*Map, error) { operations++; return work() })
	if err != nil || len(l.Maps) != operations {
		t.Fatal(err, len(l.Maps), operations)
	}
	for _, one := range l.Maps {
		const rounds = 3.0
		for y, compute := range one.Compute {
			c := one.Cells[y][3] // 8 bytes
			if c.Ledger.Sum() != c.Measured {
				t.Errorf("%s: the ledger sums to %s of %s", one.Name, c.Ledger.Sum(), c.Measured)
			}
			if one.Name != "allreduce" {
				continue
			}
			if one.Communication[3] != sim.Time(rounds)*latency {
				t.Fatalf("%s alone takes %s", one.Name, one.Communication[3])
			}
			hidden := min(compute, latency)
			want := float64(compute+sim.Time(rounds)*latency-hidden-max(compute, 3*latency)) / float64(min(compute, 3*latency))
			if math.Abs(c.Ratio-want) > 1e-9 {
				t.Errorf("%s beside %s: ratio %g, want %g", one.Name, compute, c.Ratio, want)
			}
		}
	}
}

// The white line is where the computation takes as long as the collective, in steps of 2.
func TestLineOfCollectives(t *testing.T) {
	m := &Map{Compute: []sim.Time{1000, 2000, 4000, 8000}, Communication: []sim.Time{1000, 4000, 100000}}
	if got := m.line(); got[0] != 0 || got[1] != 2 || !math.IsNaN(got[2]) {
		t.Error(got)
	}
}
