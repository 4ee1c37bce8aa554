package papers

import (
	"math"
	"slices"

	"overlapsim/scenarios/report"
)

// none stands where there is no number.
var none = math.NaN()

// Panel is a drawing with its values. Text, JSON, page and picture are made of it.
type Panel struct {
	*Drawing
	Points []string  // the names of the points
	At     []float64 // curves: the x of the points
	Bars   []PanelBar
	Parts  []string // the names of the pieces; {""}: a bar is one value
}

// PanelBar is a member of a panel.
type PanelBar struct {
	Name    string
	Values  [][]float64 // by piece, by point
	Printed []float64   // what the paper prints, by point; nil: nothing
}

// Total returns the sum of a bar's pieces at a point, without those that are missing.
func (b *PanelBar) Total(point int) float64 {
	total, any := 0.0, false
	for _, piece := range b.Values {
		if !math.IsNaN(piece[point]) {
			total, any = total+piece[point], true
		}
	}
	if !any {
		return none
	}
	return total
}

// panel evaluates a drawing.
func (p *Paper) panel(d *Drawing, results Results) (*Panel, error) {
	a := &Panel{Drawing: d, Points: d.Labels, Parts: []string{""}}
	var err error
	if d.Kind.overNumbers {
		if a.At, err = p.vector(&d.Values, nil, results); err != nil {
			return nil, err
		}
		for _, x := range a.At {
			a.Points = append(a.Points, report.Significant(x))
		}
	}
	if len(d.Pieces) > 0 {
		a.Parts = nil
		for _, piece := range d.Pieces {
			a.Parts = append(a.Parts, piece.Name)
		}
	}
	for i := range d.Members {
		b, err := p.bar(d, &d.Members[i], len(a.Points), results)
		if err != nil {
			return nil, err
		}
		a.Bars = append(a.Bars, b)
	}
	if d.Kind.piled && len(d.Pieces) == 0 {
		a.pile()
	}
	return a, nil
}

// pile makes the series of a stack the pieces of one bar.
func (a *Panel) pile() {
	var pile PanelBar
	a.Parts = nil
	for _, b := range a.Bars {
		a.Parts = append(a.Parts, b.Name)
		pile.Values = append(pile.Values, b.Values[0])
	}
	a.Bars = []PanelBar{pile}
}

// bar evaluates a member.
func (p *Paper) bar(d *Drawing, m *Member, n int, results Results) (PanelBar, error) {
	b := PanelBar{Name: m.Name, Printed: d.Printed[m.Name]}
	if d.Table != "" {
		b.Printed = p.cells(d.Table, m.series)
	}
	for _, c := range d.columns() {
		if c.name != m.Name {
			continue
		}
		x, err := p.vector(c.e, c.row, results)
		if err != nil && d.bars {
			x, err = slices.Repeat([]float64{none}, n), nil // other variants have this piece
		}
		if err == nil && d.Per.root != nil {
			x, err = p.divide(x, &d.Per, results)
		}
		if err != nil {
			return b, err
		}
		b.Values = append(b.Values, x)
	}
	return b, nil
}

func (p *Paper) divide(x []float64, by *Expression, results Results) ([]float64, error) {
	v, err := (&evaluator{paper: p, metric: results.metric}).eval(by)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(x)
	for i := range all {
		all[i] /= v.at(i)
	}
	return all, nil
}

// vector evaluates an expression.
func (p *Paper) vector(e *Expression, row *series, results Results) ([]float64, error) {
	v, err := (&evaluator{paper: p, row: row, metric: results.metric}).eval(e)
	return v.x, err
}

// cells returns the published cells of a table of claims, for the runs of a member; nil if
// all are withheld.
func (p *Paper) cells(table string, s *series) (all []float64) {
	for _, point := range s.points {
		x := none
		id := table + "/" + s.experiment.Variants[s.variant].Name + "/" + s.experiment.Points[point].Label
		if c := p.Claim(id); c != nil && c.Judged == Value {
			x = c.Published
		}
		all = append(all, x)
	}
	if !slices.ContainsFunc(all, func(x float64) bool { return !math.IsNaN(x) }) {
		return nil
	}
	return all
}

// figure makes a chart of a panel.
func (a *Panel) figure() report.Figure { return a.Kind.draw(a) }

// curves draws lines, and rings where the paper prints a value.
func (a *Panel) curves() report.Figure {
	f := &report.Curves{Title: a.Title, XName: a.X.Name, YName: a.Y.Name, YUnit: a.Unit, XLog: a.X.Log, YLog: a.Y.Log}
	for i, b := range a.Bars {
		f.Curves = append(f.Curves, report.Curve{Name: b.Name, X: a.At, Y: b.Values[0], Dashed: slices.Contains(a.Dashed, b.Name),
			Color: report.Color(i)})
	}
	for i, b := range a.Bars {
		if b.Printed != nil {
			f.Curves = append(f.Curves, report.Curve{Name: b.Name + printedSuffix, X: a.At, Y: b.Printed, Marks: report.Ring,
				Color: report.Color(i)})
		}
	}
	return f
}

// printedSuffix marks what the paper prints.
const printedSuffix = ", printed"

// stacks draws bars; what the paper prints is next to them.
func (a *Panel) stacks() report.Figure {
	f := &report.Bars{Title: a.Title, XName: a.X.Name, Note: a.Y.Name, Unit: a.Unit, Groups: a.Points}
	parts := a.Parts
	single := len(parts) == 1
	if single {
		parts = []string{"simulated"}
	}
	if a.prints() {
		parts = append(slices.Clone(parts), "printed")
	}
	for _, name := range parts {
		f.Parts = append(f.Parts, report.Part{Name: name, Values: make([][]float64, len(a.Points))})
	}
	for _, b := range a.Bars {
		a.addBar(f, b.Name, b.Values)
		if b.Printed != nil {
			column := slices.Repeat([][]float64{nil}, len(parts))
			column[len(parts)-1] = b.Printed
			a.addBar(f, b.Name+printedSuffix, column)
		}
	}
	return f
}

// addBar adds a bar to every group; pieces that are omitted are nil.
func (a *Panel) addBar(f *report.Bars, name string, pieces [][]float64) {
	f.Members = append(f.Members, name)
	for i := range f.Parts {
		for point := range a.Points {
			x := none
			if i < len(pieces) && pieces[i] != nil {
				x = pieces[i][point]
			}
			f.Parts[i].Values[point] = append(f.Parts[i].Values[point], x)
		}
	}
}

// cellsOf draws a table: its rows from the top, a column for each member and what is
// printed.
func (a *Panel) cellsOf() report.Figure {
	f := &report.HeatMap{Title: a.Title, YName: a.X.Name, XName: a.Y.Name}
	for point := len(a.Points) - 1; point >= 0; point-- {
		f.Y = append(f.Y, a.Points[point])
		var row []float64
		for i := range a.Bars {
			row = append(row, a.Bars[i].Total(point))
			if a.Bars[i].Printed != nil {
				row = append(row, a.Bars[i].Printed[point])
			}
		}
		f.Values = append(f.Values, row)
	}
	for _, b := range a.Bars {
		f.X = append(f.X, b.Name)
		if b.Printed != nil {
			f.X = append(f.X, "printed")
		}
	}
	return f
}
