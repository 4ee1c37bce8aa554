package workloads

import (
	"testing"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// Pieces of a face carry its bytes, and cost an overhead each: a rank posts 6 faces of k
// pieces in 6 k o where the NIC is faster than the processor, and takes them in in as much.
func TestHaloInPieces(t *testing.T) {
	const o, iterations = 300 * sim.Nanosecond, 2
	m := &machines.Machine{Name: "m", Cores: 1, Processes: 1, Network: network.LogGOPS{
		Latency: sim.Microsecond, SendOverhead: network.Constant(o), ReceiveOverhead: network.Constant(o), Transfer: network.PerByte(1)}}
	for _, pieces := range []int64{1, 3, 7, 1000} {
		w := &halo{Bytes: 1000, Pieces: pieces, Iterations: iterations, Compute: sim.Millisecond}
		p, err := w.Program(m, 27)
		if err != nil {
			t.Fatal(err)
		}
		r, err := nodes.Run(m, p, 1, nodes.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if want := uint64(27 * 6 * iterations * pieces); r.Messages != want || r.Bytes != 27*6*iterations*1000 {
			t.Errorf("%d pieces: %d messages of %d bytes, want %d of %d", pieces, r.Messages, r.Bytes, want, 27*6*iterations*1000)
		}
		for phase, name := range p.Phases() {
			want := 6 * iterations * sim.Time(pieces) * o
			if got := r.Ledgers[5][phase][results.Overhead]; name != "compute" && got != want {
				t.Errorf("%d pieces: phase %s costs %v of overhead, want %v", pieces, name, got, want)
			}
		}
	}
	for _, wrong := range []int64{0, -1, 1001, mostPieces + 1} {
		if _, err := (&halo{Bytes: 1000, Pieces: wrong}).Program(m, 27); err == nil {
			t.Errorf("%d pieces of 1000 bytes are accepted", wrong)
		}
	}
}
