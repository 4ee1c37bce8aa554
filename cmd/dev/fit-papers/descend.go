package main

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"overlapsim/scenarios/fit"
	"overlapsim/sim"
)

// The distance of differences and the shortest step of least squares, in units of the
// priors. Simulated times are not smooth, as processes wait for each other in different
// orders. An improvement of the sum of squares by less than 1 does not count.
const (
	glance   = 0.5
	shortest = 0.1
)

// descend searches from the n-th start by least squares. Parameters move in units of
// their priors, u = ln(x / prior) / ln factor, between their bounds, so that all
// directions are alike.
func (s *search) descend(n int) outcome {
	terms := len(s.Terms)
	l := &fit.Squares{
		Residuals: func(to, u []float64) {
			r := s.evaluate(s.at(u))
			if r == nil {
				return
			}
			copy(to[copy(to, r.Terms):], u) // the residuals of the priors, also outside the bounds
		},
		Count:      terms + len(s.Parameters),
		Difference: glance,
		Rough:      true,
		Slight:     1,
		Least:      shortest,
		Most:       s.Evaluations,
	}
	end := l.From(s.nearPriors(n))
	if s.err != nil {
		return outcome{}
	}
	values := s.at(end.X)
	return outcome{values, s.evaluate(values).Sum(), end.Converged, end.Jacobian.Slice(0, terms, 0, len(end.X)).(*mat.Dense)}
}

// at returns the parameters at a point in units of the priors.
func (s *search) at(u []float64) []float64 {
	values := make([]float64, len(u))
	for i, p := range s.Parameters {
		values[i] = min(max(p.Prior.Value*math.Pow(p.Prior.Factor, u[i]), p.Low), p.High)
	}
	return values
}

// nearPriors returns the start of the n-th search: the first is at the priors, the others
// are drawn from the priors.
func (s *search) nearPriors(n int) []float64 {
	u := make([]float64, len(s.Parameters))
	if n > 0 {
		random := sim.NewStream(s.Seed, uint64(n))
		for i := range u {
			u[i] = random.Norm()
		}
	}
	return u
}
