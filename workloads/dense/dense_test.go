package dense

import (
	"math"
	"testing"

	"overlapsim/sim/must"

	"pgregory.net/rapid"
)

// flat is a contention that depends only on whether the processes synchronise.
type flat struct{ average, maximum float64 }

func (f flat) Average(int) float64      { return f.average }
func (f flat) Maximum(int, int) float64 { return f.maximum }

// shiftCost gives each of the two shifts of Cannon's algorithm half of the cost of both
// in Table II, in s/B.
type shiftCost map[int]float64

func (s shiftCost) Average(int) float64      { return 0 }
func (s shiftCost) Maximum(p, _ int) float64 { return s[p] / 2 }

// The parameters of Hopper that Table II determines (derived by inverting the equations
// of the 2D algorithm). With them both 2D variants agree to 0.15 points; the last cost
// lies between those of the two matrices. The exception is the likely misprint, for which
// the equations give 83.2 instead of 73.20.
func TestTableIIFixesCannon(t *testing.T) {
	m := &Machine{
		Peak: 8.4e9, Threads: 6, PerByte: 1,
		Contention: shiftCost{256: 3.0e-9, 1024: 8.29e-9, 4096: 1.65e-8, 16384: 2.585e-8, 65536: 4.5e-8},
		Gemm:       Efficiency{{128, 0.35}, {256, 0.62}, {512, 0.79}, {1024, 0.84}, {2048, 0.85}, {4096, 0.81}},
	}
	for i, row := range []struct{ small, smallOverlap, large, largeOverlap float64 }{
		{67.95, 83.69, 72.36, 80.40}, {35.42, 59.88, 50.20, 83.20}, {12.87, 15.33, 22.59, 30.73}, {4.57, 4.93, 8.71, 9.78},
		{1.30, 1.35, 2.78, 2.91},
	} {
		p := 256 << (2 * i)
		for _, c := range []struct {
			n       int
			overlap bool
			want    float64
		}{{32768, false, row.small}, {32768, true, row.smallOverlap}, {65536, false, row.large}, {65536, true, row.largeOverlap}} {
			a, v := &Algorithms[0], Variant{Overlap: c.overlap}
			g := must.Get(NewGrid(a, v, c.n, p, 1))(t)
			if got := m.Percent(a, c.n, p, m.Time(a, v, g)); math.Abs(got-c.want) > 0.15 {
				t.Errorf("%d cores, n = %d, overlap %v: %.2f, want %.2f", 6*p, c.n, c.overlap, got, c.want)
			}
		}
	}
}

func machine(t *rapid.T, maximum float64) *Machine {
	efficiency := func(name string) Efficiency {
		return Efficiency{{1, rapid.Float64Range(0.01, 0.5).Draw(t, name)}, {1 << 14, rapid.Float64Range(0.5, 1).Draw(t, name)}}
	}
	return &Machine{
		Peak: 1e9, Threads: 6, Latency: rapid.Float64Range(0, 1e-5).Draw(t, "L"), PerByte: rapid.Float64Range(0, 1e-8).Draw(t, "beta"),
		Contention: flat{rapid.Float64Range(1, 9).Draw(t, "C_avg"), maximum}, Gemm: efficiency("dgemm"), Trsm: efficiency("dtrsm"),
		Potrf: efficiency("dpotrf"),
	}
}

// On every machine no variant is faster than its computation alone, Cannon never loses by
// overlap and never gains more than half, and synchronisation never makes a run shorter.
func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := machine(t, rapid.Float64Range(9, 20).Draw(t, "C_max"))
		silent := *m
		silent.Latency, silent.PerByte = 0, 0
		calm := *m
		calm.Contention = flat{m.Average(1), m.Average(1)}
		p, n := 4<<(2*rapid.IntRange(1, 5).Draw(t, "p")), 4096<<rapid.IntRange(0, 4).Draw(t, "n")
		for i := range Algorithms {
			a := &Algorithms[i]
			for _, v := range Variants {
				c := 1
				if v.Replicated {
					c = 4
				}
				g := must.Get(NewGrid(a, v, n, p*c, c))(t)
				time := m.Time(a, v, g)
				if least := silent.Time(a, v, g); time < least*(1-1e-12) {
					t.Fatalf("%s %v takes %g s, its computation alone %g s", a.Name, v, time, least)
				}
				if less := calm.Time(a, v, g); time < less*(1-1e-12) {
					t.Fatalf("%s %v takes %g s, without waiting for the slowest %g s", a.Name, v, time, less)
				}
				if plain := m.Time(a, Variant{Replicated: v.Replicated},
					g); i == 0 && v.Overlap && (time > plain*(1+1e-12) || time < plain/2*(1-1e-12)) {
					t.Fatalf("Cannon takes %g s with overlap, %g s without", time, plain)
				}
			}
		}
	})
}

