package main

import (
	"math"
	"testing"
)

// The minimum of Rosenbrock's function, as residuals 10 (y - x^2) and 1 - x, is (1, 1).
func TestLeastSquaresRosenbrock(t *testing.T) {
	for _, rough := range []bool{false, true} {
		l := &leastSquares{residuals: func(r, x []float64) {
			r[0], r[1] = 10*(x[1]-x[0]*x[0]), 1-x[0]
		}, count: 2, difference: 1e-3, rough: rough, enough: 1e-6, least: 1e-9, most: 2000}
		end := l.from([]float64{-1.2, 1})
		if x := end.x; math.Abs(x[0]-1) > 1e-4 || math.Abs(x[1]-1) > 1e-4 || !end.converged {
			t.Errorf("rough %v: got %v after %d residuals", rough, x, l.spent)
		}
	}
}

// A straight line through points with unit errors: the least squares solution and its
// standard errors are those of the normal equations, by hand (mean 1 + 2 x, sum of
// (x - mean)^2 = 2).
func TestLeastSquaresLine(t *testing.T) {
	points := [][2]float64{{-1, -1}, {0, 1}, {1, 3}}
	l := &leastSquares{residuals: func(r, x []float64) {
		for i, p := range points {
			r[i] = x[0] + x[1]*p[0] - p[1]
		}
	}, count: 3, difference: 1e-3, enough: 1e-6, most: 500}
	end := l.from([]float64{0, 0})
	if !end.converged {
		t.Error("did not converge")
	}
	x, e := end.x, standardErrors(end.jacobian)
	for i, want := range [][2]float64{{1, 1 / math.Sqrt(3)}, {2, 1 / math.Sqrt(2)}} {
		if math.Abs(x[i]-want[0]) > 1e-4 || math.Abs(e[i]-want[1]) > 1e-4 {
			t.Errorf("parameter %d: %g +- %g, want %v", i, x[i], e[i], want)
		}
	}
}

// The factors of the search are those of the calibration that is written.
func TestLookupIsTheCalibration(t *testing.T) {
	f := &crayFit{quantities: crayQuantities()}
	tables := f.machine(f.start())
	l := newLookup(&tables)
	m, err := tables.Calibrated()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range processes {
		for d := 1; d <= p/2; d *= 2 {
			if got, want := l.Maximum(p, d), m.Maximum(p, d); math.Abs(got-want) > 1e-5*want {
				t.Errorf("C_max(%d, %d) = %g, want %g", p, d, got, want)
			}
			if got, want := l.Average(d), m.Average(d); math.Abs(got-want) > 1e-5*want {
				t.Errorf("C_avg(%d) = %g, want %g", d, got, want)
			}
		}
	}
}
