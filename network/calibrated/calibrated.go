// Package calibrated says how much slower messages are when all processes
// communicate, from measurements instead of a model of the network: the
// calibration factors of Gonzalez-Dominguez, Georganas, Zheng, Martin,
// Constructing Performance Models for Dense Linear Algebra Algorithms on Cray XE
// Systems, section IV. A message of w bytes between ranks a distance d apart
// takes
//
//	C_avg(d) (L + G w)        without synchronisation
//	C_max(p, d) (L + G w)     if all p processes wait for the slowest
//
// Factors are measured at some distances and numbers of processes.
//
//   - Between two distances they are linear in log2 d; outside, they are as at
//     the nearest distance.
//   - Between two numbers of processes C_max is linear in log2 p. Below the smallest
//     number it is the factor of the smallest. Beyond the largest it is a polynomial in
//     log2 p, fitted by least squares to all p measured at that distance, but never less
//     than the factor of the largest. The paper extrapolates by "a polynomial regression"
//     and gives neither its variable nor its degree; inverted with the equations of 2D Cannon, Table II
//     is met best, to 6 to 11 %, by degree 2 in log2 p (TestTableTwoRegression).
//
// Factors are rounded to 1e-6, so that results do not depend on the last bits of a
// regression.
package calibrated

import (
	"math"
	"slices"
)

// Curve is a calibration factor by rank distance.
type Curve struct {
	Distances []int // ascending, from 1
	Factors   []float64
}

// Row is C_max as measured with one number of processes.
type Row struct {
	Processes int
	Curve
}

// Calibration holds measured factors and the regressions over them.
type Calibration struct {
	average Curve
	maximum []growth // by distance, ascending
}

// New returns the calibration of measured factors: C_avg(d), and C_max(p, d) for several p in
// ascending order. The degree is the degree of the polynomials, at least 1. It is lower where too few
// numbers of processes are measured. The error holds all mistakes, each a *KeyError.
func New(average Curve, maximum []Row, degree int) (*Calibration, error) {
	if err := check(average, maximum, degree); err != nil {
		return nil, err
	}
	c := &Calibration{average: average}
	for _, row := range maximum {
		for i, d := range row.Distances {
			at, found := slices.BinarySearchFunc(c.maximum, d, func(g growth, d int) int { return g.distance - d })
			if !found {
				c.maximum = slices.Insert(c.maximum, at, growth{distance: d})
			}
			g := &c.maximum[at]
			g.logs = append(g.logs, math.Log2(float64(row.Processes)))
			g.factors = append(g.factors, row.Factors[i])
		}
	}
	for i := range c.maximum {
		c.maximum[i].fit(degree)
	}
	return c, nil
}

// One returns a calibration whose factors are all 1: every process has its own NIC, and
// messages do not slow each other down.
func One() *Calibration {
	return &Calibration{average: Curve{Distances: []int{1}, Factors: []float64{1}}}
}

// Average returns C_avg(d).
func (c *Calibration) Average(distance int) float64 {
	return rounded(between(distance, c.average.Distances, func(i int) float64 { return c.average.Factors[i] }))
}

// Maximum returns C_max(p, d), or C_avg(d) if no C_max was measured.
func (c *Calibration) Maximum(processes, distance int) float64 {
	if len(c.maximum) == 0 {
		return c.Average(distance)
	}
	distances := make([]int, len(c.maximum))
	for i := range c.maximum {
		distances[i] = c.maximum[i].distance
	}
	log := math.Log2(float64(processes))
	return rounded(between(distance, distances, func(i int) float64 { return c.maximum[i].at(log) }))
}

func rounded(factor float64) float64 { return math.Round(factor*1e6) / 1e6 }

// between interpolates linearly in log2 d.
func between(d int, distances []int, factor func(i int) float64) float64 {
	i, found := slices.BinarySearch(distances, d)
	switch {
	case found, i == 0:
		return factor(i)
	case i == len(distances):
		return factor(i - 1)
	}
	return line(math.Log2(float64(d)),
		math.Log2(float64(distances[i-1])), factor(i-1), math.Log2(float64(distances[i])), factor(i))
}

// line is the line through two points.
func line(x, x1, y1, x2, y2 float64) float64 {
	w := (x - x1) / (x2 - x1)
	return float64(y1*(1-w)) + float64(y2*w)
}
