package papers

import (
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// tableReader is a table being read: one claim for each cell.
type tableReader struct {
	*paperReader
	model        Claim // what the cells have in common
	experiment   string
	tolerance    tolerance
	published    *yaml.Node
	explanations map[string]string // by cell
	aside        []string          // cells that the fit does not use
	name         cellName
}

// readTables reads the tables of a paper. The metric of a table is that of a
// cell: bare names in it are metrics of the cell's run.
func (p *paperReader) readTables(n *yaml.Node, path string) {
	p.items(n, path, func(v *yaml.Node, path string) {
		t := &tableReader{paperReader: p, explanations: map[string]string{}}
		t.model.at = p.place(v)
		fields := append(p.claimFields(&t.model),
			field{"id", true, p.text(&t.model.ID)},
			field{"experiment", true, p.text(&t.experiment)},
			field{"tolerance", true, p.readTolerance(&t.tolerance)},
			field{"published", true, func(n *yaml.Node, _ string) { t.published = n }},
			field{"explanations", false, t.readExplanations},
			field{"not_in_fit", false, t.readAside},
			field{"cell", false, t.readCell},
		)
		p.fields(v, path, fields...)
		if t.published != nil {
			t.readRows(v, path)
		}
	})
}

// readExplanations reads why cells do not come out: VARIANT/LABEL and a text.
func (t *tableReader) readExplanations(n *yaml.Node, path string) {
	t.entries(n, path, func(key, v *yaml.Node, path string) {
		var why string
		t.text(&why)(v, path)
		t.explanations[key.Value] = why
	})
}

// readAside reads which cells a fit leaves out: a list of VARIANT/LABEL.
func (t *tableReader) readAside(n *yaml.Node, path string) {
	t.items(n, path, func(v *yaml.Node, path string) {
		var cell string
		t.text(&cell)(v, path)
		t.aside = append(t.aside, cell)
	})
}

// readRows reads the published cells: a list for each variant, one cell for
// each point of the experiment.
func (t *tableReader) readRows(table *yaml.Node, path string) {
	e := t.Paper.experiment(t.experiment)
	if e == nil {
		t.complain(table, join(path, "experiment"), "unknown experiment%s", meant(t.experiment, t.experimentNames()))
		return
	}
	t.checkName(e, table, join(path, "cell"))
	t.entries(t.published, join(path, "published"), func(key, v *yaml.Node, path string) {
		variant := e.variant(key.Value)
		if variant < 0 {
			t.complain(key, path, "unknown variant%s", meant(key.Value, e.variantNames()))
			return
		}
		cells := 0
		t.items(v, path, func(cell *yaml.Node, path string) {
			if cells < len(e.Points) {
				t.cell(e, variant, cells, cell, path)
			}
			cells++
		})
		if cells != len(e.Points) {
			t.complain(key, path, "must have a cell for each of the %d points of %s, got %d", len(e.Points), e.Name, cells)
		}
	})
	for _, cell := range t.aside {
		t.complain(table, join(path, "not_in_fit"), "there is no cell %s", cell)
	}
	for _, cell := range slices.Sorted(maps.Keys(t.explanations)) {
		t.complain(table, join(path, "explanations"), "there is no cell %s", cell)
	}
}

// cell makes the claim of a cell.
func (t *tableReader) cell(e *Experiment, variant, point int, n *yaml.Node, path string) {
	c := t.model
	name := e.Variants[variant].Name + "/" + e.Points[point].Label
	c.ID += "/" + name
	c.Known = t.explanations[name]
	delete(t.explanations, name)
	c.cell = &series{e, variant, []int{point}, true}
	c.Cell = t.name.of(e.Variants[variant].Name, e.run(variant, point))
	t.readPublished(&c, n, path)
	if i := slices.Index(t.aside, name); i >= 0 || c.Kind == Withheld {
		c.Fit = ""
		t.aside = slices.DeleteFunc(t.aside, func(other string) bool { return other == name })
	}
	if c.Kind != Withheld {
		t.tolerance.apply(t.paperReader, &c, n, path)
	}
	t.Claims = append(t.Claims, &c)
}
