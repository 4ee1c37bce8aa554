package calibrated

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// growth is C_max at one distance by the number of processes.
type growth struct {
	distance    int
	logs        []float64 // log2 p, ascending
	factors     []float64
	polynomial  []float64 // coefficients in log2 p, constant first
	determined  bool      // the polynomial passes through all points: it has no residual
	rootMean    float64   // square root of the mean squared residual
	largestMiss float64   // largest relative residual
}

// fit finds the polynomial by least squares (QR).
func (g *growth) fit(degree int) {
	n := len(g.logs)
	terms := min(degree+1, n)
	powers := mat.NewDense(n, terms, nil)
	for i, x := range g.logs {
		for j, v := 0, 1.0; j < terms; j, v = j+1, v*x {
			powers.Set(i, j, v)
		}
	}
	var qr mat.QR
	qr.Factorize(powers)
	var solved mat.VecDense
	if err := qr.SolveVecTo(&solved, false, mat.NewVecDense(n, slices.Clone(g.factors))); err != nil {
		panic("calibrated: regression over " + err.Error()) // the p are distinct, so it has a solution
	}
	g.polynomial = solved.RawVector().Data
	g.determined = terms == n
	g.residuals()
}

func (g *growth) residuals() {
	var sum float64
	for i, x := range g.logs {
		miss := g.value(x) - g.factors[i]
		sum += float64(miss * miss)
		g.largestMiss = max(g.largestMiss, math.Abs(miss)/g.factors[i])
	}
	g.rootMean = math.Sqrt(sum / float64(len(g.logs)))
}

// value is the polynomial at log2 p, by Horner's rule.
func (g *growth) value(x float64) (y float64) {
	for _, c := range slices.Backward(g.polynomial) {
		y = float64(y*x) + c
	}
	return y
}

// at returns the factor at log2 p, by interpolation or by the polynomial.
func (g *growth) at(x float64) float64 {
	i, found := slices.BinarySearch(g.logs, x)
	switch {
	case found, i == 0:
		return g.factors[i]
	case i == len(g.logs):
		return max(g.value(x), g.factors[i-1])
	}
	return line(x, g.logs[i-1], g.factors[i-1], g.logs[i], g.factors[i])
}

// Regression describes how C_max at a distance grows with the number of processes p.
type Regression struct {
	Distance     int
	Coefficients []float64 // of the powers of log2 p, constant first
	Exact        bool      // as many coefficients as points, so that there is no residual
	RMS          float64   // square root of the mean squared residual
	Largest      float64   // largest residual relative to the factor measured
}

// Regressions returns the fits by which the calibration extrapolates, by
// distance.
func (c *Calibration) Regressions() []Regression {
	all := make([]Regression, len(c.maximum))
	for i, g := range c.maximum {
		all[i] = Regression{g.distance, g.polynomial, g.determined, g.rootMean, g.largestMiss}
	}
	return all
}
