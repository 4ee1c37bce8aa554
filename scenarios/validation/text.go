package validation

import (
	"fmt"
	"math"
	"strings"

	"overlapsim/scenarios/report"
)

// Amount writes an error as the set shows it: in per cent, or in the unit of the figure.
func (s *Set) Amount(x float64) string {
	if math.IsNaN(x) {
		return report.Dash
	}
	unit := s.kind.unit
	if unit == "" {
		unit = " " + s.measured.unit.name
	}
	return strings.TrimSpace(short(x*s.kind.scale) + unit)
}

// short writes a number in three digits. Below a millionth there are only errors of rounding.
func short(x float64) string {
	switch a := math.Abs(x); {
	case a < 1e-6 || a >= 99.95:
		return fmt.Sprintf("%.0f", x)
	case a >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// part writes a share.
func part(x float64) string {
	if math.IsNaN(x) {
		return report.Dash
	}
	return fmt.Sprintf("%.0f %%", 100*x)
}

// ratio writes a number between -1 and 1.
func ratio(x float64) string {
	if math.IsNaN(x) {
		return report.Dash
	}
	return fmt.Sprintf("%.2f", x)
}

// shown are the numbers of a table of scores: the mean is among them if the set is judged by it.
func (s *Set) shown() []judge {
	all := []judge{judges[0]}
	if s.judged.name != all[0].name {
		all = append(all, s.judged)
	}
	return append(all, judge{"9 in 10 within", func(c *Score) float64 { return c.P90 }},
		judge{"99 in 100 within", func(c *Score) float64 { return c.P99 }}, judge{"worst", func(c *Score) float64 { return c.Worst }})
}

// Scores returns the table of the scores: the prediction, the baselines, the spread.
func (r *Report) Scores() [][]string {
	s := r.Set
	head := []string{""}
	for _, one := range s.shown() {
		head = append(head, one.name)
	}
	head = append(head, "tau")
	if s.compete != nil {
		head = append(head, "pairs in order", "best right")
		if s.compete.good > 0 {
			part := part(s.compete.good)
			head = append(head, "within "+part+" of it", "pairs "+part+" apart in order")
		}
	}
	rows := [][]string{head, r.scores("predicted", &r.Score)}
	for i := range r.Baselines {
		v := &r.Baselines[i]
		if v.Rows == 0 {
			continue
		}
		name := "baseline: " + v.Name
		if v.Rows < r.Scored {
			name += fmt.Sprintf(" (%d rows, predicted there: %s)", v.Rows, s.Amount(v.Ours.Median))
		}
		rows = append(rows, r.scores(name, &v.Score))
	}
	unknown := summed(s.kind, nil, nil)
	if !math.IsNaN(r.Spread) {
		spread := unknown
		spread.Median = r.Spread
		rows = append(rows, r.scores("spread of the measurement", &spread))
	}
	if s.compete == nil {
		return rows
	}
	random := unknown
	random.Ordered, random.Apart, random.Right, random.Good = 0.5, 0.5, r.Score.RightChance, r.Score.GoodChance
	return append(append(rows, r.scores("chosen at random", &random)), r.rivals(len(head))...)
}

// scores returns a row of the table.
func (r *Report) scores(name string, c *Score) []string {
	cells := []string{name}
	for _, one := range r.Set.shown() {
		cells = append(cells, r.Set.Amount(one.of(c)))
	}
	cells = append(cells, ratio(c.Tau))
	if r.Set.compete != nil {
		cells = append(cells, part(c.Ordered), part(c.Right))
		if r.Set.compete.good > 0 {
			cells = append(cells, part(c.Good), part(c.Apart))
		}
	}
	return cells
}

// About says what the overlap is, and of how many rows it is known.
func (o *OverlapScore) About() string {
	return fmt.Sprintf("Errors of the overlap, the share of the shorter of computation and communication that the other hides, in percentage "+
		"points, on the %d rows whose shorter part is at least %s of the longer one; measured: %s in the median", o.Rows, part(leastShare), part(o.Measured))
}

// Table returns the errors of the overlap.
func (o *OverlapScore) Table() [][]string {
	rows := [][]string{{"", "median", "9 in 10 within", "99 in 100 within", "worst"}}
	for _, one := range []struct {
		name string
		c    *Score
	}{{"predicted", &o.Predicted}, {"baseline: nothing hides", &o.NothingHides}, {"baseline: everything hides", &o.EverythingHides}} {
		c := one.c
		rows = append(rows, []string{one.name, inPoints(c.Median), inPoints(c.P90), inPoints(c.P99), inPoints(c.Worst)})
	}
	return rows
}

// inPoints writes a difference of shares.
func inPoints(x float64) string { return short(100 * x) }

// rivals are the rows of choices without a model, in a table with this many columns. They say how often they are
// good.
func (r *Report) rivals(columns int) (rows [][]string) {
	for _, one := range []struct {
		name string
		good float64
	}{{"the usual choice", r.Score.Usual}, {"one choice by " + strings.Join(r.Set.compete.by, ", ") + ", in hindsight", r.Score.Fixed}} {
		if !math.IsNaN(one.good) {
			row := make([]string, columns)
			row[0], row[columns-2] = one.name, part(one.good)
			rows = append(rows, row)
		}
	}
	return rows
}

// Ties says how many pairs are predicted to be equal; "": none.
func (r *Report) Ties() string {
	if !(r.Score.Tied > 0) {
		return ""
	}
	return part(r.Score.Tied) + " of the pairs that compete are predicted to be equal, which is half right"
}

// Summary says what was compared.
func (r *Report) Summary() string {
	text := fmt.Sprintf("%d rows", len(r.Rows))
	if r.Scored < len(r.Rows) {
		text += fmt.Sprintf(", scored are the %d that the fit has not used", r.Scored)
	} else if r.Fit != nil && r.Rows[0].Fitted {
		text += ", all of which the fit has used"
	}
	if r.Failed > 0 {
		text += fmt.Sprintf(", %d of which could not be run", r.Failed)
	}
	return text
}

// FitTable returns the parameters of a fit as a table.
func (f *Fit) FitTable() [][]string {
	rows := [][]string{{"parameter", "value", "standard error", "path"}}
	for _, p := range f.Parameters {
		known := "not determined"
		if p.Error != nil && *p.Error <= undecided {
			known = short(100**p.Error) + " %"
		}
		if p.Note != "" {
			known += ", " + p.Note
		}
		rows = append(rows, []string{p.Name, p.Value, known, p.Path})
	}
	return rows
}

// Summary says what the fit used, and what the rows do not determine.
func (f *Fit) Summary() (lines []string) {
	text := fmt.Sprintf("%d parameters from %d rows of %d different runs; %d choices tried", len(f.Parameters), f.Rows, f.Runs, f.Tried)
	if !f.Converged {
		text += ", which were not enough to be sure"
	}
	lines = append(lines, text)
	if f.LeftOut > 0 {
		lines = append(lines, fmt.Sprintf("%d other rows are not among those that the data set lets a fit use", f.LeftOut))
	}
	if f.others > 0 {
		lines = append(lines, fmt.Sprintf("%d rows are of other machines than %s: they are predicted without the fit", f.others, f.machine))
	}
	for _, d := range f.Unknown {
		lines = append(lines, "the rows do not determine "+d)
	}
	return lines
}
