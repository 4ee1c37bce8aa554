package sweep

import (
	"math"
	"slices"
	"strings"
)

// Table holds the results of all points: a row for each point, in the order of the plan,
// and a column for each path and each result.
type Table struct {
	Plan    *Plan
	Rows    int       // of points; the twins at the end are not counted
	Paths   []*Column // by factor
	Results []*Column
	Errors  []string // by row, "" for a point that ran
}

// Column holds numbers, or texts.
type Column struct {
	Name    string
	Unit    string    // of numbers: "s", "B", ...
	Numbers []float64 // NaN: none
	Texts   []string  // "": none; nil for numbers
}

// Table reads all results. A point without one is an error.
func (d *Dir) Table() (*Table, error) {
	t := &Table{Plan: d.Plan}
	t.readPaths()
	columns := map[string]*Column{}
	for i, p := range d.Plan.Points {
		if !p.Twin {
			t.Rows++
		}
		r, err := d.Result(i)
		if err != nil {
			return nil, err
		}
		t.Errors = append(t.Errors, r.Error)
		if r.Error != "" {
			continue
		}
		for _, v := range flatten(r.Record) {
			t.put(columns, i, v)
		}
	}
	return t, nil
}

// readPaths makes a column for each factor: numbers if all its levels are
// quantities of one kind.
func (t *Table) readPaths() {
	for i, f := range t.Plan.Factors {
		c := newColumn(f.Path, len(t.Plan.Points))
		all := f.Levels
		if f.Range != nil {
			all = []string{f.Range.From, f.Range.To}
		}
		d, isNumber := common(all)
		if c.Unit = unit(d); !isNumber {
			c.Unit, c.Texts = "", make([]string, len(t.Plan.Points))
		}
		for row, p := range t.Plan.Points {
			if isNumber {
				c.Numbers[row] = number(d, p.Levels[i])
			} else {
				c.Texts[row] = p.Levels[i]
			}
		}
		t.Paths = append(t.Paths, c)
	}
}

func newColumn(name string, rows int) *Column {
	c := &Column{Name: name, Numbers: make([]float64, rows)}
	for i := range c.Numbers {
		c.Numbers[i] = math.NaN()
	}
	return c
}

// put records a result of a row. A result that repeats a path is left out.
func (t *Table) put(columns map[string]*Column, row int, v value) {
	c := columns[v.name]
	if c == nil {
		if v.name == "scenario" || slices.ContainsFunc(t.Paths, func(p *Column) bool { return p.Name == v.name }) {
			return
		}
		c = newColumn(v.name, len(t.Plan.Points))
		if v.text != "" {
			c.Texts = make([]string, len(t.Plan.Points))
		}
		if strings.HasSuffix(v.name, "_s") {
			c.Unit = "s"
		}
		columns[v.name] = c
		t.Results = append(t.Results, c)
	}
	if c.Texts != nil {
		c.Texts[row] = v.text
	} else {
		c.Numbers[row] = v.number
	}
}

// result returns a column of results by its name, or nil.
func (t *Table) result(name string) *Column {
	for _, c := range t.Results {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Main returns the results that every run has and that users look at first; the makespan
// is the first of them.
func (t *Table) Main() (columns []*Column) {
	for _, name := range []string{"makespan_s", "exposed_s", "hidden_s"} {
		if c := t.result(name); c != nil {
			columns = append(columns, c)
		}
	}
	return columns
}

// AllFailed tells whether all points failed.
func (t *Table) AllFailed() bool {
	return !slices.Contains(t.Errors[:t.Rows], "")
}

// columns lists the columns of files: the point, its run if there are several, the paths,
// the error, the results.
func (t *Table) columns() []*Column {
	points := newColumn("point", t.Rows)
	failures := &Column{Name: "error", Texts: t.Errors}
	all := []*Column{points}
	runs := &Column{Name: "run"}
	for i := range t.Rows {
		points.Numbers[i] = float64(i)
		runs.Texts = append(runs.Texts, t.Plan.Points[i].Run)
	}
	if t.Plan.Runs > 1 {
		all = append(all, runs)
	}
	return slices.Concat(all, t.Paths, []*Column{failures}, t.Results)
}
