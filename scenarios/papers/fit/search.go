package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/optimize"

	"overlapsim/scenarios/papers"
	"overlapsim/sim"
)

// search minimises the sum of squares of a fit.
type search struct {
	*papers.Fit
	runner papers.Runner
	tried  []papers.Tried
	err    error
}

// values maps a point of the search to parameters: the logarithm of each moves
// between its bounds along a logistic curve, so that nothing leaves them.
func (s *search) values(x []float64) []float64 {
	values := make([]float64, len(x))
	for i, p := range s.Parameters {
		values[i] = p.Low * math.Pow(p.High/p.Low, 1/(1+math.Exp(-x[i])))
	}
	return values
}

// sum is the function to be minimised.
func (s *search) sum(x []float64) float64 {
	values := s.values(x)
	r, err := s.Residuals(values, s.runner)
	if err != nil {
		s.err = err
		return math.Inf(1)
	}
	s.tried = append(s.tried, papers.Tried{Values: values, Sum: r.Sum()})
	return r.Sum()
}

// start returns where the n-th search begins: uniform in the middle 80 percent
// of the logarithmic range.
func (s *search) start(n int) []float64 {
	random := sim.NewStream(s.Seed, uint64(n))
	x := make([]float64, len(s.Parameters))
	for i := range x {
		u := 0.1 + 0.8*random.Float64()
		x[i] = math.Log(u / (1 - u))
	}
	return x
}

// run searches from every start by Nelder and Mead's simplex and returns the
// best point.
func (s *search) run(progress func(start int, sum float64)) ([]float64, error) {
	var best []float64
	least := math.Inf(1)
	for n := range s.Starts {
		result, err := optimize.Minimize(optimize.Problem{Func: s.sum}, s.start(n), &optimize.Settings{
			FuncEvaluations: s.Evaluations,
			Converger:       &optimize.FunctionConverge{Absolute: 1e-4, Relative: 1e-4, Iterations: 20},
		}, &optimize.NelderMead{SimplexSize: 0.5})
		if s.err != nil {
			return nil, s.err
		}
		if err != nil {
			return nil, fmt.Errorf("start %d: %w", n, err)
		}
		progress(n, result.F)
		if result.F < least {
			best, least = s.values(result.X), result.F
		}
	}
	return best, nil
}
