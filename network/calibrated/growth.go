package calibrated

import (
	"math"
	"slices"
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

// fit finds the polynomial by least squares.
func (g *growth) fit(degree int) {
	terms := min(degree+1, len(g.logs))
	powers := make([][]float64, terms) // by column
	for j := range powers {
		powers[j] = make([]float64, len(g.logs))
		for i, x := range g.logs {
			powers[j][i] = 1
			if j > 0 {
				powers[j][i] = powers[j-1][i] * x
			}
		}
	}
	g.polynomial = leastSquares(powers, slices.Clone(g.factors))
	g.determined = terms == len(g.logs)
	g.residuals()
}

// leastSquares returns the weights of the columns whose sum is nearest to y: A = Q R by Householder's
// reflections, then R backwards (Golub and Van Loan, Matrix Computations, algorithms 5.2.1 and 5.3.2).
// There are no more columns than rows, they are independent, and they and y are overwritten.
func leastSquares(columns [][]float64, y []float64) []float64 {
	for j, c := range columns {
		v := slices.Clone(c[j:]) // the vector of the reflection that leaves c[j] alone
		v[0] += math.Copysign(math.Sqrt(dot(v, v)), v[0])
		for _, z := range append(columns[j:len(columns):len(columns)], y) {
			along := 2 * dot(v, z[j:]) / dot(v, v)
			for i := range v {
				z[j+i] -= float64(along * v[i])
			}
		}
	}
	weights := make([]float64, len(columns))
	for j := len(columns) - 1; j >= 0; j-- {
		weights[j] = y[j] / columns[j][j]
		for i := range j {
			y[i] -= float64(weights[j] * columns[j][i])
		}
	}
	return weights
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
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
