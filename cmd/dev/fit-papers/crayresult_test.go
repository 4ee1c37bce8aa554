package main

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The standard errors of a straight line through three points at -1, 0 and 1, with unit errors, are those of the normal
// equations; those of parameters of which only the sum is known are infinite.
func TestStandardErrors(t *testing.T) {
	for _, c := range []struct {
		jacobian *mat.Dense
		want     [2]float64
	}{
		{mat.NewDense(3, 2, []float64{1, -1, 1, 0, 1, 1}), [2]float64{1 / math.Sqrt(3), 1 / math.Sqrt(2)}},
		{mat.NewDense(1, 2, []float64{1, 1}), [2]float64{math.Inf(1), math.Inf(1)}},
	} {
		for i, e := range standardErrors(c.jacobian) {
			if e != c.want[i] && !(math.Abs(e-c.want[i]) < 1e-12) {
				t.Errorf("parameter %d: %g, want %g", i, e, c.want[i])
			}
		}
	}
}
