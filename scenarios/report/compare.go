package report

import (
	"math"
	"strconv"
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/outcomes"
)

// comparison is a row of the table that sets runs side by side.
type comparison struct {
	Name  string
	Color string // of a ledger term
	Cells []cell
}

// cell is a value and how it differs from the first run's.
type cell struct {
	Value, Change string
}

// quantityOf is a number that every run may have.
type quantityOf struct {
	name, color, unit string
	of                func(*Run, summary) float64                       // NaN: the run has none
	ratio             bool                                              // of which no percentages are taken
	inPlace           func(makespan float64, a *outcomes.Answer) string // of it, if it is below the noise of the run; nil: it never is
}

// compare shows the runs with a result side by side: key numbers, ledger terms, and the
// metrics in the order in which the runs name them.
func compare(runs []Run) []comparison {
	if len(runs) < 2 {
		return nil
	}
	summaries := make([]*summary, len(runs))
	for i := range runs {
		summaries[i] = runs[i].summary()
	}
	var rows []comparison
	for _, q := range quantities(runs) {
		values := make([]float64, len(runs))
		any := false
		inPlace := map[int]string{}
		for i := range runs {
			values[i] = math.NaN()
			if s := summaries[i]; s != nil {
				values[i] = q.of(&runs[i], *s)
				if a := runs[i].Answer.Overlaps(); q.inPlace != nil && q.inPlace(s.makespan, a) != "" {
					inPlace[i], values[i] = q.inPlace(s.makespan, a), math.NaN()
				}
			}
			any = any || values[i] != 0 && !math.IsNaN(values[i])
		}
		if !any {
			continue
		}
		cells := q.cells(values, summaries[0])
		for i, text := range inPlace {
			cells[i].Value = text
		}
		rows = append(rows, comparison{q.name, q.color, cells})
	}
	return rows
}

func quantities(runs []Run) []quantityOf {
	list := []quantityOf{
		{name: "Makespan", unit: "s", of: func(_ *Run, s summary) float64 { return s.makespan }},
		{name: "No run of the program is shorter than", unit: "s", of: func(_ *Run, s summary) float64 { return s.bound }},
		{name: "Exposed", unit: "s", of: answered(func(a *outcomes.Answer) *float64 { return a.Exposed }), inPlace: ExposedInPlace},
		{name: "Hidden", unit: "s", of: answered(func(a *outcomes.Answer) *float64 { return a.Hidden }), inPlace: HiddenInPlace},
		{name: "Overlap", of: answered(func(a *outcomes.Answer) *float64 { return a.Overlap }), ratio: true, inPlace: HiddenInPlace},
	}
	for t := range results.NumTerms {
		list = append(list, quantityOf{name: looks[t].Title, color: looks[t].Color, unit: "s",
			of: func(_ *Run, s summary) float64 { return s.mean[t] }})
	}
	seen := map[string]bool{}
	for _, r := range runs {
		for _, m := range r.Metrics {
			if !seen[m.Name] {
				seen[m.Name] = true
				words, unit := m.Label()
				list = append(list, quantityOf{name: words, unit: unit, of: metricNamed(m.Name)})
			}
		}
	}
	return list
}

// answered is a number of the answer.
func answered(of func(*outcomes.Answer) *float64) func(*Run, summary) float64 {
	return func(r *Run, _ summary) float64 {
		if x := of(r.Answer.Overlaps()); x != nil {
			return *x
		}
		return math.NaN()
	}
}

func metricNamed(name string) func(*Run, summary) float64 {
	return func(r *Run, _ summary) float64 {
		for _, m := range r.Metrics {
			if m.Name == name {
				return m.Value
			}
		}
		return math.NaN()
	}
}

func (q *quantityOf) cells(values []float64, first *summary) []cell {
	whole := 0.0
	if first != nil {
		whole = first.makespan
	}
	cells := make([]cell, len(values))
	for i, v := range values {
		cells[i] = cell{Value: resulting(v, q.unit)}
		if i > 0 {
			cells[i].Change = q.change(values[0], v, whole)
		}
	}
	return cells
}

// least is the smallest part of a makespan for which percentages are written: percentages of
// smaller parts say nothing.
const least = 1e-3

// change writes by how much v is above or below base, and then in per cent: "+1.2 ms, +12.3
// %"; a change of a percentage is in points. There is no percentage of zero, of a number
// that is tiny compared with the whole, above a thousand, or below a tenth.
func (q *quantityOf) change(base, v, whole float64) string {
	switch {
	case math.IsNaN(base) || math.IsNaN(v):
		return " "
	case v == base:
		return "="
	case q.unit == "%":
		return signed(v-base) + " points"
	}
	text := plus(resulting(v-base, q.unit), v > base)
	percent := 100 * (v/base - 1)
	if q.ratio || !(base > 0) || v < 0 || q.unit == "s" && base < least*whole || math.Abs(percent) >= 1000 || math.Abs(percent) < 0.05 {
		return text
	}
	return text + ", " + signed(percent) + " %"
}

// plus puts a sign in front of a number that is positive.
func plus(text string, positive bool) string {
	if positive && !strings.HasPrefix(text, "0 ") && text != "0" {
		return "+" + text
	}
	return strings.Replace(text, "-", "−", 1)
}

// signed writes a change in tenths.
func signed(x float64) string {
	sign := "+"
	if x < 0 {
		sign = "−"
	}
	return sign + strconv.FormatFloat(math.Abs(x), 'f', 1, 64)
}

// mostColumns is the largest number of runs that are columns of the table; with more, runs
// are rows.
const mostColumns = 4

// below turns the table of runs: a row for each run.
func below(runs []Run, rows []comparison) *Table {
	if len(runs) <= mostColumns || rows == nil {
		return nil
	}
	t := &Table{Head: []string{"", "Run"}, Words: []bool{true, true}}
	for _, row := range rows {
		t.Head, t.Words = append(t.Head, row.Name), append(t.Words, false)
	}
	for i, r := range runs {
		line := []Cell{{Text: letter(i)}, {Text: r.Name}}
		for j, row := range rows {
			c := Cell{Text: row.Cells[i].Value}
			if j == 0 { // of the makespan; the differences of the others are a chart
				c.Note = row.Cells[i].Change
			}
			line = append(line, c)
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}
