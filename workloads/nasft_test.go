package workloads

import (
	"fmt"
	"math"
	"testing"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// nasMachine computes at 1 GF/s, or half of that on strided data, and copies at 1 GB/s.
func nasMachine() *machines.Machine {
	flat := func(work func(float64) float64, rate float64) machines.Kernel {
		return machines.Kernel{Work: work, Rate: []machines.RatePoint{{N: 1, Rate: rate}}}
	}
	return &machines.Machine{Name: "nas", Cores: 4, Processes: 4,
		Network: network.LogGOPS{
			Latency: sim.Microsecond, SendOverhead: network.Constant(sim.Microsecond), Gap: sim.Microsecond,
			Transfer: network.PerByte(1000), Rendezvous: 1200,
		},
		Kernels: map[string]machines.Kernel{
			"fft": flat(machines.FFTFlops, 1e9), "fft-strided": flat(machines.FFTFlops, 5e8),
			"copy": flat(work("copy"), 1e9),
		}}
}

// Table 2 of the paper.
var table2 = []struct{ ranks, ty, tz int64 }{
	{256, 16, 16}, {512, 16, 32}, {1024, 32, 32}, {2048, 64, 32}, {4096, 64, 64}, {8192, 64, 128}, {16384, 128, 128},
}

// counted is the number of operations of a kind that a rank posts in an iteration, by
// message size.
func counted(p programs.Program, rank int, kind programs.OpKind) map[int64]int64 {
	count := map[int64]int64{}
	var do programs.Ops
	for step := 0; p.Step(rank, step, &do); step++ {
		for _, op := range do.List() {
			if op.Kind == kind {
				count[op.Amount]++
			}
		}
		do.Reset()
	}
	return count
}

// Table 1: message counts and sizes of a thread in each round, on every grid of
// Table 2, by the paper's formulas.
func TestTable1(t *testing.T) {
	grids := [][3]int64{{2048, 1024, 1024}, {4096, 2048, 2048}, {2048, 2048, 1024}}
	for _, g := range grids {
		nx, ny, nz := g[0], g[1], g[2]
		for _, c := range table2 {
			for _, library := range []string{upc, mpi} {
				for _, grain := range []nasGrain{nasPacked, nasSlabs, nasPencils} {
					w := &nasFT{NX: nx, NY: ny, NZ: nz, TY: c.ty, Library: library, grain: grain, Iterations: 1}
					want := map[int64]int64{}
					switch grain {
					case nasPacked:
						want[16*(nz/c.tz)*(ny/c.ty)*(nx/c.ty)] += c.ty
						want[16*(nz/c.tz)*(nx/c.ty)*(ny/c.tz)] += c.tz
					case nasSlabs:
						want[16*(ny/c.ty)*(nx/c.ty)] += nz / c.tz * c.ty
						want[16*(nx/c.ty)*(ny/c.tz)] += nz / c.tz * c.tz
					case nasPencils: // not in the table: a row at a time
						want[16*(nx/c.ty)] += nz / c.tz * (ny / c.ty) * c.ty
						want[16*(ny/c.tz)] += nz / c.tz * (nx / c.ty) * c.tz
					}
					p := must.Get(w.Program(nasMachine(), int(c.ranks)))(t)
					kind := programs.OpPut
					if library == mpi {
						kind = programs.OpSend
						if got := counted(p, int(c.ranks/3), programs.OpReceive); fmt.Sprint(got) != fmt.Sprint(want) {
							t.Errorf("%v %+v grain %v: receives %v, Table 1 has %v", g, c, grain, got, want)
						}
					}
					if got := counted(p, int(c.ranks/3), kind); fmt.Sprint(got) != fmt.Sprint(want) {
						t.Errorf("%v %+v %s grain %v: %v, Table 1 has %v", g, c, library, grain, got, want)
					}
				}
			}
		}
	}
}

// Section 6.2.1: 128 KB and 8 KB messages at 16,384 cores, 33.5 million of them
// in an iteration of class D.
func TestSection621Sizes(t *testing.T) {
	w := &nasFT{NX: 4096, NY: 2048, NZ: 2048}
	if r := w.rounds(128, 128); r[0].Bytes != 8<<10 || r[1].Bytes != 8<<10 {
		t.Errorf("Slabs: %+v", r)
	}
	w.grain = nasPacked
	if r := w.rounds(128, 128); r[0].Bytes != 128<<10 || r[1].Bytes != 128<<10 {
		t.Errorf("Packed Slabs: %+v", r)
	}
	d := (&nasFT{NX: 2048, NY: 1024, NZ: 1024}).rounds(128, 128)
	if n := 16384 * (d[0].Messages + d[1].Messages); n != 33554432 {
		t.Errorf("class D: %d messages", n)
	}
}

// In every slab each process gets one share from each process of its team.
func TestNASFTPeers(t *testing.T) {
	w := &nasFT{NX: 64, NY: 64, NZ: 64, TY: 4, Library: upc, Iterations: 1}
	prog := must.Get(w.Program(nasMachine(), 32))(t)
	p := prog.(*nasProgram)
	for i := range p.rounds {
		r := &p.rounds[i]
		for me := range 32 {
			seen := map[int]bool{}
			for n := 1; n <= r.team; n++ {
				to := r.peer(me, n)
				seen[to] = true
				if same := i == 0 && to/4 == me/4 || i == 1 && to%4 == me%4; !same {
					t.Errorf("round %d: %d sends to %d of another team", i+1, me, to)
				}
				if back := r.peer(to, r.team-n); back != me {
					t.Errorf("round %d: %d expects from %d, %d sends", i+1, to, back, me)
				}
			}
			if len(seen) != r.team {
				t.Errorf("round %d: %d sends to %d of %d", i+1, me, len(seen), r.team)
			}
		}
	}
}

// All variants end, send the messages of Table 1, and do the computation that the grid
// needs.
func TestNASFTRuns(t *testing.T) {
	m := nasMachine()
	const points, ranks = 64 * 32 * 32, 32
	for _, library := range []string{upc, mpi} {
		for _, grain := range []nasGrain{nasPacked, nasSlabs, nasPencils} {
			w := &nasFT{NX: 64, NY: 32, NZ: 32, TY: 4, Library: library, grain: grain, Strided: grain != nasPacked, Iterations: 2}
			r := simulate(t, w, m, ranks, 4, nodes.Options{})
			rounds := w.rounds(4, 8)
			if want := uint64(2 * ranks * (rounds[0].Messages + rounds[1].Messages)); r.Messages != want {
				t.Errorf("%s grain %v: %d messages, want %d", library, grain, r.Messages, want)
			}
			if want := int64(2 * 2 * points * complexBytes); r.Bytes != want {
				t.Errorf("%s grain %v: %d bytes, want %d", library, grain, r.Bytes, want)
			}
			metrics := map[string]float64{}
			sum := 0.0
			for i, x := range list(w.Metrics(m, r)) {
				metrics[x.Name] = x.Value
				if i < len(nasFTPhases) {
					sum += x.Value
				}
			}
			slower := 1.0
			if w.Strided {
				slower = 2
			}
			fft := 5 * points / ranks * (math.Log2(64) + slower*(math.Log2(32)+math.Log2(32))) / 1e9
			near(t, "FFT", metrics["fft_s"], fft)
			copies := 2.0 // packs
			if grain == nasPacked {
				copies = 4
			}
			near(t, "copies", metrics["memory_s"], copies*complexBytes*points/ranks/1e9)
			if sum > metrics["iteration_s"]*(1+1e-9) || sum < 0.9*metrics["iteration_s"] {
				t.Errorf("%s grain %v: bars %g of %g s", library, grain, sum, metrics["iteration_s"])
			}
		}
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6*want {
		t.Errorf("%s: %g, want %g", what, got, want)
	}
}

// The error for a value that does not fit names its key.
func TestNASFTMistakes(t *testing.T) {
	for want, w := range map[string]*nasFT{
		`ty: must divide the 32 ranks, got 5`:                              {NX: 64, NY: 64, NZ: 64, TY: 5, Library: upc, Iterations: 1},
		`nz: must be a multiple of 8 on a grid of 4 x 8 processes, got 12`: {NX: 64, NY: 64, NZ: 12, TY: 4, Library: upc, Iterations: 1},
		"library: must be upc or mpi, got \"shmem\"":                       {NX: 64, NY: 64, NZ: 64, TY: 4, Library: "shmem"},
	} {
		if _, err := w.Program(nasMachine(), 32); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Packing takes the time of the kernel transpose on a machine that has it (section 6.2.1);
// evolve is a copy all the same.
func TestNASFTRearranges(t *testing.T) {
	plain, slow := nasMachine(), nasMachine()
	slow.Kernels["transpose"] = machines.Kernel{Work: work("transpose"), Rate: []machines.RatePoint{{N: 1, Rate: 2.5e8}}}
	bars := func(m *machines.Machine, grain nasGrain) map[string]float64 {
		w := &nasFT{NX: 32, NY: 32, NZ: 32, Library: mpi, grain: grain, Strided: grain != nasPacked, Iterations: 1}
		named := map[string]float64{}
		for _, x := range list(w.Metrics(m, simulate(t, w, m, 16, 4, nodes.Options{}))) {
			named[x.Name] = x.Value
		}
		return named
	}
	for _, grain := range []nasGrain{nasPacked, nasSlabs, nasPencils} {
		copied, transposed := bars(plain, grain), bars(slow, grain)
		near(t, "memory", transposed["memory_s"], 4*copied["memory_s"])
		near(t, "FFT", transposed["fft_s"], copied["fft_s"])
	}
}
