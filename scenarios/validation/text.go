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
	return short(x*s.kind.scale) + unit
}

// short writes a number in three digits.
func short(x float64) string {
	switch {
	case x == 0 || math.Abs(x) >= 100:
		return fmt.Sprintf("%.0f", x)
	case math.Abs(x) >= 10:
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

// Scores returns the table of the scores: the prediction, the baseline, the spread.
func (r *Report) Scores() [][]string {
	s := r.Set
	head := []string{"", "median", "mean", "9 in 10 within", "99 in 100 within", "worst", "tau"}
	amounts := func(name string, c Score) []string {
		return []string{name, s.Amount(c.Median), s.Amount(c.Mean), s.Amount(c.P90), s.Amount(c.P99), s.Amount(c.Worst), ratio(c.Tau)}
	}
	spread := []string{"spread of the measurement", s.Amount(r.Spread), "", "", "", "", ""}
	rows := [][]string{head, amounts("predicted", r.Score), amounts("baseline: "+s.baseline.name, r.Baseline), spread}
	if s.compete == nil {
		return rows
	}
	rows[0] = append(rows[0], "pairs in order", "best right")
	if s.compete.good > 0 {
		part := part(s.compete.good)
		rows[0] = append(rows[0], "within "+part+" of it", "pairs "+part+" apart in order")
	}
	rows = append(rows, []string{"chosen at random", "", "", "", "", "", ""})
	unknown := math.NaN()
	for i, c := range []Score{r.Score, r.Baseline, {Ordered: unknown, Apart: unknown, Right: unknown, Good: unknown},
		{Ordered: 0.5, Apart: 0.5, Right: r.Score.RightChance, Good: r.Score.GoodChance}} {
		rows[i+1] = append(rows[i+1], part(c.Ordered), part(c.Right))
		if s.compete.good > 0 {
			rows[i+1] = append(rows[i+1], part(c.Good), part(c.Apart))
		}
	}
	return append(rows, r.rivals()...)
}

// rivals are the rows of choices without a model. They say how often they are good.
func (r *Report) rivals() (rows [][]string) {
	for _, one := range []struct {
		name string
		good float64
	}{{"the usual choice", r.Score.Usual}, {"one choice by " + strings.Join(r.Set.compete.by, ", ") + ", in hindsight", r.Score.Fixed}} {
		if !math.IsNaN(one.good) {
			rows = append(rows, []string{one.name, "", "", "", "", "", "", "", "", part(one.good), ""})
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
		if p.Error <= undecided {
			known = short(100*p.Error) + " %"
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
	if f.Others > 0 {
		lines = append(lines, fmt.Sprintf("%d rows are of other machines than %s: they are predicted without the fit", f.Others, f.machine))
	}
	for _, d := range f.Unknown {
		lines = append(lines, "the rows do not determine "+d)
	}
	return lines
}
