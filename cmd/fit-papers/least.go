package main

import (
	"math"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// leastSquares is the method of Levenberg and Marquardt (J. Soc. Indust. Appl. Math.
// 11(2), 1963), with derivatives by differences.
type leastSquares struct {
	residuals  func(residuals, x []float64) // fills as many as it is given room for
	count      int                          // of residuals
	difference float64                      // of a component of x
	rough      bool                         // they are expensive and not smooth, see from
	enough     float64                      // it ends when a step improves the sum of squares by less than this part of it,
	slight     float64                      // or by less than this
	least      float64                      // or when no step of at least this length improves it
	most       int                          // or after about this many residuals
	spent      int
	best       found // of all points that were tried
}

// found is the end of a search.
type found struct {
	x, r      []float64
	jacobian  *mat.Dense
	converged bool // before the limit on residuals
}

func (f *found) sum() float64 { return floats.Dot(f.r, f.r) }

// from minimises the sum of squares of the residuals, starting at x. If they are rough,
// it updates derivatives from step to step (Broyden, Math. Comp. 19, 1965) as long as
// that helps, and ends at the best point that was tried.
func (l *leastSquares) from(x []float64) found {
	end := found{x: append([]float64(nil), x...), r: make([]float64, l.count), jacobian: mat.NewDense(l.count, len(x), nil)}
	l.evaluate(end.r, end.x)
	damping, fresh := 1e-2, false
	for l.spent < l.most && !end.converged {
		if !l.rough || l.spent == 1 {
			l.differentiate(&end)
			fresh = true
		}
		before := end.sum()
		l.move(&end, &damping)
		slight := max(l.slight, l.enough*before)
		small := before-end.sum() <= slight
		switch {
		case !small:
			fresh = false
		case !fresh:
			l.differentiate(&end)
			fresh = true
		case l.rough && l.best.sum() < end.sum()-slight:
			end.x, end.r, fresh = l.best.x, l.best.r, false
		default:
			end.converged = true
		}
	}
	if !fresh || !l.rough {
		l.differentiate(&end)
	}
	return end
}

// move takes the longest step that improves the sum of squares, if there is one.
func (l *leastSquares) move(at *found, damping *float64) {
	next := make([]float64, l.count)
	for ; *damping < 1e12; *damping *= 4 {
		to := marquardt(at.jacobian, at.r, at.x, *damping)
		if floats.Distance(to, at.x, 2) < l.least {
			*damping = 1e-2
			return
		}
		l.evaluate(next, to)
		if floats.Dot(next, next) < at.sum() {
			l.learn(at, to, next)
			at.x, at.r = to, next
			*damping = max(*damping/10, 1e-12)
			return
		}
	}
}

// learn corrects the derivatives along a step by the result of the step.
func (l *leastSquares) learn(at *found, to, r []float64) {
	if !l.rough {
		return
	}
	var change, wrong mat.VecDense
	change.SubVec(mat.NewVecDense(len(to), to), mat.NewVecDense(len(to), at.x))
	wrong.MulVec(at.jacobian, &change)
	wrong.SubVec(mat.NewVecDense(len(r), r), &wrong)
	wrong.SubVec(&wrong, mat.NewVecDense(len(r), at.r))
	at.jacobian.RankOne(at.jacobian, 1/mat.Dot(&change, &change), &wrong, &change)
}

func (l *leastSquares) evaluate(to, x []float64) {
	l.spent++
	l.residuals(to, x)
	if sum := floats.Dot(to, to); l.best.x == nil || sum < l.best.sum() {
		l.best.x, l.best.r = append([]float64(nil), x...), append([]float64(nil), to...)
	}
}

func (l *leastSquares) differentiate(at *found) {
	fd.Jacobian(at.jacobian, l.evaluate, at.x, &fd.JacobianSettings{Formula: fd.Central, Step: l.difference})
}

// marquardt solves (J'J + damping diag(J'J)) d = -J'r and returns x + d, no component of
// d longer than 1.
func marquardt(j *mat.Dense, r, x []float64, damping float64) []float64 {
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
