package fit

import (
	"math"
	"testing"
)

// The minimum of Rosenbrock's function, as residuals 10 (y - x^2) and 1 - x, is (1, 1).
func TestLeastSquaresRosenbrock(t *testing.T) {
	for _, rough := range []bool{false, true} {
		l := &Squares{Residuals: func(r, x []float64) {
			r[0], r[1] = 10*(x[1]-x[0]*x[0]), 1-x[0]
		}, Count: 2, Difference: 1e-3, Rough: rough, Enough: 1e-6, Least: 1e-9, Most: 2000}
		end := l.From([]float64{-1.2, 1})
		if x := end.X; math.Abs(x[0]-1) > 1e-4 || math.Abs(x[1]-1) > 1e-4 || !end.Converged {
			t.Errorf("rough %v: got %v after %d residuals", rough, x, l.Spent)
		}
	}
}

// A straight line through points with unit errors: the least squares solution and its
// standard errors are those of the normal equations, by hand (mean 1 + 2 x, sum of
// (x - mean)^2 = 2).
func TestLeastSquaresLine(t *testing.T) {
	points := [][2]float64{{-1, -1}, {0, 1}, {1, 3}}
	l := &Squares{Residuals: func(r, x []float64) {
		for i, p := range points {
			r[i] = x[0] + x[1]*p[0] - p[1]
		}
	}, Count: 3, Difference: 1e-3, Enough: 1e-6, Most: 500}
	end := l.From([]float64{0, 0})
	if !end.Converged {
		t.Error("did not converge")
	}
	for i, want := range []float64{1, 2} {
		if math.Abs(end.X[i]-want) > 1e-4 {
			t.Errorf("parameter %d: %g, want %g", i, end.X[i], want)
		}
	}
}

// A search that begins where the residuals are not numbers ends there.
func TestLeastSquaresOfNothing(t *testing.T) {
	l := &Squares{Residuals: func(r, x []float64) { r[0] = math.NaN() }, Count: 1, Difference: 1e-3, Rough: true, Most: 100}
	if end := l.From([]float64{1}); end.Converged || l.Spent > 10 {
		t.Errorf("converged: %v, after %d residuals", end.Converged, l.Spent)
	}
}

// A search in which residuals or their derivatives are not finite, from the start or from some point on, ends, and
// at a point that is finite if there was one.
func TestNotFinite(t *testing.T) {
	for _, bad := range []float64{math.Inf(1), math.Inf(-1), math.NaN(), 1e200} {
		for _, from := range []float64{-10, 0.5, 0.9, 0.9999} {
			for _, rough := range []bool{false, true} {
				l := &Squares{Residuals: func(r, x []float64) {
					r[0], r[1] = x[0]-1, 0
					if x[0] > from {
						r[1] = bad
					}
				}, Count: 2, Difference: 1e-3, Rough: rough, Enough: 1e-6, Least: 1e-9, Most: 500}
				end := l.From([]float64{0})
				if math.IsNaN(end.X[0]) || from > 0 && !(end.sum() < 1) || l.Spent > 600 {
					t.Errorf("%g above %g, rough %v: %v, %v after %d", bad, from, rough, end.X, end.R, l.Spent)
				}
			}
		}
	}
}
