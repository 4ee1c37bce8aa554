package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"overlapsim/scenarios/fit"
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

// outcome is the end of a search from one start.
type outcome struct {
	values    []float64
	sum       float64
	converged bool       // before its evaluations were used up
	jacobian  *mat.Dense // of least squares: of residuals in units of the priors
}

// run searches from every start and returns the best end.
func (s *search) run(progress func(start int, sum float64)) (outcome, error) {
	best := outcome{sum: math.Inf(1)}
	for n := range s.Starts {
		end, err := s.from(n)
		if s.err != nil {
			return end, s.err
		}
		if err != nil {
			return end, fmt.Errorf("start %d: %w", n, err)
		}
		progress(n, end.sum)
		if end.sum < best.sum {
			best = end
		}
	}
	return best, nil
}

func (s *search) from(n int) (outcome, error) {
	if s.LeastSquares {
		return s.descend(n), nil
	}
	return s.simplex(n)
}

// evaluate returns the residuals of a choice of parameters, nil if a run fails.
func (s *search) evaluate(values []float64) *papers.Residuals {
	r, err := s.Residuals(values, s.runner)
	if err != nil {
		s.err = err
		return nil
	}
	s.tried = append(s.tried, papers.Tried{Values: values, Sum: r.Sum()})
	return r
}

// simplex searches from the n-th start by Nelder and Mead's simplex. The logarithm of
// each parameter moves between its bounds along a logistic curve.
func (s *search) simplex(n int) (outcome, error) {
	values := func(x []float64) []float64 {
		values := make([]float64, len(x))
		for i, p := range s.Parameters {
			values[i] = p.At(x[i])
		}
		return values
	}
	sum := func(x []float64) float64 {
		if r := s.evaluate(values(x)); r != nil {
			return r.Sum()
		}
		return math.Inf(1)
	}
	result, err := optimize.Minimize(optimize.Problem{Func: sum}, s.anywhere(n), &optimize.Settings{
		FuncEvaluations: s.Evaluations,
		Converger:       &optimize.FunctionConverge{Absolute: 1e-4, Relative: 1e-4, Iterations: 20},
	}, &optimize.NelderMead{SimplexSize: 0.5})
	if err != nil {
		return outcome{}, err
	}
	return outcome{values: values(result.X), sum: result.F, converged: result.Status == optimize.FunctionConvergence}, nil
}

// anywhere returns the start of the n-th simplex: uniform in the middle 80 percent of the
// logarithmic range.
func (s *search) anywhere(n int) []float64 {
	random := sim.NewStream(s.Seed, uint64(n))
	x := make([]float64, len(s.Parameters))
	for i := range x {
		x[i] = fit.Position(0.1 + 0.8*random.Float64())
	}
	return x
}
