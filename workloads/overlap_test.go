package workloads

import (
	"slices"
	"testing"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// overlapMachine has round numbers: L 5 us, o 1 us, p 2 us, G 1 ns/B. Messages are eager
// up to 1,000 B and then cost 1 ns/B more of CPU on each side.
func overlapMachine(r *machines.Runtime) *machines.Machine {
	m := &machines.Machine{Name: "m", Cores: 1, Processes: 1, Runtime: r}
	m.Network = network.LogGOPS{
		Latency:         5 * sim.Microsecond,
		SendOverhead:    network.Cost{{Base: 1 * sim.Microsecond, PerByte: 1000}},
		ReceiveOverhead: network.Cost{{Base: 2 * sim.Microsecond, PerByte: 1000}},
		Transfer:        network.PerByte(1000), Rendezvous: 1000,
	}
	return m
}

// The protocols as section V.C of the paper describes them, in microseconds, calculated
// by hand. The bytes take 100 and the computation takes 50, which is longer than any
// handshake. A message of 0 bytes takes o + L + p = 8, which the one-sided benchmarks
// subtract.
func TestOverlapByHand(t *testing.T) {
	const request = 1 + 5 + 2 // o, L, p: the target has matched the request
	for _, c := range []struct {
		name    string
		runtime machines.Runtime
		want    map[string]float64 // us
	}{
		{"write", machines.Runtime{Rendezvous: machines.Write}, map[string]float64{
			// Reply: o, L; reply taken, write posted: p + o; bytes, L; finish taken: p.
			"load": request + 1 + 5 + 3 + 100 + 5 + 2,
			// o, computation; only MPI_Wait takes the reply and posts the write.
			"sender": 1 + 50 + 3 + 100 + 5 + 2,
			// Clear to send: o; computation; only MPI_Wait takes the request: p, and
			// replies: o, L.
			"receiver": 1 + 50 + 2 + 1 + 5 + 3 + 100 + 5 + 2 - 8,
			// o, computation, reply taken and write posted: p + o, bytes, L, L.
			"cpu": 1 + 50 + 3 + 100 + 5 + 5,
		}},
		{"read", machines.Runtime{Rendezvous: machines.Read}, map[string]float64{
			// Read: o, L; bytes, L; bytes taken, finish sent: p + o. On the way back the
			// request arrives while the finish is being taken and waits 1 for it; half of
			// that counts.
			"load": request + 1 + 5 + 100 + 5 + 3 + 0.5,
			// The target reads while the sender computes; finish: L, p; then the
			// acknowledgement is taken: p.
			"sender": request + 1 + 5 + 100 + 5 + 3 + 5 + 2 + 2 - 8,
			// Only MPI_Wait takes the request, p, and posts the read.
			"receiver": 1 + 50 + 2 + 1 + 5 + 100 + 5 + 3 - 8,
		}},
		{"read by a thread", machines.Runtime{Progress: machines.Progression{By: machines.Thread}}, map[string]float64{
			// Clear to send: o, L, p; request: o, L, p; read: o, L; bytes, L, taken.
			"receiver": 8 + 8 + 1 + 5 + 100 + 5 + 3 - 8,
		}},
	} {
		s := must.Get(NewOverlapSuite(overlapMachine(&c.runtime), nil))(t)
		for _, b := range append([]*OverlapBenchmark{pingPong}, OverlapBenchmarks...) {
			want, ok := c.want[b.Name]
			if !ok {
				continue
			}
			got, _, err := s.Measure(b, OverlapPoint{100_000, 50 * sim.Microsecond})
			if err != nil {
				t.Fatal(err)
			}
			if us := got.Seconds() * 1e6; us < want-1e-9 || us > want+1e-9 {
				t.Errorf("%s: %s takes %g us, want %g", c.name, b.Name, us, want)
			}
		}
	}
}

// A round takes as long as one alone. On both sides node 1 computes too, and begins the rounds
// after the first one sooner, by the way of the message that synchronises, L + p = 7 us.
func TestOverlapRounds(t *testing.T) {
	for _, runtime := range []machines.Runtime{{Rendezvous: machines.Write}, {Rendezvous: machines.Read},
		{Progress: machines.Progression{By: machines.Thread}}} {
		m := overlapMachine(&runtime)
		for _, b := range OverlapBenchmarks {
			for _, bytes := range []int64{1, 100_000} {
				w := &overlap{OverlapPoint: OverlapPoint{bytes, 50 * sim.Microsecond}, Rounds: 1, benchmark: b}
				measured := func(rounds int64) float64 {
					w.Rounds = rounds
					metrics := w.Metrics(m, simulate(t, w, m, 2, 1, nodes.Options{}))
					all := metrics.List()
					return all[slices.IndexFunc(all, func(one Metric) bool { return one.Name == "measured_s" })].Value
				}
				once, sooner := measured(1), 0.0
				if b.Name == "both" {
					sooner = 7e-6 / 2
				}
				if got := measured(3); got > once || got < once-sooner*2/3-1e-12 {
					t.Errorf("%s, %d B: %v in a round of three, %v in one", b.Name, bytes, got, once)
				}
			}
		}
	}
}

// Eq. (1) in its limit cases.
func TestOverlapRatio(t *testing.T) {
	for _, c := range []struct {
		measured, communication, computation sim.Time
		want                                 float64
	}{
		{100, 100, 40, 0}, {100, 40, 100, 0}, // perfect overlap
		{140, 100, 40, 1}, {140, 40, 100, 1}, // one after another
		{120, 100, 40, 0.5}, {180, 100, 40, 2}, {92, 100, 40, -0.2},
	} {
		if got := OverlapRatio(c.measured, c.communication, c.computation); got != c.want {
			t.Errorf("%d, %d, %d: got %g, want %g", c.measured, c.communication, c.computation, got, c.want)
		}
	}
}
