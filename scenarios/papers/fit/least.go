package main

import (
	"math"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// leastSquares minimises the sum of squares of f's residuals from x on by the
// method of Levenberg and Marquardt (J. Soc. Indust. Appl. Math. 11(2), 1963), with
// derivatives by differences. It returns where it ends and the Jacobian there. f
// writes as many residuals as it is given room for.
func leastSquares(f func(residuals, x []float64), residuals int, x []float64, steps int) ([]float64, *mat.Dense) {
	x = append([]float64(nil), x...)
	r, next := make([]float64, residuals), make([]float64, residuals)
	f(r, x)
	j := mat.NewDense(residuals, len(x), nil)
	damping := 1e-2
	for range steps {
		fd.Jacobian(j, f, x, &fd.JacobianSettings{Formula: fd.Central, Step: 1e-3}) // factors are rounded to 1e-6
		before := floats.Dot(r, r)
		moved := false
		for ; damping < 1e12; damping *= 4 {
			to := step(j, r, x, damping)
			f(next, to)
			if sum := floats.Dot(next, next); sum < before {
				x, moved = to, true
				r, next = next, r
				damping = max(damping/10, 1e-12)
				break
			}
		}
		if !moved || before-floats.Dot(r, r) < 1e-6*before {
			break
		}
	}
	fd.Jacobian(j, f, x, &fd.JacobianSettings{Formula: fd.Central, Step: 1e-3})
	return x, j
}

// step solves (J'J + damping diag(J'J)) d = -J'r and returns x + d, no component of
// d longer than 1.
func step(j *mat.Dense, r, x []float64, damping float64) []float64 {
	n := len(x)
	var normal mat.SymDense
	normal.SymOuterK(1, j.T())
	for i := range n {
		normal.SetSym(i, i, normal.At(i, i)*(1+damping)+1e-9)
	}
	var gradient, d mat.VecDense
	gradient.MulVec(j.T(), mat.NewVecDense(len(r), r))
	to := append([]float64(nil), x...)
	var c mat.Cholesky
	if !c.Factorize(&normal) || c.SolveVecTo(&d, &gradient) != nil {
		return to
	}
	for i := range to {
		to[i] -= math.Max(-1, math.Min(1, d.AtVec(i)))
	}
	return to
}

// standardErrors returns the standard errors of the parameters: residuals are in units of
// their own standard deviation.
func standardErrors(j *mat.Dense) []float64 {
	_, n := j.Dims()
	var normal mat.SymDense
	normal.SymOuterK(1, j.T())
	var c mat.Cholesky
	e := make([]float64, n)
	if !c.Factorize(&normal) {
		for i := range e {
			e[i] = math.Inf(1)
		}
		return e
	}
	var inverse mat.SymDense
	if err := c.InverseTo(&inverse); err != nil {
		return e
	}
	for i := range e {
		e[i] = math.Sqrt(inverse.At(i, i))
	}
	return e
}
