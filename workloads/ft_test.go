package workloads

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// paperMachine has the properties that section 7 assumes: L = 0, one process per NIC, a
// queue of one slot, barriers that take no time.
func paperMachine(o, g sim.Time, psPerByte float64) *machines.Machine {
	return &machines.Machine{Name: "paper", Cores: 1, Processes: 1,
		Network: network.LogGOPS{SendOverhead: network.Constant(o), Gap: g, Transfer: network.PerByte(psPerByte), QueueDepth: 1}}
}

// allKernels runs every kernel at 1e9 units of work per second.
var allKernels = func() map[string]machines.Kernel {
	kernels := map[string]machines.Kernel{}
	for _, k := range machines.StandardKernels {
		kernels[k.Name] = machines.Kernel{Work: k.Work, Rate: []machines.RatePoint{{N: 1, Rate: 1e9}}}
	}
	return kernels
}()

// work is the function that gives the work of a standard kernel.
func work(name string) func(n float64) float64 {
	k, _ := machines.Standard(name)
	return k.Work
}

// runPencils runs Algorithm 5 with an FFT of the given time.
func runPencils(t *testing.T, m *machines.Machine, p, n int, compute sim.Time, rowLength int64) *results.Result {
	t.Helper()
	prog := &ftProgram{ranks: p, rows: n, chunk: 1, row: machines.Task{Time: compute}, rowBytes: complexBytes * rowLength}
	return must.Get(nodes.Run(m, prog, 1, nodes.Options{}))(t)
}

// initTime is the time after line 9.
func initTime(r *results.Result, rank int) sim.Time {
	l := r.Ledgers[rank]
	return l[localComputation].Sum() + l[commInit].Sum()
}

// Section 7.3. The initiation time is eq. (6) to the picosecond if the FFT into the
// process's own memory at the end of a group covers the gap (2 T + o >= g). The total is
// eq. (7) if also the wire never runs dry (T + o <= gamma R G, and the same for g) or
// communication is entirely hidden.
func TestSection73PencilsEqualsModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := rapid.IntRange(2, 6).Draw(rt, "P")
		n := p * rapid.IntRange(1, 5).Draw(rt, "N/P")
		model := FTModel{P: int64(p), N: int64(n),
			Compute:  sim.Time(rapid.IntRange(1, 5000).Draw(rt, "T")),
			Overhead: sim.Time(rapid.IntRange(1, 3000).Draw(rt, "o")),
			Gap:      sim.Time(rapid.IntRange(1, 9000).Draw(rt, "g")),
		}
		rowLength := rapid.Int64Range(1, 40).Draw(rt, "R")
		perByte := float64(rapid.IntRange(1, 60).Draw(rt, "G"))
		model.Transfer = sim.PerByte(complexBytes*rowLength, perByte)
		r := runPencils(t, paperMachine(model.Overhead, model.Gap, perByte), p, n, model.Compute, rowLength)

		T, o, g := model.Compute, model.Overhead, model.Gap
		lag := max(0, g-2*T-o) // what eq. (6) leaves out, at every group but the first
		if want := model.Init() + lag*sim.Time(n/p-1); initTime(r, 0) != want {
			rt.Fatalf("initiation %v, want %v (eq. 6: %v)", initTime(r, 0), want, model.Init())
		}
		if lag > 0 {
			return
		}
		total := initTime(r, 0) + r.Ledgers[0][commSync].Sum()
		switch slot := max(g, T+o); {
		case model.Transfer >= max(slot, 2*T+o): // the wire never runs dry
			if want := model.Total(); total != want {
				rt.Fatalf("total %v, eq. (7): %v", total, want)
			}
		case model.Transfer+max(o, g) <= T+o: // all hidden
			if total != model.Init() {
				rt.Fatalf("total %v, eq. (3): %v", total, model.Init())
			}
		default: // eq. (7) is a lower bound; the last messages may end later
			if over := total - model.Total(); over < 0 || over > max(o, g)+max(T, model.Transfer) {
				rt.Fatalf("total %v, eq. (7): %v", total, model.Total())
			}
		}
	})
}

// Section 7.3, the three cases with numbers that can be checked by hand.
func TestSection73ThreeCases(t *testing.T) {
	for _, c := range []struct {
		name                    string
		compute, o, g, transfer sim.Time
		init, total             sim.Time
	}{
		// init = 4 (2 T + o + 2 max(g, T+o)); total = max(init, T + max(o,g) + 12 transfer)
		{"computation", 1000, 100, 200, 500, 4 * (2100 + 2*1100), 4 * (2100 + 2*1100)},
		{"transfer", 1000, 100, 200, 3000, 4 * (2100 + 2*1100), 1000 + 200 + 12*3000},
		{"initiation", 100, 50, 300, 1000, 4*(250+2*300) + 3*50, 100 + 300 + 12*1000},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := runPencils(t, paperMachine(c.o, c.g, float64(c.transfer)/complexBytes), 4, 4*4, c.compute, 1)
			if got := initTime(r, 0); got != c.init {
				t.Errorf("init %v, want %v", got, c.init)
			}
			if got := r.Makespan(); got != c.total {
				t.Errorf("total %v, want %v", got, c.total)
			}
		})
	}
}

