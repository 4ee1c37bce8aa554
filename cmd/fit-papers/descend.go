package main

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"overlapsim/scenarios/papers"
	"overlapsim/sim"
)

// In units of the priors, how far from a point least squares looks, and its shortest
// step: simulated times are not smooth, as processes wait for each other in one order or
// another. What improves the sum of squares by less than 1 is no better.
const (
	glance   = 0.5
	shortest = 0.1
)

// descend searches from the n-th start by least squares. Parameters move in units of
// their priors, u = ln(x / prior) / ln factor, between their bounds, so that all
// directions are alike.
func (s *search) descend(n int) outcome {
	terms := len(s.Terms)
	l := &leastSquares{
		residuals: func(to, u []float64) {
			r := s.evaluate(s.at(u))
			if r == nil {
				return
			}
			copy(to[copy(to, r.Terms):], u) // the residuals of the priors, also outside the bounds
		},
		count:      terms + len(s.Parameters),
		difference: glance,
		rough:      true,
		slight:     1,
		least:      shortest,
		most:       s.Evaluations,
	}
	end := l.from(s.nearPriors(n))
	if s.err != nil {
		return outcome{}
	}
	values := s.at(end.x)
	return outcome{values, s.evaluate(values).Sum(), end.converged, end.jacobian.Slice(0, terms, 0, len(end.x)).(*mat.Dense)}
}

// at returns the parameters at a point in units of the priors.
func (s *search) at(u []float64) []float64 {
	values := make([]float64, len(u))
	for i, p := range s.Parameters {
		values[i] = min(max(p.Prior.Value*math.Pow(p.Prior.Factor, u[i]), p.Low), p.High)
	}
	return values
}

// nearPriors returns where the n-th search begins: the first one at the priors, the
// others at random, as the priors have it.
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

// directions tells what the claims know of the parameters, by the singular values of
// their derivatives in units of the priors: along a direction of 1 they know as much as
// the priors do, along one of 0 nothing.
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
