package workloads

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
)

// Section 7.5: the procedure returns the machine's o and max(o, g) if a put occupies the
// wire for less than max(o, g).
func TestOverheadAndGapComeBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o := sim.Time(rapid.Int64Range(1, 3_000_000).Draw(rt, "o"))
		g := sim.Time(rapid.Int64Range(1, 5_000_000).Draw(rt, "g"))
		m := paperMachine(o, g, 1)
		m.Network.Startup = max(o, g) - complexBytes
		m.Network.Latency = sim.Time(rapid.Int64Range(0, 5_000_000).Draw(rt, "L"))
		if m.Network.Startup < 0 {
			m.Network.Startup = 0
			m.Network.Transfer = nil
		}
		got := measureOverheadGap(t, m, rapid.IntRange(2, 5).Draw(rt, "P"))
		want := [2]float64{o.Seconds(), max(o, g).Seconds()}
		for i := range got {
			if math.Abs(got[i]/want[i]-1) > 1e-9 {
				rt.Fatalf("measured o, g = %v, the machine has %v", got, want)
			}
		}
	})
}

// If the number of puts in flight is limited, a longer transfer is measured in place of
// the gap. This is why the paper's g, measured with rows of 8 KiB, is more than the gap.
func TestGapHiddenByBytes(t *testing.T) {
	m := paperMachine(sim.Microsecond, 2*sim.Microsecond, 0)
	m.Network.Startup = 10 * sim.Microsecond
	m.Network.Outstanding = 4
	if got := measureOverheadGap(t, m, 2)[1]; got < 8e-6 || got > 10e-6 {
		t.Errorf("gap %g s, where four puts at a time of 10 us each may be on their way", got)
	}
}

func measureOverheadGap(t *testing.T, m *machines.Machine, ranks int) [2]float64 {
	t.Helper()
	w := &overheadGap{Bytes: complexBytes, Puts: 64, Compute: 20 * sim.Microsecond}
	r := simulate(t, w, m, ranks, 1, nodes.Options{})
	metrics := list(w.Metrics(m, r))
	return [2]float64{metrics[0].Value, metrics[1].Value}
}