// Every workload sends the messages of the algorithm: N/P rows to every process.
func TestFTVolume(t *testing.T) {
	m := paperMachine(1000, 500, 1)
	m.Kernels = allKernels
	for name, perRank := range map[string]uint64{"ft-exchange": 4, "ft-slabs": 4, "ft-pencils": 64, "ft-overlap": 16} {
		k, _ := Lookup(name)
		w := k.New()
		switch w := w.(type) {
		case *ft:
			w.Rows, w.RowLength = 64, 32
		case *ftContinuum:
			w.Rows, w.RowLength, w.Messages = 64, 32, 16
		}
		r := simulate(t, w, m, 4, 1, nodes.Options{})
		if r.Messages != 4*perRank || r.Bytes != 4*64*32*complexBytes {
			t.Errorf("%s: %d messages, %d bytes", name, r.Messages, r.Bytes)
		}
	}
}

// At its two ends the continuum equals Slabs and Pencils.
func TestFTContinuumEnds(t *testing.T) {
	m := paperMachine(1000, 500, 1)
	for messages, chunk := range map[int64]int{4: 16, 64: 1} {
		m.Kernels = allKernels
		end := &ftContinuum{ft: ft{algorithm: continuum, Rows: 64, RowLength: 32, Computation: 0.5}, Messages: messages}
		got := must.Get(end.Program(m, 4))(t)
		if p := got.(*ftProgram); p.chunk != chunk || p.bulk {
			t.Errorf("%d messages: %d rows each", messages, p.chunk)
		}
	}
}

// A message of k rows equals a row that is k times as long. If k divides N/P, the run is
// the same, and the model is that of the long rows. If not, the last message to each
// process is shorter, and the bytes are the same.
func TestFTGranularity(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p, each := rapid.IntRange(2, 6).Draw(rt, "P"), rapid.IntRange(1, 12).Draw(rt, "N/P")
		k := rapid.IntRange(1, each).Draw(rt, "k")
		m := paperMachine(sim.Time(rapid.IntRange(1, 3000).Draw(rt, "o")), sim.Time(rapid.IntRange(1, 9000).Draw(rt, "g")), 3)
		m.Kernels = map[string]machines.Kernel{"fft": {Work: machines.FFTFlops, Rate: []machines.RatePoint{{N: 1, Rate: 1e11}}}}
		w := &ftContinuum{ft: ft{algorithm: continuum, Rows: int64(p * each), RowLength: 32, Computation: 1}, Granularity: int64(k)}
		got := simulate(rt, w, m, p, 1, nodes.Options{})
		if messages := uint64(p * p * ((each + k - 1) / k)); got.Messages != messages || got.Bytes != int64(p*p*each*32*complexBytes) {
			rt.Fatalf("%d messages, %d bytes", got.Messages, got.Bytes)
		}
		_, model, ok := w.Model(m, p, 1)
		if ok != (each%k == 0) {
			rt.Fatalf("there is a model: %v", ok)
		}
		if !ok {
			return
		}
		row, _ := w.task(m)
		long := runPencils(t, m, p, p*each/k, row.Time*sim.Time(k), int64(32*k))
		if got.Makespan() != long.Makespan() {
			rt.Fatalf("%v, with rows as long %v", got.Makespan(), long.Makespan())
		}
		if got.Makespan() < model {
			rt.Fatalf("%v is below eq. (7), %v", got.Makespan(), model)
		}
	})
}

// Section 6.3: the FFT of R' elements has the wanted flops.
func TestFFTLength(t *testing.T) {
	for _, n := range []float64{1.5, 2, 3, 64, 512, 65536, 1e9} {
		if got := fftLength(machines.FFTFlops(n)); got < n*(1-1e-9) || got > n*(1+1e-9) {
			t.Errorf("fftLength(flops(%g)) = %g", n, got)
		}
	}
	if got := fftLength(0); got != 0 {
		t.Errorf("fftLength(0) = %g", got)
	}
}

// A row costs one event for its FFT and, unless it stays on its process, one for its
// overhead; a message costs none. Two waits and the barrier block, on every rank.
func BenchmarkPencils(b *testing.B) { benchmarkPencils(b, nodes.Options{}) }

// The same with a timeline: 1.5 million spans.
func BenchmarkPencilsTimeline(b *testing.B) { benchmarkPencils(b, nodes.Options{Timeline: true}) }

func benchmarkPencils(b *testing.B, o nodes.Options) {
	m := paperMachine(sim.Microsecond, 2*sim.Microsecond, 1000)
	prog := &ftProgram{ranks: 32, rows: 8192, chunk: 1, row: machines.Task{Time: 8 * sim.Microsecond}, rowBytes: 8192}
	for b.Loop() {
		r := must.Get(nodes.Run(m, prog, 1, o))(b)
		if want := uint64(32 * (8192 + 31*256 + 3)); r.Events != want {
			b.Fatalf("%d events, want %d", r.Events, want)
		}
	}
	b.ReportMetric(float64(b.N)*262144/b.Elapsed().Seconds(), "messages/s")
}

func ExampleFTModel() {
	m := FTModel{P: 4, N: 4, Compute: sim.Microsecond, Overhead: 100 * sim.Nanosecond, Gap: 200 * sim.Nanosecond,
		Transfer: 3 * sim.Microsecond}
	fmt.Println(m.Init(), m.Total(), m.Wait())
	// Output: 4.3us 10.2us 5.9us
}
