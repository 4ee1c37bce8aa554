package sweep

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"
)

// trend is the effect of the paths of a Latin hypercube on a result: its mean, plus a
// curve for each path. A curve has straight pieces between knots, or a step for each
// word. All curves are fitted by least squares to all samples at once. Samples differ in
// all paths, so the means over parts of one range would include the effects of the other
// paths' values there.
//
// Source: backfitting of an additive model, J. H. Friedman, W. Stuetzle,
// "Projection Pursuit Regression", JASA 76, 1981.
type trend struct {
	mean  float64
	axes  []*axis
	adds  [][]float64 // by axis, by level; the mean over the samples is 0
	rest  []float64   // by row: the residual; NaN: no result
	total float64     // sum of squares around the mean
}

// rounds is the largest number of times that each curve is fitted again. The paths of a
// hypercube are hardly correlated, so a few are enough.
const rounds = 50

// trend fits a curve for each axis, the runs of the scenario among them.
func (t *Table) trend(values []float64) *trend {
	f := &trend{axes: t.axes(), mean: mean(values[:t.Rows])}
	for _, y := range values[:t.Rows] {
		f.rest = append(f.rest, y-f.mean)
	}
	f.total = squares(f.rest)
	f.fit()
	return f
}

// fit fits all curves to the residuals.
func (f *trend) fit() {
	f.adds = nil
	for _, a := range f.axes {
		f.adds = append(f.adds, make([]float64, len(a.texts)))
	}
	for round, before := 0, squares(f.rest); round < rounds; round++ {
		for i := range f.axes {
			f.refit(i)
		}
		left := squares(f.rest)
		if before-left <= 1e-6*left {
			break
		}
		before = left
	}
}

// refit fits the curve of an axis to the residuals of the others.
func (f *trend) refit(i int) {
	a, old := f.axes[i], f.adds[i]
	for row := range f.rest {
		f.rest[row] += a.along(old, row)
	}
	adds := a.smooth(f.rest)
	sum, n := 0.0, 0
	for row, y := range f.rest {
		if !math.IsNaN(y) {
			sum += a.along(adds, row)
			n++
		}
	}
	for k := range adds {
		adds[k] -= sum / float64(max(1, n))
	}
	for row := range f.rest {
		f.rest[row] -= a.along(adds, row)
	}
	f.adds[i] = adds
}

// along returns the value of a curve at a row.
func (a *axis) along(curve []float64, row int) float64 {
	at := a.at[row]
	if a.part == nil || a.part[row] == 0 {
		return curve[at]
	}
	return curve[at] + a.part[row]*(curve[at+1]-curve[at])
}

// smooth returns the curve of least squares through values, by the normal equations: a
// row contributes to at most two neighbouring levels.
func (a *axis) smooth(values []float64) []float64 {
	n := len(a.texts)
	diagonal, beside, right := make([]float64, n), make([]float64, n), make([]float64, n)
	for row, y := range values {
		if math.IsNaN(y) {
			continue
		}
		at, part := a.at[row], 0.0
		if a.part != nil {
			part = a.part[row]
		}
		diagonal[at] += (1 - part) * (1 - part)
		right[at] += (1 - part) * y
		if part > 0 {
			beside[at] += part * (1 - part)
			diagonal[at+1] += part * part
			right[at+1] += part * y
		}
	}
	return tridiagonal(diagonal, beside, right)
}

// tridiagonal solves a symmetric system with these numbers on and next to the diagonal. It
// returns 0 for unknowns that the system does not determine.
func tridiagonal(diagonal, beside, right []float64) []float64 {
	n := len(diagonal)
	for i := range n {
		if i > 0 && diagonal[i-1] > 0 {
			ratio := beside[i-1] / diagonal[i-1]
			diagonal[i] -= float64(ratio * beside[i-1])
			right[i] -= float64(ratio * right[i-1])
		}
		if diagonal[i] < 1e-9 {
			diagonal[i], right[i] = 0, 0
		}
	}
	x := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		if diagonal[i] == 0 {
			continue
		}
		if x[i] = right[i]; i+1 < n {
			x[i] -= float64(beside[i] * x[i+1])
		}
		x[i] /= diagonal[i]
	}
	return x
}

// explained is the part of the variance that the curves explain.
func (f *trend) explained() float64 {
	if f.total == 0 {
		return 1
	}
	return max(0, 1-squares(f.rest)/f.total)
}

// quality says in words how much the curves explain.
func (f *trend) quality() string {
	return fmt.Sprintf("explain %s %% of the variance", strconv.FormatFloat(100*f.explained(), 'g', 3, 64))
}

// Against says in words what effects are relative to.
func (t *Table) Against(result *Column) string {
	if fit := t.fit(result); fit != nil {
		return "a curve for each path, which together " + fit.quality()
	}
	if t.Plan.Design.fromBase {
		return "against the scenario as it is"
	}
	if t.lacking() {
		return "means of points that differ only in the path, where all ran"
	}
	return "means, against that of all points"
}

// surely is the probability of chance below which an effect counts.
const surely = 0.05

// chance tells whether a path without effect might explain as much as the i-th does, by
// the F test of its curve against none.
func (f *trend) chance(i int) bool {
	rows, free := 0, 1
	for _, y := range f.rest {
		if !math.IsNaN(y) {
			rows++
		}
	}
	for _, a := range f.axes {
		free += len(a.texts) - 1
	}
	if rows <= free {
		return true
	}
	without := &trend{axes: slices.Delete(slices.Clone(f.axes), i, i+1), rest: slices.Clone(f.rest)}
	for row := range without.rest {
		without.rest[row] += f.axes[i].along(f.adds[i], row)
	}
	without.fit()
	gain, left := squares(without.rest)-squares(f.rest), squares(f.rest)
	if left <= 1e-18*f.total {
		return gain <= left
	}
	d1, d2 := float64(len(f.axes[i].texts)-1), float64(rows-free)
	return distuv.F{D1: d1, D2: d2}.Survival(gain/d1/(left/d2)) > surely
}

// mean is the mean of the known numbers.
func mean(numbers []float64) float64 {
	sum, n := 0.0, 0
	for _, x := range numbers {
		if !math.IsNaN(x) {
			sum += x
			n++
		}
	}
	return sum / float64(n)
}

// squares adds up the squares of the known numbers.
func squares(numbers []float64) (sum float64) {
	for _, x := range numbers {
		if !math.IsNaN(x) {
			sum += float64(x * x)
		}
	}
	return sum
}
