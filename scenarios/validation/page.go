package validation

import (
	"fmt"
	"slices"
	"strconv"

	"overlapsim/scenarios/report"
)

// Page shows predicted next to measured, and the errors by each column.
func (r *Report) Page() *report.Page {
	p := &report.Page{Title: r.Set.Title, Lead: r.lead(), Subtitle: "Data set " + r.Set.Name + ": " + r.Summary(), Notes: []string{r.Set.About}}
	for _, f := range []struct {
		name  string
		value float64
	}{{"median error", r.Score.Median}, {"9 in 10 within", r.Score.P90}, {"median of the best baseline, " + r.Best().Name, r.Best().Score.Median},
		{"spread of the measurement", r.Spread}} {
		p.Facts = append(p.Facts, report.Fact{Name: f.name, Value: r.Set.Amount(f.value)})
	}
	p.Figures = []report.Figure{r.scatter()}
	var small []report.Figure
	for _, c := range r.shown() {
		small = append(small, r.residuals(c))
	}
	p.Sections = []report.Section{{Title: "Errors", Note: "Predicted against measured, by each column of the data set", Small: small,
		Table: report.Texts(r.Scores(), 0)}}
	if r.Overlap != nil {
		p.Sections = append(p.Sections, report.Section{Title: "Overlap", Note: r.Overlap.About() + ".", Table: report.Texts(r.Overlap.Table(), 0)})
	}
	if r.Fit != nil {
		s := report.Section{Title: "Fit", Table: report.Texts(r.Fit.FitTable(), 0, -1)}
		for _, line := range r.Fit.Summary() {
			s.Note += line + ". "
		}
		p.Sections = append(p.Sections, s)
	}
	return p
}

// lead says in a sentence how far the predictions are off, and whether the best baseline is nearer.
func (r *Report) lead() string {
	verdict, best := "nearer than", r.Best()
	if !(best.Ours.Median < best.Score.Median) {
		verdict = "no nearer than"
	}
	return fmt.Sprintf("Half of the predictions are within %s, 9 in 10 within %s: %s the best baseline (%s), within %s.", r.Set.Amount(r.Score.Median),
		r.Set.Amount(r.Score.P90), verdict, best.Name, r.Set.Amount(best.Score.Median))
}

// scatter draws each row, and the line on which all predictions would be right.
func (r *Report) scatter() report.Figure {
	dots, base := report.Curve{Name: "predicted", Marks: report.DotsOnly}, report.Curve{Name: r.Best().Name, Marks: report.DotsOnly}
	positive, said := true, r.Best().All
	for i, one := range r.Rows {
		dots.X, dots.Y = append(dots.X, one.Measured), append(dots.Y, one.Predicted)
		base.X, base.Y = append(base.X, one.Measured), append(base.Y, said[i])
		positive = positive && one.Measured > 0 && !(one.Predicted <= 0) && !(said[i] <= 0)
	}
	low, high := slices.Min(dots.X), slices.Max(dots.X)
	right := report.Curve{Name: "as measured", X: []float64{low, high}, Y: []float64{low, high}, Dashed: true, Marks: report.LineOnly}
	unit := r.Set.measured.unit.name
	log := positive && high > 20*low
	return &report.Curves{Title: "Predicted and measured", XName: "measured", YName: "predicted", XUnit: unit, YUnit: unit,
		XLog: log, YLog: log, Curves: []report.Curve{dots, base, right}}
}

// mostShown is how many values of a column of words are drawn.
const mostShown = 40

// shown returns the columns whose values differ, words only if there are few.
func (r *Report) shown() (columns []int) {
	t := r.Rows[0].table
	for c := range t.columns {
		values := map[string]bool{}
		numeric := true
		for _, one := range r.Rows {
			values[one.line.cells[c]] = true
			_, err := strconv.ParseFloat(one.line.cells[c], 64)
			numeric = numeric && err == nil
		}
		if len(values) > 1 && (numeric || len(values) <= mostShown) {
			columns = append(columns, c)
		}
	}
	return columns
}

// residuals draws the errors along a column; words are numbered.
func (r *Report) residuals(column int) report.Figure {
	var words []string
	dots := report.Curve{Name: "error", Marks: report.DotsOnly}
	for _, one := range r.Rows {
		text := one.line.cells[column]
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || words != nil {
			if !slices.Contains(words, text) {
				words = append(words, text)
			}
			x = float64(slices.Index(words, text) + 1)
		}
		dots.X, dots.Y = append(dots.X, x), append(dots.Y, r.Set.kind.scale*r.Set.kind.of(one.Predicted, one.Measured))
	}
	low, high := slices.Min(dots.X), slices.Max(dots.X)
	c := &report.Curves{Title: r.Rows[0].table.columns[column], XName: r.Rows[0].table.columns[column], YName: "error", YUnit: r.Set.kind.unit,
		XLog: low > 0 && high > 20*low, Small: true, Curves: []report.Curve{dots}}
	for i, word := range words {
		c.Note += fmt.Sprintf("%d: %s ", i+1, word)
	}
	return c
}
