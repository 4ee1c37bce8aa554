package papers

import (
	"maps"
	"math"
	"slices"

	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/validation"
)

// tableReader is a table being read: one claim for each cell.
type tableReader struct {
	*paperReader
	table        keys.Tree
	model        Claim // what the cells have in common
	tolerance    tolerance
	explanations map[string]string // by cell
	aside        []string          // cells that the fit does not use
	name         cellName
}

// readTable reads a table of a paper. Its metric gives a cell: bare names
// in it are metrics of the cell's run.
func (p *paperReader) readTable(table keys.Tree) {
	t := &tableReader{paperReader: p, table: table, explanations: map[string]string{}}
	t.model.at = table.Place()
	var x claimText
	var experiment string
	var explanations, cell keys.Tree
	table.Decode(append(x.rows(&t.model),
		required("experiment", &experiment, "the experiment whose variants and points are the rows and columns"),
		optional("explanations", &explanations, "why cells are not reproduced: VARIANT/LABEL and a text"),
		optional("explanation", &t.model.Residual, "why other cells are not reproduced"),
		optional("not_predicted", &t.model.Unknown, "why the cells that are withheld are not computed"),
		optional("not_in_fit", &t.aside, "cells that the fit leaves out, VARIANT/LABEL"),
		optional("cell", &cell, "what the record says of a cell"),
	)...)
	x.kindText.apply(&t.model, table)
	t.model.Metric = readExpression(x.metric)
	t.tolerance = readTolerance(x.tolerance)
	for cell, why := range explanations.Entries() {
		t.explanations[cell] = why.Text()
	}
	t.name = readCell(cell)
	e := p.Paper.experiment(experiment)
	if e == nil && experiment != "" {
		table.ComplainOf("experiment", "unknown experiment%s", meant(experiment, p.experimentNames()))
	}
	if e != nil && x.published.Given() {
		t.name.check(e, cell)
		if x.published.At("rows").Given() {
			t.readFile(e, x.published)
		} else {
			t.readRows(e, x.published)
		}
		t.checkCells()
	}
}

// readFile takes the published cells from a file of the data sets: each from the row that agrees with
// the description of the cell. Where there is none the cell is withheld.
func (t *tableReader) readFile(e *Experiment, published keys.Tree) {
	var file, column string
	published.Decode(
		required("rows", &file, "a file of rows of a data set of the library"),
		required("column", &column, "its column with the figures"),
	)
	figures, err := validation.OpenFigures(file)
	if err != nil {
		published.ComplainOf("rows", "%s", err)
		return
	}
	withheld := true
	for v := range e.Variants {
		for p := range e.Points {
			x, err := figures.At(column, t.name.of(e.Variants[v].Name, e.run(v, p)))
			if err != nil {
				published.Complain("%s", err)
				return
			}
			withheld = withheld && math.IsNaN(x)
			t.cell(e, v, p, func(c *Claim) { c.publish(x) })
		}
	}
	if withheld {
		published.Complain("no row of %s agrees with what the table says of its cells", file)
	}
}

// readRows reads the published cells: a list for each variant, one cell for
// each point of the experiment.
func (t *tableReader) readRows(e *Experiment, published keys.Tree) {
	for name, row := range published.Entries() {
		variant := e.variant(name)
		if variant < 0 {
			row.Complain("unknown variant%s", meant(name, e.variantNames()))
			continue
		}
		cells := 0
		for cell := range row.Items() {
			if cells < len(e.Points) {
				t.cell(e, variant, cells, func(c *Claim) { readPublished(c, cell) })
			}
			cells++
		}
		if cells != len(e.Points) {
			row.Complain("must have a cell for each of the %d points of %s, got %d", len(e.Points), e.Name, cells)
		}
	}
}

// checkCells reports keys of cells that do not exist.
func (t *tableReader) checkCells() {
	for _, cell := range t.aside {
		t.table.ComplainOf("not_in_fit", "there is no cell %s", cell)
	}
	for _, cell := range slices.Sorted(maps.Keys(t.explanations)) {
		t.table.ComplainOf("explanations", "there is no cell %s", cell)
	}
}

// setAside makes a cell that its table's fit does not use a prediction.
func (c *Claim) setAside() {
	if c.Kind == Fitted {
		c.Kind, c.Fit = Predicted, ""
	}
}

// cell makes the claim of a cell. The given function adds the published value.
func (t *tableReader) cell(e *Experiment, variant, point int, publish func(*Claim)) {
	c := t.model
	name := e.Variants[variant].Name + "/" + e.Points[point].Label
	c.ID += "/" + name
	c.Known = t.explanations[name]
	delete(t.explanations, name)
	c.cell = &series{e, variant, []int{point}, true}
	c.Cell = t.name.of(e.Variants[variant].Name, e.run(variant, point))
	publish(&c)
	if i := slices.Index(t.aside, name); i >= 0 || c.Judged == Withheld {
		c.setAside()
		t.aside = slices.DeleteFunc(t.aside, func(other string) bool { return other == name })
	}
	if c.Judged != Withheld {
		c.Unknown = ""
		t.tolerance.apply(&c, t.table)
	}
	t.Claims = append(t.Claims, &c)
}
