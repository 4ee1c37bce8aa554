package calibrated

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/sim"
	"overlapsim/sim/must"
)

func calibration(t *testing.T, average Curve, maximum []Row, degree int) *Calibration {
	t.Helper()
	return must.Get(New(average, maximum, degree))(t)
}

// Measured factors come back. Between two distances, or two numbers of processes, a
// factor is linear in the logarithm; outside, it is the factor of the nearest distance.
func TestInterpolation(t *testing.T) {
	c := calibration(t, Curve{[]int{2, 8, 16}, []float64{1, 3, 2}}, []Row{
		{64, Curve{[]int{2, 8}, []float64{4, 6}}},
		{256, Curve{[]int{2, 8}, []float64{8, 9}}},
	}, 2)
	for d, want := range map[int]float64{1: 1, 2: 1, 4: 2, 8: 3, 16: 2, 1000: 2} {
		if got := c.Average(d); got != want {
			t.Errorf("C_avg(%d) = %v, want %v", d, got, want)
		}
	}
	for _, w := range []struct {
		p, d int
		want float64
	}{
		{64, 2, 4}, {256, 8, 9}, {128, 2, 6}, {64, 4, 5}, {128, 4, 6.75}, {16, 8, 6}, {64, 1, 4}, {256, 100, 9},
		{1024, 2, 12}, {4096, 8, 15}, // two points: a line
	} {
		if got := c.Maximum(w.p, w.d); math.Abs(got-w.want) > 1e-9 {
			t.Errorf("C_max(%d, %d) = %v, want %v", w.p, w.d, got, w.want)
		}
	}
}

// C_max does not fall beyond the most processes, and is C_avg where nothing was
// measured.
func TestMaximumWithout(t *testing.T) {
	average := Curve{[]int{1}, []float64{3}}
	row := func(p int, f float64) Row { return Row{p, Curve{[]int{1}, []float64{f}}} }
	if got := calibration(t, average, []Row{row(16, 9), row(64, 4)}, 1).Maximum(1<<20, 1); got != 4 {
		t.Errorf("falling: %v, want that of 64", got)
	}
	if got := calibration(t, average, nil, 2).Maximum(64, 1); got != 3 {
		t.Errorf("without C_max: %v", got)
	}
}

// The regression recovers a polynomial in log2 p from more points than it needs, with no
// residual, and extrapolates it.
func TestRegressionFindsPolynomials(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		degree := rapid.IntRange(1, 3).Draw(t, "degree")
		coefficient := rapid.SliceOfN(rapid.Float64Range(0.1, 2), degree+1, degree+1).Draw(t, "coefficients")
		value := func(x float64) (y float64) {
			for i := len(coefficient) - 1; i >= 0; i-- {
				y = y*x + coefficient[i]
			}
			return y
		}
		var rows []Row
		for k := 4; k < 6+degree+rapid.IntRange(0, 3).Draw(t, "more"); k++ {
			rows = append(rows, Row{1 << k, Curve{[]int{1}, []float64{value(float64(k))}}})
		}
		c := must.Get(New(Curve{[]int{1}, []float64{0.01}}, rows, degree))(t)
		for k := 12; k < 20; k++ {
			want := value(float64(k))
			if got := c.Maximum(1<<k, 1); math.Abs(got-want) > 1e-6*want {
				t.Fatalf("p = 2^%d: %v, want %v", k, got, want)
			}
		}
		if r := c.Regressions()[0]; r.Exact || r.RMS > 1e-8 || r.Largest > 1e-8 || len(r.Coefficients) != degree+1 {
			t.Fatalf("%+v", r)
		}
	})
}

// The regression minimises the sum of squares: the line through (0, 1), (1, 3), (2, 2),
// shifted by two, is 1.5 + 0.5 (x - 2), worked out by hand.
func TestRegressionLeastSquares(t *testing.T) {
	var rows []Row
	for i, f := range []float64{1, 3, 2} {
		rows = append(rows, Row{4 << i, Curve{[]int{1}, []float64{f}}})
	}
	c := calibration(t, Curve{[]int{1}, []float64{1}}, rows, 1)
	r := c.Regressions()[0]
	if got := c.Maximum(1<<8, 1); math.Abs(got-4.5) > 1e-6 {
		t.Errorf("at 2^8: %v, want 4.5", got)
	}
	if want := math.Sqrt((0.25 + 1 + 0.25) / 3); math.Abs(r.RMS-want) > 1e-9 || math.Abs(r.Largest-0.5) > 1e-9 {
		t.Errorf("residuals %v and %v, want %v and 0.5", r.RMS, r.Largest, want)
	}
}

// The factors of a run are the calibration's, however often they are asked for.
func TestFactorsRemember(t *testing.T) {
	c := calibration(t, Curve{[]int{1, 64}, []float64{1.25, 7}}, []Row{{128, Curve{[]int{1, 64}, []float64{2, 9}}}}, 2)
	f := c.For(500)
	for range 2 {
		for d := 1; d < 500; d++ {
			if got, want := f.Factor(d, false), c.Average(d); got != want {
				t.Fatalf("C_avg(%d) = %v, want %v", d, got, want)
			}
			if got, want := f.Factor(d, true), c.Maximum(500, d); got != want {
				t.Fatalf("C_max(500, %d) = %v, want %v", d, got, want)
			}
		}
	}
}

func TestAdded(t *testing.T) {
	for _, w := range []struct {
		factor      float64
		alone, want sim.Time
	}{{1, 100, 0}, {1.5, 101, 51}, {0.75, 100, -25}, {3, 7, 14}} {
		if got := Added(w.factor, w.alone); got != w.want {
			t.Errorf("%v of %v: %v, want %v", w.factor, w.alone, got, w.want)
		}
	}
}

// Table II of the paper, inverted with its equations for 2D Cannon, gives
// C_max(p, 1) + C_max(p, sqrt p) in ns per byte at 3.6 GB/s: measured to p = 4096,
// beyond by its polynomial regression. Ours continues it within 12 %.
func TestTableTwoRegression(t *testing.T) {
	const perByte = 1 / 3.6 // ns
	var rows []Row
	for _, m := range []struct {
		p    int
		cost float64
	}{{256, 3.0}, {1024, 8.29}, {4096, 16.5}} {
		rows = append(rows, Row{m.p, Curve{[]int{1}, []float64{m.cost / perByte}}})
	}
	c := calibration(t, Curve{[]int{1}, []float64{1}}, rows, 2)
	for _, w := range []struct {
		p         int
		low, high float64
	}{{16384, 26, 26}, {65536, 44, 47}} {
		got := c.Maximum(w.p, 1) * perByte
		if got < w.low*0.88 || got > w.high*1.12 {
			t.Errorf("p = %d: %.1f ns/B, Table II %v to %v", w.p, got, w.low, w.high)
		}
		t.Logf("p = %d: %.1f ns/B", w.p, got)
	}
}