// A thread that only communicates is lost to the routines that run next to it: with free
// communication they take t/(t-1) of the time. In Cholesky that is dgemm alone.
func TestThreads(t *testing.T) {
	for i := range Algorithms[1:] {
		a := &Algorithms[1+i]
		for _, replicated := range []bool{false, true} {
			v := Variant{Replicated: replicated, Overlap: true}
			with := func(gemm, others float64, v Variant) float64 {
				m := &Machine{Peak: 1e9, Threads: 6, Contention: flat{1, 1}, Gemm: Efficiency{{1, gemm}}, Trsm: Efficiency{{1, others}},
					Potrf: Efficiency{{1, others}}}
				g := must.Get(NewGrid(a, v, 8192, 256, 4))(t)
				return m.Time(a, v, g)
			}
			plain := Variant{Replicated: replicated}
			for name, ratio := range map[string]float64{
				"dgemm": with(0.8, math.Inf(1), v) / with(0.8, math.Inf(1), plain),
				"dtrsm": with(math.Inf(1), 0.8, v) / with(math.Inf(1), 0.8, plain),
			} {
				if want := 6 / float64(a.Threads(v, name, 6)); ratio > 0 && math.Abs(ratio-want) > 1e-9 {
					t.Errorf("%s %v: %s takes %g times as long with overlap, want %g", a.Name, v, name, ratio, want)
				}
			}
		}
	}
	for i, want := range [][2]int{{6, 6}, {5, 5}, {5, 6}, {5, 5}} {
		for j, replicated := range []bool{false, true} {
			if got := Algorithms[i].Threads(Variant{replicated, true}, "dgemm", 6); got != want[j] {
				t.Errorf("%s, replicated %v: %d threads multiply, want %d", Algorithms[i].Name, replicated, got, want[j])
			}
		}
	}
}

// The collectives compared with their sums written out: q = 4 processes a distance 3
// apart.
func TestCollectives(t *testing.T) {
	m := &Machine{Latency: 1, PerByte: 0.125, Contention: byDistance{}} // 1 + w s for w words
	const p, d = 64, 3
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		// w q, then w q / 2; the last step waits
		{"reduce-scatter", m.reduceScatter(p, 4, 10, d), 3*(1+40) + 1000*6*(1+20)},
		{"gather", m.gather(4, 40, d), 3*(1+10) + 6*(1+20)},
		{"gather, synchronised", m.gatherSync(p, 4, 40, d), 3*(1+10) + 1000*6*(1+20)},
		{"broadcast", m.broadcast(p, 4, 40, d), 3*(1+40) + 1000*6*(1+20) + 3*(1+10) + 6*(1+20)},
		{"broadcast, synchronised", m.broadcastSync(p, 4, 40, d), 3*(1+40) + 1000*6*(1+20) + 3*(1+10) + 1000*6*(1+20)},
		{"reduce", m.reduce(p, 4, 10, d), 3*(1+40) + 1000*6*(1+20) + 3*(1+2.5) + 6*(1+5)},
		{"replication, which is a shift by -16", m.replicate(p, 10, 4), 2 * 1000 * 16 * (1 + 10)},
	} {
		if math.Abs(c.got-c.want) > 1e-9*c.want {
			t.Errorf("%s: %g, want %g", c.name, c.got, c.want)
		}
	}
}

// byDistance is the distance d, a thousand times as much if all wait.
type byDistance struct{}

func (byDistance) Average(d int) float64    { return float64(d) }
func (byDistance) Maximum(_, d int) float64 { return 1000 * float64(d) }

func TestEfficiency(t *testing.T) {
	e := Efficiency{{100, 0.2}, {400, 0.6}}
	for n, want := range map[float64]float64{1: 0.2, 100: 0.2, 200: 0.4, 400: 0.6, 1e6: 0.6} {
		if got := e.At(n); math.Abs(got-want) > 1e-12 {
			t.Errorf("at %g: %g, want %g", n, got, want)
		}
	}
}

func TestGridMistakes(t *testing.T) {
	replicated := Variant{Replicated: true}
	for _, c := range []struct {
		v       Variant
		n, p, c int
		want    string
	}{
		{Variant{}, 1024, 48, 1, "must be a square"},
		{Variant{}, 1024, 1, 1, "at least 2 x 2"},
		{Variant{}, 1001, 64, 1, "multiple of the 8 blocks"},
		{Variant{}, 0, 64, 1, "multiple"},
		{replicated, 1024, 64, 1, "must be a power of two, at least 2"},
		{replicated, 1024, 64, 16, "at most the 2 processes in a row"},
		{replicated, 1024, 64, 0, "must be a square"},
	} {
		must.Refuse(NewGrid(&Algorithms[0], c.v, c.n, c.p, c.c))(t, c.want)
	}
}

// Blocks of a size: a larger matrix has more of them, and a layer has a shorter side than
// all processes.
func TestBlocksOf(t *testing.T) {
	a := &Algorithms[2]
	for _, c := range []struct {
		v             Variant
		n, rows, want int
	}{
		{Variant{}, 65536, 1024, 4}, {Variant{}, 131072, 1024, 8}, {Variant{Replicated: true}, 65536, 1024, 8}, {Variant{}, 512, 1024, 1},
	} {
		if got := a.BlocksOf(c.v, c.n, c.rows, 256, 4); got != c.want {
			t.Errorf("%v, n = %d, %d rows: %d blocks, want %d", c.v, c.n, c.rows, got, c.want)
		}
	}
}

// A panel has one latency, none if it has no blocks.
func TestPanel(t *testing.T) {
	m := &Machine{Latency: 1, PerByte: 0.125, Contention: flat{1, 2}} // 1 + w s for w words
	g := Grid{Processes: 16, Layers: 1, Side: 4, Block: 2}
	p := m.panel(g, 1)
	for n, want := range map[float64]float64{0: 0, 1: m.broadcastSync(16, 4, 4, 1), 3: m.broadcastSync(16, 4, 12, 1)} {
		if got := p.blocks(n); math.Abs(got-want) > 1e-9 {
			t.Errorf("%g blocks: %g, want %g", n, got, want)
		}
	}
}
