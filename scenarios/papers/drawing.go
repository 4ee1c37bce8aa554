package papers

import (
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"overlapsim/scenarios"
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
	place  scenarios.Place
}

// Axis is one of a drawing's.
type Axis struct {
	Name string
	Log  bool
}

// Kinds of drawings: lines over numbers; a bar for each series in each group;
// one bar in each group, of a piece for each series.
var drawingKinds = []string{"curves", "bars", "stack"}

func (p *paperReader) readDrawings(n *yaml.Node, path string) {
	p.items(n, path, func(v *yaml.Node, path string) {
		d := &Drawing{place: p.place(v)}
		p.fields(v, path,
			field{"title", true, p.text(&d.Title)},
			field{"kind", true, p.text(&d.Kind)},
			field{"unit", false, p.text(&d.Unit)},
			field{"x", true, p.readAxis(&d.X, field{"values", false, p.expression(&d.Values)}, field{"labels", false, p.readLabels(&d.Labels)})},
			field{"y", false, p.readAxis(&d.Y)},
			field{"series", true, p.readSeries(d)},
			field{"dashed", false, p.readLabels(&d.Dashed)},
		)
		if !slices.Contains(drawingKinds, d.Kind) {
			p.complain(v, join(path, "kind"), "must be curves, bars or stack, got %s", strconv.Quote(d.Kind))
		}
		if (d.Kind == "curves") != (d.Values.Text != "") || (d.Kind == "curves") == (d.Labels != nil) {
			p.complain(v, join(path, "x"), "must have values for curves, labels for bars and stacks")
		}
		p.Drawings = append(p.Drawings, d)
	})
}

func (p *paperReader) readAxis(to *Axis, more ...field) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		p.fields(n, path, append(more,
			field{"name", true, func(n *yaml.Node, _ string) { to.Name = n.Value }},
			field{"log", false, func(n *yaml.Node, _ string) { to.Log = n.Value == "true" }},
		)...)
	}
}

func (p *paperReader) readLabels(to *[]string) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		p.items(n, path, func(v *yaml.Node, path string) {
			var s string
			p.text(&s)(v, path)
			*to = append(*to, s)
		})
	}
}

func (p *paperReader) readSeries(d *Drawing) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		p.entries(n, path, func(key, v *yaml.Node, path string) {
			s := Definition{Name: key.Value}
			p.expression(&s.Expression)(v, path)
			d.Series = append(d.Series, s)
		})
	}
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
