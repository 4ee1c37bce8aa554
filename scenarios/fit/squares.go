// Package fit finds parameters that are not published. It minimises sums of squares: residuals that a simulation or a formula gives,
// of a few parameters.
package fit

import (
	"math"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Squares is a sum of squares to minimise, by the method of Levenberg and Marquardt (J.
// Soc. Indust. Appl. Math. 11(2), 1963), with derivatives by differences.
type Squares struct {
	Residuals  func(residuals, x []float64) // fills as many as it is given room for
	Count      int                          // of residuals
	Difference float64                      // of a component of x
	Rough      bool                         // they are expensive and not smooth, see From
	Enough     float64                      // it ends when a step improves the sum of squares by less than this part of it,
	Slight     float64                      // or by less than this
	Least      float64                      // or when no step of at least this length improves it
	Most       int                          // or after about this many residuals
	Spent      int                          // how many it took
	best       Found                        // of all points that were tried
}

// Found is the end of a search.
type Found struct {
	X, R      []float64  // the point, and the residuals there
	Jacobian  *mat.Dense // of the residuals, by x
	Converged bool       // before the limit on residuals
}

func (f *Found) sum() float64 { return floats.Dot(f.R, f.R) }

// From minimises the sum of squares of the residuals, starting at x. If they are rough,
// it updates derivatives from step to step (Broyden, Math. Comp. 19, 1965) as long as
// that helps, and ends at the best point that was tried. It goes nowhere from a point
// whose residuals have no finite sum of squares.
func (l *Squares) From(x []float64) Found {
	end := Found{X: append([]float64(nil), x...), R: make([]float64, l.Count), Jacobian: mat.NewDense(l.Count, len(x), nil)}
	l.evaluate(end.R, end.X)
	damping, fresh := 1e-2, false
	for l.Spent < l.Most && !end.Converged && finite(end.sum()) {
		if !l.Rough || l.Spent == 1 {
			l.differentiate(&end)
			fresh = true
		}
		before := end.sum()
		l.move(&end, &damping)
		slight := max(l.Slight, l.Enough*before)
		small := before-end.sum() <= slight
		switch {
		case !small:
			fresh = false
		case !fresh:
			l.differentiate(&end)
			fresh = true
		case l.Rough && l.best.sum() < end.sum()-slight:
			end.X, end.R, fresh = l.best.X, l.best.R, false
		default:
			end.Converged = true
		}
	}
	if !fresh || !l.Rough {
		l.differentiate(&end)
	}
	return end
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// move takes the longest step that improves the sum of squares, if there is one.
func (l *Squares) move(at *Found, damping *float64) {
	next := make([]float64, l.Count)
	for ; *damping < 1e12; *damping *= 4 {
		to := marquardt(at.Jacobian, at.R, at.X, *damping)
		if floats.Distance(to, at.X, 2) < l.Least {
			*damping = 1e-2
			return
		}
		l.evaluate(next, to)
		if floats.Dot(next, next) < at.sum() {
			l.learn(at, to, next)
			at.X, at.R = to, next
			*damping = max(*damping/10, 1e-12)
			return
		}
	}
}

// learn corrects the derivatives along a step by the result of the step.
func (l *Squares) learn(at *Found, to, r []float64) {
	if !l.Rough {
		return
	}
	var change, wrong mat.VecDense
	change.SubVec(mat.NewVecDense(len(to), to), mat.NewVecDense(len(to), at.X))
	wrong.MulVec(at.Jacobian, &change)
	wrong.SubVec(mat.NewVecDense(len(r), r), &wrong)
	wrong.SubVec(&wrong, mat.NewVecDense(len(r), at.R))
	at.Jacobian.RankOne(at.Jacobian, 1/mat.Dot(&change, &change), &wrong, &change)
}

func (l *Squares) evaluate(to, x []float64) {
	l.Spent++
	l.Residuals(to, x)
	if sum := floats.Dot(to, to); l.best.X == nil || sum < l.best.sum() {
		l.best.X, l.best.R = append([]float64(nil), x...), append([]float64(nil), to...)
	}
}

// Jacobian returns the derivatives of the residuals at a point by differences alone, as
// standard errors need them.
func (l *Squares) Jacobian(x []float64) *mat.Dense {
	at := Found{X: x, Jacobian: mat.NewDense(l.Count, len(x), nil)}
	l.differentiate(&at)
	return at.Jacobian
}

func (l *Squares) differentiate(at *Found) {
	fd.Jacobian(at.Jacobian, l.evaluate, at.X, &fd.JacobianSettings{Formula: fd.Central, Step: l.Difference})
}

// marquardt solves (J'J + damping diag(J'J)) d = -J'r and returns x + d, no component of
// d longer than 1; x itself if derivatives are not finite.
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
	if !finite(mat.Sum(&d)) {
		return to
	}
	for i := range to {
		to[i] -= math.Max(-1, math.Min(1, d.AtVec(i)))
	}
	return to
}
