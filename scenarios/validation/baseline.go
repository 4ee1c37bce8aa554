package validation

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"overlapsim/scenarios/keys"
)

// baseline is a prediction that needs no simulator. It knows the figures of the rows that a
// fit may use, or, without such, of all rows.
type baseline struct {
	name   string
	column string   // that it reads; "": none
	number string   // of the run, that it reads; "": none
	by     []string // each value of these columns has a baseline of its own
	unit   unit     // of the column, if that is the prediction
	learn  func(b *baseline, x, y, weights []float64, in unit) func(x float64) float64
}

// columns are those that it reads.
func (b *baseline) columns() []string {
	if b.column == "" {
		return b.by
	}
	return append([]string{b.column}, b.by...)
}

// The median of the figures.
func constant(_ *baseline, _, y, _ []float64, _ unit) func(float64) float64 {
	sorted := sortedCopy(y)
	middle := quantile(sorted, 0.5)
	return func(float64) float64 { return middle }
}

// A straight line in a column, by least squares of the errors.
func straight(_ *baseline, x, y, weights []float64, _ unit) func(float64) float64 {
	if len(x) == 0 {
		return func(float64) float64 { return math.NaN() }
	}
	a, slope := stat.LinearRegression(x, y, weights, false)
	if math.IsNaN(slope) { // all x are the same
		a, slope = stat.Mean(y, weights), 0
	}
	return func(x float64) float64 { return a + slope*x }
}

// A multiple of a number of the run, such as the time of the arithmetic at the peak. The factor is
// the median of the figures by that number.
func proportional(_ *baseline, x, y, _ []float64, _ unit) func(float64) float64 {
	var ratios []float64
	for i := range x {
		ratios = append(ratios, y[i]/x[i])
	}
	factor := quantile(sortedCopy(ratios), 0.5)
	return func(x float64) float64 { return factor * x }
}

// A column of the file, such as the prediction of another model.
func given(b *baseline, _, _, _ []float64, in unit) func(float64) float64 {
	return func(x float64) float64 { return x * b.unit.size / in.size }
}

// readBaseline reads constant, or {line: column}, {column: column}, {multiple: number of the run}.
func (r *reader) readBaseline(t keys.Tree) (b baseline) {
	if !t.Given() {
		return b
	}
	if !t.IsMapping() {
		if t.Text() != "constant" {
			t.Complain("must be constant, {line: a column}, {column: a column}, or {multiple: a number of the run}; got %s", keys.Quote(t.String()))
		}
		return baseline{name: "constant", learn: constant}
	}
	if t.At("multiple").Given() {
		return readMultiple(t)
	}
	var line, column, unit string
	one := required("line", &line, "a column: the baseline is a straight line in it")
	one.Or = "column"
	other := required("column", &column, "a column: the baseline is its number")
	other.Or = "line"
	t.Decode(one, other, optional("unit", &unit, "of the column; left out: that of the figure"),
		optional("by", &b.by, "each value of these columns has a line of its own"))
	if column == "" {
		b.name, b.column, b.learn = "line in "+line, line, straight
		return b
	}
	b.name, b.column, b.learn, b.unit = "column "+column, column, given, r.measured.unit
	if unit != "" {
		b.unit = readUnit(t, "unit", unit)
	}
	return b
}

// readMultiple reads {multiple: a number of the run, by: [...]}.
func readMultiple(t keys.Tree) baseline {
	b := baseline{learn: proportional}
	t.Decode(required("multiple", &b.number, "a number of the run: the baseline is a multiple of it"),
		optional("by", &b.by, "each value of these columns has a factor of its own"))
	b.name = "multiple of " + b.number
	return b
}

// predict returns the prediction of the baseline for each row.
func (b *baseline) predict(s *Set, teach, rows []*row) []float64 {
	type lesson struct{ x, y, weights []float64 }
	lessons := map[string]*lesson{}
	for _, r := range teach {
		l := lessons[r.group(b.by)]
		if l == nil {
			l = &lesson{}
			lessons[r.group(b.by)] = l
		}
		l.x, l.y = append(l.x, r.base), append(l.y, r.Measured)
		l.weights = append(l.weights, s.kind.weight(r.Measured))
	}
	learned := map[string]func(float64) float64{}
	all := make([]float64, len(rows))
	for i, r := range rows {
		key := r.group(b.by)
		if learned[key] == nil {
			l := lessons[key]
			if l == nil {
				l = &lesson{}
			}
			learned[key] = b.learn(b, l.x, l.y, l.weights, s.measured.unit)
		}
		all[i] = learned[key](r.base)
	}
	return all
}
