package validation

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"overlapsim/scenarios/keys"
)

// baseline is a prediction that needs no simulator. One that learns knows the figures of the rows that a fit may
// use or, without such, of all rows with other settings than the row that it predicts: a prediction that knows the
// row itself would be no prediction.
type baseline struct {
	name  string
	x     []factor                                 // where a row is on the curve
	reads []string                                 // columns of numbers
	by    []string                                 // a separate baseline for each value of these columns
	learn func(l *lessons) func(x float64) float64 // from x
	knows func(s *Set, r *row) float64             // what it says of a row without learning; nil: it learns
}

// factor is a column of numbers, or a number of the run; the product of the factors is where a row is on a curve.
type factor struct {
	name  string
	ofRun bool
	below bool // it divides
}

// factorsOf reads names that are multiplied and divided, from the left.
func factorsOf(text string) (all []factor) {
	below := false
	for _, name := range strings.Fields(text) {
		switch name {
		case "*", "/":
			below = name == "/"
		default:
			all = append(all, factor{name, strings.HasPrefix(name, "metrics."), below})
		}
	}
	return all
}

// lessons are the rows that a baseline learns from.
type lessons struct{ x, y, weights []float64 }

// columns are those that it reads.
func (b *baseline) columns() []string { return slices.Concat(b.reads, b.by) }

// leastOfLine is how many different places a line goes through at least: two are always on one.
const leastOfLine = 3

// The median of the figures.
func constant(l *lessons) func(float64) float64 {
	middle := quantile(sortedCopy(l.y), 0.5)
	return func(float64) float64 { return middle }
}

// A straight line, by least squares of the errors; through fewer than three places the median.
func straight(l *lessons) func(float64) float64 {
	if len(slices.Compact(sortedCopy(l.x))) < leastOfLine {
		return constant(l)
	}
	a, slope := stat.LinearRegression(l.x, l.y, l.weights, false)
	return func(x float64) float64 { return a + slope*x }
}

// A straight line in logarithms of both: a power. Rows that have none are skipped.
func power(l *lessons) func(float64) float64 {
	logs := &lessons{}
	for i, x := range l.x {
		if x > 0 && l.y[i] > 0 {
			logs.x, logs.y = append(logs.x, math.Log(x)), append(logs.y, math.Log(l.y[i]))
		}
	}
	line := straight(logs)
	return func(x float64) float64 { return math.Exp(line(math.Log(x))) }
}

// The median of the figures at the nearest place, in logarithms where there are.
func nearest(l *lessons) func(float64) float64 {
	place := func(x float64) float64 { return x }
	if !slices.ContainsFunc(l.x, func(x float64) bool { return x <= 0 }) {
		place = math.Log
	}
	return func(x float64) float64 {
		near, least := []float64(nil), math.Inf(1)
		for i, other := range l.x {
			d := math.Abs(place(other) - place(x))
			if d < least*(1-1e-9) {
				near, least = []float64{l.y[i]}, d
			} else if d <= least*(1+1e-9) {
				near = append(near, l.y[i])
			}
		}
		return quantile(sortedCopy(near), 0.5)
	}
}

// A multiple of the number, such as the time of the arithmetic at the peak. The factor is the
// median of the figures by that number.
func proportional(l *lessons) func(float64) float64 {
	var ratios []float64
	for i := range l.x {
		ratios = append(ratios, l.y[i]/l.x[i])
	}
	factor := quantile(sortedCopy(ratios), 0.5)
	return func(x float64) float64 { return factor * x }
}

// A column of the file, such as the prediction of another model.
func given(column string, unit unit) func(s *Set, r *row) float64 {
	return func(s *Set, r *row) float64 { return r.cells[column] * unit.size / s.measured.unit.size }
}

// readBaselines reads one, or a list of them.
func (r *reader) readBaselines(t keys.Tree) (all []baseline) {
	if !t.IsList() {
		if t.Given() {
			all = append(all, r.readBaseline(t))
		}
		return all
	}
	for one := range t.Items() {
		all = append(all, r.readBaseline(one))
	}
	return all
}

