package validation

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/keys"
)

// row is a row of a data set: its settings, its figure, and what is predicted.
type row struct {
	table *table
	line  *line

	settings []string           // of the scenario
	path     string             // of the number
	amount   float64            // that the number is the time of
	cells    map[string]float64 // that baselines read, by column
	numbers  map[string]float64 // of the run that baselines read
	shortest *row               // of its group, in sets of overlap
	spread   float64            // relative, or in the unit of the figure; NaN: not known

	Measured  float64
	Predicted float64 // NaN: the run failed
	Failed    string
	Fitted    bool // a fit has used it
}

// group joins the cells of columns.
func (r *row) group(columns []string) string { return r.table.key(r.line, columns) }

// machine is the setting that chooses the machine of the row; "": the set does.
func (r *row) machine() (setting string) {
	for _, s := range r.settings {
		if strings.HasPrefix(s, "machine=") {
			setting = s
		}
	}
	return setting
}

// figure joins the settings and the number: rows that are equal in it were measured several times.
func (r *row) figure() string { return r.run() + "\x00" + r.path }

// run joins the settings: rows with equal settings are one run.
func (r *row) run() string { return strings.Join(r.settings, "\x00") }

// open returns the text of the set's own rows.
func (s *Set) open() (file string, text []byte, err error) {
	if text, err := library.ReadFile(s.rows); s.builtIn() && err == nil {
		text, err = disk.UnpackAll(bytes.NewReader(text), mostBytes)
		return "validation/" + s.rows, text, err
	}
	file = filepath.Join(filepath.Dir(s.File), s.rows)
	text, err = disk.Unpacked(file, mostBytes)
	return file, text, err
}

// builtIn tells whether the set is of the library.
func (s *Set) builtIn() bool { return s.File == fileOf(s.Name) }

// Rows reads rows of the set: from a file, or with "" its own. A machine replaces the machine of
// the set. The error is of type keys.Problems.
func (s *Set) Rows(file, machine string) ([]*row, error) {
	var text []byte
	var err error
	var problems keys.Problems
	switch {
	case file != "":
		text, err = disk.Unpacked(file, mostBytes)
	case s.rows == "":
		problems.Add(keys.Place{File: s.File, Line: 1, Column: 1}, "rows", "is missing; give a file with --rows")
		return nil, problems
	default:
		file, text, err = s.open()
	}
	if err != nil {
		problems.Add(keys.Place{File: file, Line: 1, Column: 1}, "", "cannot be read: %s", keys.ReasonOf(err))
		return nil, problems
	}
	t := s.prepare(file, text, &problems)
	if t == nil {
		return nil, problems.Err()
	}
	rows := s.resolve(t, machine, &problems)
	return rows, problems.Err()
}

// prepare reads a table and prepares it; nil: there are mistakes.
func (s *Set) prepare(file string, text []byte, problems *keys.Problems) *table {
	t := parse(file, text, slices.Clone(s.raw), problems)
	if t == nil {
		return nil
	}
	if s.checkColumns(t, problems); len(*problems) > 0 {
		return nil
	}
	for i := range s.lookups {
		s.lookups[i].apply(t, problems)
	}
	t.rows = slices.DeleteFunc(t.rows, func(l line) bool { return !s.counts(t, &l) })
	if s.overlap != nil {
		s.overlap.apply(t, problems)
	}
	for i := 0; i < len(s.merges) && len(*problems) == 0; i++ {
		t = s.merges[i].apply(t, problems)
	}
	if len(*problems) == 0 && len(t.rows) == 0 {
		problems.Add(t.head, "", "has no rows that count: rows of %s", s.where)
	}
	if len(*problems) > 0 {
		return nil
	}
	return t
}

// String says which rows count.
func (w where) String() string {
	var all []string
	for _, c := range w {
		if c.below != "" {
			all = append(all, fmt.Sprintf("%s below %g times %s", c.column, c.times, c.below))
			continue
		}
		all = append(all, c.column+" "+strings.Join(c.texts, " or "))
	}
	if all == nil {
		return "the data set"
	}
	return strings.Join(all, ", ")
}

// checkColumns reports columns that are missing or not known.
func (s *Set) checkColumns(t *table, problems *keys.Problems) {
	used := s.used()
	var missing []string
	for _, name := range used {
		if t.column(name) < 0 && !slices.Contains(missing, name) {
			missing = append(missing, name)
			message := "there is no such column, which the data set reads; there are " + strings.Join(t.columns, ", ")
			if near := keys.Nearest(name, t.columns); near != "" {
				message = "there is no such column; is it " + near + "?"
			}
			problems.Add(t.head, name, "%s", message)
		}
	}
	if s.anyAlso || s.raw != nil {
		return
	}
	known := slices.Compact(slices.Sorted(slices.Values(append(used, s.also...))))
	for _, name := range t.columns {
		if !slices.Contains(known, name) {
			problems.Add(t.head, name, "unknown column, %s", keys.Instead(name, known))
		}
	}
}

// resolve makes the rows of a table.
func (s *Set) resolve(t *table, machine string, problems *keys.Problems) (rows []*row) {
	for i := range t.rows {
		if len(*problems) >= mostMistakes {
			return nil
		}
		rows = append(rows, s.row(t, &t.rows[i], machine, problems))
	}
	return rows
}

// row makes a row of a line.
func (s *Set) row(t *table, l *line, machine string, problems *keys.Problems) *row {
	r := &row{table: t, line: l, settings: slices.Clone(s.settings), spread: l.spread, Predicted: math.NaN()}
	for _, b := range s.bindings {
		if b.path == "machine" && machine != "" {
			continue
		}
		if text, ok := b.text(t, l, problems); ok {
			r.settings = append(r.settings, b.path+"="+text)
		}
	}
	if machine != "" {
		r.settings = append(r.settings, "machine="+machine)
	}
	r.path, _ = s.predicted.path.text(t, l, problems)
	var ok bool
	r.Measured, ok = t.number(l, s.measured.column, problems)
	if ok && s.kind.positive && r.Measured <= 0 {
		problems.Add(l.places[t.column(s.measured.column)], s.measured.column, "must be positive, as errors are relative; got %s",
			t.text(l, s.measured.column))
	}
	if s.predicted.amount != nil {
		r.amount, _ = t.number(l, s.predicted.amount.column, problems)
	}
	s.readCells(r, problems)
	if s.spread != nil {
		r.spread = s.distance(t, l, problems)
		if s.kind.positive {
			r.spread /= r.Measured
		}
	}
	return r
}

// readCells reads the numbers that baselines are made of.
func (s *Set) readCells(r *row, problems *keys.Problems) {
	r.cells, r.numbers = map[string]float64{}, map[string]float64{}
	read := func(column string) {
		if _, known := r.cells[column]; !known {
			r.cells[column], _ = r.table.number(r.line, column, problems)
		}
	}
	for _, b := range s.baselines {
		for _, column := range b.reads {
			read(column)
		}
	}
}

// distance is how far measurements are apart from their middle: what the file says, or half of what is
// between a low and a high one.
func (s *Set) distance(t *table, l *line, problems *keys.Problems) float64 {
	first, _ := t.number(l, s.spread[0], problems)
	if len(s.spread) == 1 {
		return first
	}
	last, _ := t.number(l, s.spread[1], problems)
	return (last - first) / 2
}
