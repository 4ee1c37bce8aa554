package workloads

import (
	"testing"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// Pieces of a face carry its bytes, and cost an overhead each: a rank posts 6 faces of k
// pieces in 6 k o where the NIC is faster than the processor, and takes them in in as much.
func TestHaloInPieces(t *testing.T) {
	const o, iterations = 300 * sim.Nanosecond, 2
	m := &machines.Machine{Name: "m", Cores: 1, Processes: 1, Network: network.LogGOPS{
		Latency: sim.Microsecond, SendOverhead: network.Constant(o), ReceiveOverhead: network.Constant(o), Transfer: network.PerByte(1)}}
	for _, pieces := range []int64{1, 3, 7, 1000} {
		w := &halo{Bytes: 1000, Pieces: pieces, Iterations: iterations, Compute: sim.Millisecond}
		p := must.Get(w.Program(m, 27))(t)
		r := must.Get(nodes.Run(m, p, 1, nodes.Options{}))(t)
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

// An all-reduce of 8 B at the end of an iteration adds its time: by recursive doubling of 8 ranks three rounds, each a message and its two
// overheads. All ranks begin it at once, as all are alike until then.
func TestHaloReduces(t *testing.T) {
	const o, latency, perByte = 300 * sim.Nanosecond, sim.Microsecond, 1000
	m := &machines.Machine{Name: "m", Cores: 1, Processes: 1, Network: network.LogGOPS{Latency: latency, SendOverhead: network.Constant(o),
		ReceiveOverhead: network.Constant(o), Transfer: network.PerByte(perByte)}}
	for _, iterations := range []int64{1, 5} {
		run := func(reduce int64) *results.Result {
			w := &halo{Bytes: 1000, Pieces: 1, Iterations: iterations, Compute: sim.Millisecond, Reduce: reduce}
			return must.Get(nodes.Run(m, must.Get(w.Program(m, 8))(t), 1, nodes.Options{}))(t)
		}
		alone, reduced := run(0), run(8)
		if got, want := reduced.Makespan()-alone.Makespan(), sim.Time(iterations)*3*(2*o+latency+8*perByte); got != want {
			t.Errorf("%d all-reduces add %v, want %v", iterations, got, want)
		}
		if got, want := reduced.Messages-alone.Messages, uint64(8*3*iterations); got != want || reduced.Bytes-alone.Bytes != 8*8*3*iterations {
			t.Errorf("%d all-reduces have %d messages, want %d", iterations, got, want)
		}
		if phase, ledger := alone.Phases, reduced.Ledgers[3][3]; len(phase) != 3 || ledger.Sum() != sim.Time(iterations)*3*(2*o+latency+8*perByte) {
			t.Errorf("phases %v, and the all-reduces take %v", phase, ledger.Sum())
		}
	}
	if _, err := (&halo{Bytes: 1, Pieces: 1, Reduce: -1}).Program(m, 8); err == nil {
		t.Error("an all-reduce of -1 B is accepted")
	}
}

// A grid with one block in a dimension sends nothing there: a rank of a plane has 4 faces, of a ring 2, and a rank alone none.
func TestHaloOfFewerDimensions(t *testing.T) {
	const o = 300 * sim.Nanosecond
	m := &machines.Machine{Name: "m", Cores: 1, Processes: 1, Network: network.LogGOPS{
		Latency: sim.Microsecond, SendOverhead: network.Constant(o), ReceiveOverhead: network.Constant(o), Transfer: network.PerByte(1)}}
	for _, c := range []struct {
		x, y, z int64
		ranks   int
		dims    [3]int
		faces   uint64
	}{
		{0, 0, 1, 36, [3]int{6, 6, 1}, 4}, {12, 0, 1, 36, [3]int{12, 3, 1}, 4}, {0, 1, 1, 7, [3]int{7, 1, 1}, 2}, {1, 0, 0, 8, [3]int{1, 4, 2}, 4},
		{0, 2, 0, 24, [3]int{4, 2, 3}, 6}, {0, 0, 0, 27, [3]int{3, 3, 3}, 6}, {0, 0, 0, 1, [3]int{1, 1, 1}, 0}, {2, 1, 1, 2, [3]int{2, 1, 1}, 2},
	} {
		p, err := (&halo{X: c.x, Y: c.y, Z: c.z, Bytes: 1000, Pieces: 1, Iterations: 3, Compute: sim.Millisecond}).Program(m, c.ranks)
		if err != nil {
			t.Errorf("%v: %v", c, err)
			continue
		}
		if got := p.(*haloProgram).dims; got != c.dims {
			t.Errorf("%v: the grid is %v", c, got)
		}
		r := must.Get(nodes.Run(m, p, 1, nodes.Options{}))(t)
		if want := 3 * c.faces * uint64(c.ranks); r.Messages != want || r.Uses.Sends(results.ToItself) {
			t.Errorf("%v: %d messages, want %d and none to a rank itself", c, r.Messages, want)
		}
		ledger := r.OfRank(0)
		if want := 2 * 3 * sim.Time(c.faces) * o; ledger[results.Overhead] != want {
			t.Errorf("%v: %v of overhead, want %v", c, ledger[results.Overhead], want)
		}
	}
	for _, wrong := range [][3]int64{{5, 0, 0}, {0, 0, -1}, {2, 2, 2}, {3, 3, 0}} {
		if _, err := (&halo{X: wrong[0], Y: wrong[1], Z: wrong[2], Bytes: 1, Pieces: 1}).Program(m, 27*2); wrong != [3]int64{3, 3, 0} && err == nil {
			t.Errorf("%v is a grid of 54", wrong)
		}
	}
}