// curves are baselines along a column or a number of the run, by their keys.
var curves = []struct {
	key, name, doc string
	learn          func(l *lessons) func(float64) float64
}{
	{"line", "line in ", "a column or a number of the run: the baseline is a straight line in it", straight},
	{"power", "power of ", "a column or a number of the run: the baseline is a straight line in the logarithms of it and of the figure", power},
	{"nearest", "nearest ", "a column or a number of the run: the baseline is the figure at the nearest other place", nearest},
	{"multiple", "multiple of ", "a column or a number of the run: the baseline is a multiple of it", proportional},
}

const baselineForms = "constant, {line: X}, {power: X}, {nearest: X}, {multiple: X}, or {column: a column}; X is a column, a number of the run " +
	"(metrics.NAME), or several with * and / between them"

// readBaseline reads one: constant, or a mapping with one of the keys of curves, or with column.
func (r *reader) readBaseline(t keys.Tree) (b baseline) {
	if !t.IsMapping() {
		if t.Text() != "constant" {
			t.Complain("must be %s; got %s", baselineForms, keys.Quote(t.String()))
		}
		return baseline{name: "constant", learn: constant}
	}
	by := optional("by", &b.by, "a separate baseline for each value of these columns")
	for _, c := range curves {
		if t.At(c.key).Given() {
			var x, name string
			t.Decode(required(c.key, &x, c.doc), by, optional("name", &name, "what tables call it"))
			b.name, b.learn, b.x = cmp.Or(name, c.name+x), c.learn, factorsOf(x)
			for _, f := range b.x {
				if !f.ofRun {
					b.reads = append(b.reads, f.name)
				}
			}
			return b
		}
	}
	switch {
	case t.At("column").Given():
		var column, unit string
		t.Decode(required("column", &column, "a column: the baseline is its number"),
			optional("unit", &unit, "of the column; default: the unit of the figure"))
		in := r.measured.unit
		if unit != "" {
			in = readUnit(t, unit)
		}
		b.name, b.reads, b.knows = "column "+column, []string{column}, given(column, in)
	default:
		t.Complain("must be %s", baselineForms)
	}
	return b
}

// predict returns the prediction of the baseline for each row; NaN: it has none.
func (b *baseline) predict(s *Set, teach, rows []*row) []float64 {
	all := make([]float64, len(rows))
	if b.knows != nil {
		for i := range rows {
			all[i] = b.knows(s, rows[i])
		}
		return all
	}
	groups := map[string][]*row{}
	runs := map[string]bool{}
	for _, r := range teach {
		groups[r.group(b.by)] = append(groups[r.group(b.by)], r)
		runs[r.figure()] = true
	}
	learned := map[string]func(float64) float64{}
	for i, r := range rows {
		key, own := r.group(b.by), ""
		if runs[r.figure()] {
			own = r.figure()
		}
		if learned[key+"\x01"+own] == nil {
			learned[key+"\x01"+own] = b.learn(b.lessonsOf(s, groups[key], own))
		}
		all[i] = learned[key+"\x01"+own](b.at(r))
	}
	return all
}

// lessonsOf returns the lessons of rows with other settings than a run's.
func (b *baseline) lessonsOf(s *Set, rows []*row, run string) *lessons {
	l := &lessons{}
	for _, r := range rows {
		if r.figure() != run {
			l.x, l.y = append(l.x, b.at(r)), append(l.y, r.Measured)
			l.weights = append(l.weights, s.kind.weight(r.Measured))
		}
	}
	return l
}

// at is where a row is on the curve.
func (b *baseline) at(r *row) float64 {
	x := 1.0
	for _, f := range b.x {
		one := r.cells[f.name]
		if f.ofRun {
			one = r.numbers[f.name]
		}
		if f.below {
			one = 1 / one
		}
		x *= one
	}
	return x
}
