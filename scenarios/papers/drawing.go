package papers

import (
	"fmt"
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/report"
)

// Drawing is a figure of a paper made of expressions.
type Drawing struct {
	Title  string
	Kind   string // curves, bars or stack
	Unit   string // of bars and stacks; "s" is scaled
	X, Y   Axis
	Values Expression // curves: the x of the points
	Labels []string   // bars, stack: the groups
	Series []Definition
	Dashed []string
}

// Axis is an axis of a drawing.
type Axis struct {
	Name string
	Log  bool
}

// Kinds of drawings: lines over numbers; a bar for each series in each group; one bar in
// each group, with a piece for each series.
var drawingKinds = []string{"curves", "bars", "stack"}

func (p *paperReader) readDrawings(t keys.Tree) {
	for v := range t.Items() {
		p.Drawings = append(p.Drawings, readDrawing(v))
	}
}

func readDrawing(t keys.Tree) *Drawing {
	d := &Drawing{}
	var x, y, values, series keys.Tree
	kind := required("kind", &d.Kind, strings.Join(drawingKinds, ", "))
	kind.Choices = drawingKinds
	t.Decode(
		required("title", &d.Title, "what the drawing is, in a line"),
		kind,
		optional("unit", &d.Unit, "of bars and stacks; s is scaled"),
		required("x", &x, "the horizontal axis"),
		optional("y", &y, "the vertical axis"),
		required("series", &series, "names and expressions"),
		optional("dashed", &d.Dashed, "series that are models"),
	)
	x.Decode(append(d.X.rows(),
		optional("values", &values, "curves: the x of the points, an expression"),
		optional("labels", &d.Labels, "bars, stack: the groups"))...)
	y.Decode(d.Y.rows()...)
	if values.Given() {
		d.Values = readExpression(values)
	}
	if d.Kind != "" && x.Given() && (values.Given() != (d.Kind == "curves") || values.Given() == (d.Labels != nil)) {
		x.Complain("must have values for curves, labels for bars and stacks")
	}
	d.Series = readDefinitions(series)
	return d
}

func (a *Axis) rows() []keys.Row {
	return []keys.Row{optional("name", &a.Name, "what it shows"), optional("log", &a.Log, "logarithmic")}
}

// checkDrawing reports series that are not as long as the axis.
func (p *paperReader) checkDrawing(d *Drawing) {
	length := len(d.Labels)
	vector := func(e *Expression) (int, error) {
		v, err := p.shapes(nil, map[*Experiment]bool{}).eval(e)
		if err == nil && (!v.vector || v.truth) {
			err = fmt.Errorf("must be numbers, is %s", v.is())
		}
		return len(v.x), err
	}
	if d.Kind == "curves" {
		var err error
		if length, err = vector(&d.Values); err != nil {
			p.wrong(d.Values.Place, "figures.x.values", err)
			return
		}
	}
	for i := range d.Series {
		s := &d.Series[i]
		n, err := vector(&s.Expression)
		if err == nil && n != length {
			err = fmt.Errorf("has %d points, the axis has %d", n, length)
		}
		if err != nil {
			p.wrong(s.Place, "figures.series."+s.Name, err)
		}
	}
}

// draw evaluates a drawing.
func (p *Paper) draw(d *Drawing, results Results) (report.Figure, error) {
	at := func(e *Expression) ([]float64, error) {
		v, err := (&evaluator{paper: p, metric: results.metric}).eval(e)
		return v.x, err
	}
	values := make([][]float64, len(d.Series))
	for i := range d.Series {
		var err error
		if values[i], err = at(&d.Series[i].Expression); err != nil {
			return nil, err
		}
	}
	if d.Kind == "curves" {
		x, err := at(&d.Values)
		return d.curves(x, values), err
	}
	return d.bars(values), nil
}

func (d *Drawing) curves(x []float64, values [][]float64) *report.Curves {
	f := &report.Curves{Title: d.Title, XName: d.X.Name, YName: d.Y.Name, XLog: d.X.Log, YLog: d.Y.Log}
	for i, s := range d.Series {
		f.Curves = append(f.Curves, report.Curve{Name: s.Name, X: x, Y: values[i], Dashed: slices.Contains(d.Dashed, s.Name)})
	}
	return f
}

// bars makes each series a member of the groups, or a piece of their bars.
func (d *Drawing) bars(values [][]float64) *report.Bars {
	f := &report.Bars{Title: d.Title, XName: d.X.Name, Unit: d.Unit, Groups: d.Labels, Members: []string{""}}
	if d.Kind == "stack" {
		for i, s := range d.Series {
			f.Parts = append(f.Parts, report.Part{Name: s.Name, Values: columns(values[i : i+1])})
		}
		return f
	}
	f.Members = nil
	for _, s := range d.Series {
		f.Members = append(f.Members, s.Name)
	}
	f.Parts = []report.Part{{Name: d.Title, Values: columns(values)}}
	return f
}

// columns turns values by series and group into values by group and series.
func columns(series [][]float64) [][]float64 {
	groups := make([][]float64, len(series[0]))
	for g := range groups {
		for _, s := range series {
			groups[g] = append(groups[g], s[g])
		}
	}
	return groups
}
