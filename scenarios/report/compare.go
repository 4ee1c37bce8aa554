package report

import (
	"math"
	"strconv"

	"overlapsim/nodes/results"
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
	of                func(*Run, summary) float64 // NaN: the run has none
}

// compare shows the runs with a result side by side: key numbers, ledger terms, and the
// metrics in the order in which the runs name them.
func compare(runs []Run) []comparison {
	if len(runs) < 2 {
		return nil
	}
	summaries := make([]summary, len(runs))
	for i, r := range runs {
		if r.Result != nil {
			summaries[i] = summarize(r.Result)
		}
	}
	var rows []comparison
	for _, q := range quantities(runs) {
		values := make([]float64, len(runs))
		any := false
		for i := range runs {
			values[i] = math.NaN()
			if runs[i].Result != nil {
				values[i] = q.of(&runs[i], summaries[i])
			}
			any = any || values[i] != 0 && !math.IsNaN(values[i])
		}
		if any {
			rows = append(rows, comparison{q.name, q.color, q.cells(values)})
		}
	}
	return rows
}

func quantities(runs []Run) []quantityOf {
	list := []quantityOf{
		{"Makespan", "", "s", func(_ *Run, s summary) float64 { return s.makespan }},
		{"No run is shorter than", "", "s", func(_ *Run, s summary) float64 { return s.bound }},
		{"Speed-up to gain at most", "", "", func(_ *Run, s summary) float64 { return s.makespan / s.bound }},
		{"Communication hidden", "", "s", func(_ *Run, s summary) float64 { return s.hidden }},
		{"Communication exposed", "", "s", func(_ *Run, s summary) float64 { return s.exposed }},
		{"Overlapped", "", "%", func(_ *Run, s summary) float64 { return 100 * s.hidden / (s.hidden + s.exposed) }},
	}
	for t := range results.NumTerms {
		list = append(list, quantityOf{looks[t].Title, looks[t].Color, "s", func(_ *Run, s summary) float64 { return s.mean[t] }})
	}
	seen := map[string]bool{}
	for _, r := range runs {
		for _, m := range r.Metrics {
			if !seen[m.Name] {
				seen[m.Name] = true
				words, unit := m.Label()
				list = append(list, quantityOf{words, "", unit, metricNamed(m.Name)})
			}
		}
	}
	return list
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

func (q *quantityOf) cells(values []float64) []cell {
	cells := make([]cell, len(values))
	for i, v := range values {
		cells[i] = cell{Value: Result(v, q.unit)}
		if i > 0 {
			cells[i].Change = change(values[0], v, q.unit)
		}
	}
	return cells
}

// change writes how much v is above or below base: "+12.3 %", "×2.5", "÷3", or "≈" if
// that would be 0.0 %; a change of a percentage is in points.
func change(base, v float64, unit string) string {
	switch r := v / base; {
	case v == base:
		return "="
	case math.IsNaN(base) || math.IsNaN(v):
		return " "
	case unit == "%":
		return signed(v-base) + " points"
	case base == 0:
		return "new"
	case r < 0:
		return "other sign"
	case r == 0:
		return "none"
	case r >= 2:
		return "×" + factor(r)
	case r <= 0.5:
		return "÷" + factor(1/r)
	case math.Abs(r-1) < 0.0005:
		return "≈"
	default:
		return signed(100*(r-1)) + " %"
	}
}

// factor writes a number above 1 with three digits, or as a whole number.
func factor(r float64) string {
	if r >= 1000 && r < 1e7 {
		return Count(int64(math.Round(r)))
	}
	return digits(r, 3)
}

// signed writes a change in tenths.
func signed(x float64) string {
	sign := "+"
	if x < 0 {
		sign = "−"
	}
	return sign + strconv.FormatFloat(math.Abs(x), 'f', 1, 64)
}
