package papers

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/report"
)

// Drawing is a panel of a figure, made of expressions: members, each of which has pieces
// with a value at each point.
type Drawing struct {
	Title   string
	Kind    *DrawingKind
	Unit    string // of the values; "s" is scaled in pictures
	X, Y    Axis
	Values  Expression // curves: the x of the points
	Labels  []string   // otherwise: the names of the points
	Members []Member
	Pieces  []Definition // of every member, where bare names are metrics of its runs; none: the members are expressions
	Per     Expression   // all values are divided by this
	Table   string       // of claims, whose published cells stand next to the values
	Printed map[string][]float64
	Dashed  []string
	bars    bool // the pieces belong to an experiment; a member may lack some
}

// Member is a curve, a bar of each group, or a column of a table.
type Member struct {
	Definition
	series *series // the member's runs, if it has pieces; found when the paper is checked
}

// Axis is an axis of a drawing.
type Axis struct {
	Name string `json:"name,omitempty"`
	Log  bool   `json:"log,omitempty"`
}

// DrawingKind is a kind of drawings.
type DrawingKind struct {
	Name string
	// overNumbers tells whether the points are numbers, not names.
	overNumbers bool
	// piled tells whether series without pieces are the pieces of one bar.
	piled bool
	draw  func(*Panel) report.Figure
}

// The kinds: lines over numbers; a bar for each member in each group; the same with bars of
// pieces; a column for each member.
var (
	kindCurves = &DrawingKind{Name: "curves", overNumbers: true, draw: (*Panel).curves}
	kindBars   = &DrawingKind{Name: "bars", draw: (*Panel).stacks}
	kindStack  = &DrawingKind{Name: "stack", piled: true, draw: (*Panel).stacks}
	kindTable  = &DrawingKind{Name: "table", draw: (*Panel).cellsOf}

	drawingKinds = []*DrawingKind{kindCurves, kindBars, kindStack, kindTable}
)

func drawingKindNames() (all []string) {
	for _, k := range drawingKinds {
		all = append(all, k.Name)
	}
	return all
}

// readDrawing reads a panel.
func (p *paperReader) readDrawing(t keys.Tree, figure string) *Drawing {
	d := &Drawing{Title: figure}
	var x, y, values, series, members, pieces, per, printed keys.Tree
	var experiment, name string
	kind := optional("kind", &name, strings.Join(drawingKindNames(), ", "))
	kind.Choices = drawingKindNames()
	t.Decode(
		optional("title", &d.Title, "what the panel is, in a line; default: the title of the figure"),
		kind,
		optional("unit", &d.Unit, "of the values; s is scaled"),
		optional("x", &x, "the horizontal axis"),
		optional("y", &y, "the vertical axis"),
		optional("series", &series, "names and expressions"),
		optional("experiment", &experiment, "in place of series: the bars of an experiment"),
		optional("members", &members, "in place of series: names and EXPERIMENT.VARIANT"),
		optional("pieces", &pieces, "of all members: names and expressions, in which bare names are metrics"),
		optional("per", &per, "what everything is divided by"),
		optional("published", &d.Table, "the table of claims whose cells the members are"),
		optional("printed", &printed, "values that the paper prints: names of members and a number or null for each point"),
		optional("dashed", &d.Dashed, "series that are models"),
	)
	if i := slices.Index(kind.Choices, name); i >= 0 {
		d.Kind = drawingKinds[i]
	}
	x.Decode(append(d.X.rows(),
		optional("values", &values, "curves: the x of the points, an expression"),
		optional("labels", &d.Labels, "otherwise: the names of the points"))...)
	y.Decode(d.Y.rows()...)
	if values.Given() {
		d.Values = readExpression(values)
	}
	if per.Given() {
		d.Per = readExpression(per)
	}
	d.readMembers(series, members, pieces)
	if experiment != "" {
		p.takeExperiment(d, experiment, t)
	}
	d.readPrinted(printed)
	d.checkKeys(t)
	return d
}

func (a *Axis) rows() []keys.Row {
	return []keys.Row{optional("name", &a.Name, "what it shows"), optional("log", &a.Log, "logarithmic")}
}

// readMembers reads series, or members with pieces. The series of a stack are its pieces.
func (d *Drawing) readMembers(series, members, pieces keys.Tree) {
	for _, s := range append(readDefinitions(series), readDefinitions(members)...) {
		d.Members = append(d.Members, Member{Definition: s})
	}
	d.Pieces = readDefinitions(pieces)
}

