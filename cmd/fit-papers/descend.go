package main

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"overlapsim/scenarios/least"
	"overlapsim/scenarios/papers"
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
	l := &least.Squares{
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

// directions says how well the claims determine the parameters, by the singular values of
// their derivatives in units of the priors. Along a direction of 1 they say as much as
// the priors, along one of 0 nothing.
func (s *search) directions(jacobian *mat.Dense) []papers.Direction {
	var svd mat.SVD
	if jacobian == nil || !svd.Factorize(jacobian, mat.SVDThinV) {
		return nil
	}
	var v mat.Dense
	svd.VTo(&v)
	var all []papers.Direction
	for k, value := range svd.Values(nil) {
		along := map[string]float64{}
		sign := math.Copysign(1, v.At(largest(v.ColView(k)), k))
		for i := range s.Parameters {
			if w := sign * v.At(i, k); math.Abs(w) >= 0.25 {
				along[s.Parameters[i].Path] = math.Round(100*w) / 100
			}
		}
		all = append(all, papers.Direction{Singular: papers.Significant(value), Along: along})
	}
	return all
}

// largest returns the index of the component that is largest without its sign.
func largest(v mat.Vector) int {
	best := 0
	for i := range v.Len() {
		if math.Abs(v.AtVec(i)) > math.Abs(v.AtVec(best)) {
			best = i
		}
	}
	return best
}