// takeExperiment makes the variants of an experiment members, and its bars their pieces.
func (p *paperReader) takeExperiment(d *Drawing, name string, t keys.Tree) {
	e := p.Paper.experiment(name)
	if e == nil {
		t.ComplainOf("experiment", "unknown experiment%s", meant(name, p.experimentNames()))
		return
	}
	d.bars = true
	if d.Kind == nil {
		d.Kind = kindStack
	}
	if d.Unit == "" {
		d.Unit = "s"
	}
	if d.X.Name == "" {
		d.X.Name = e.XName
	}
	if d.Labels == nil {
		d.Labels = e.labels()
	}
	for i, v := range e.Variants {
		d.Members = append(d.Members, Member{Definition{Name: v.Name}, &series{e, i, count(len(e.Points)), false}})
	}
	for _, bar := range e.Bars {
		metric, err := parse(bar.Metric, e.Place)
		if err != nil {
			t.ComplainOf("experiment", "%s", err)
		}
		d.Pieces = append(d.Pieces, Definition{bar.Name, metric})
	}
}

// readPrinted reads the values that the paper prints; null stands where it prints none.
func (d *Drawing) readPrinted(t keys.Tree) {
	for name, list := range t.Entries() {
		var all []float64
		for v := range list.Items() {
			if v.IsNull() {
				all = append(all, none)
			} else {
				all = append(all, v.Number())
			}
		}
		if !slices.ContainsFunc(d.Members, func(m Member) bool { return m.Name == name }) {
			list.Complain("no member of the drawing is called so")
		}
		if d.Printed == nil {
			d.Printed = map[string][]float64{}
		}
		d.Printed[name] = all
	}
}

// checkKeys reports keys that do not go together.
func (d *Drawing) checkKeys(t keys.Tree) {
	switch {
	case len(d.Members) == 0:
		t.Complain("must have series, members or an experiment")
	case d.Kind == nil:
		t.ComplainOf("kind", "is missing; it is one of %s", strings.Join(drawingKindNames(), ", "))
	case (d.Values.root != nil) != d.Kind.overNumbers || (d.Labels != nil) == d.Kind.overNumbers:
		t.ComplainOf("x", "must have values for curves, labels for others")
	}
}

// checkDrawing finds the runs of members, and reports vectors that do not have the length
// of the axis.
func (p *paperReader) checkDrawing(d *Drawing) {
	for i := range d.Members {
		if m := &d.Members[i]; len(d.Pieces) > 0 && m.series == nil {
			var err error
			if m.series, err = p.selected(&m.Expression); err != nil {
				p.wrong(m.Place, "figures.members."+m.Name, err)
				return
			}
		}
	}
	length, err := p.points(d)
	if err != nil {
		p.wrong(d.Values.Place, "figures.x.values", err)
		return
	}
	for _, c := range d.columns() {
		v, err := p.shapes(c.row, map[*Experiment]bool{}).eval(c.e)
		if err == nil {
			err = v.long(length)
		}
		if err != nil {
			p.wrong(c.e.Place, "figures.series."+c.name, err)
		}
	}
	for name, x := range d.Printed {
		if len(x) != length {
			p.wrong(d.place(), "figures.printed."+name, fmt.Errorf("has %d points, the axis has %d", len(x), length))
		}
	}
}

// place is approximately where a drawing was written.
func (d *Drawing) place() keys.Place {
	for _, c := range d.columns() {
		return c.e.Place
	}
	return d.Values.Place
}

// points returns how many points a drawing has.
func (p *paperReader) points(d *Drawing) (int, error) {
	if !d.Kind.overNumbers {
		return len(d.Labels), nil
	}
	v, err := p.shapes(nil, map[*Experiment]bool{}).eval(&d.Values)
	if err == nil && (!v.vector || v.truth) {
		err = fmt.Errorf("must be numbers, is %s", v.is())
	}
	return len(v.x), err
}

// long reports a value that is not a vector of n numbers.
func (v value) long(n int) error {
	switch {
	case !v.vector || v.truth:
		return fmt.Errorf("must be numbers, is %s", v.is())
	case len(v.x) != n:
		return fmt.Errorf("has %d points, the axis has %d", len(v.x), n)
	}
	return nil
}

// selected returns the runs that EXPERIMENT.VARIANT names.
func (p *Paper) selected(e *Expression) (*series, error) {
	if _, ok := e.root.(*ast.Ident); ok || e.root == nil {
		return nil, fmt.Errorf("%s: must be EXPERIMENT.VARIANT", e.Text)
	}
	v := &evaluation{&evaluator{paper: p}, e}
	return v.series(e.root)
}

// drawingColumn is a member, or a piece of one, of a drawing.
type drawingColumn struct {
	name string
	e    *Expression
	row  *series
}

// columns are the expressions of a drawing: of each member its pieces.
func (d *Drawing) columns() (all []drawingColumn) {
	for i := range d.Members {
		m := &d.Members[i]
		if len(d.Pieces) == 0 {
			all = append(all, drawingColumn{m.Name, &m.Expression, nil})
		}
		for k := range d.Pieces {
			all = append(all, drawingColumn{m.Name, &d.Pieces[k].Expression, m.series})
		}
	}
	return all
}
