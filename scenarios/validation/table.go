package validation

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"overlapsim/scenarios/keys"
)

// Limits on what is read.
const (
	mostBytes    = 64 << 20 // of a file, uncompressed
	mostRows     = 200_000
	mostColumns  = 200
	mostMistakes = 20 // that are listed of one file
)

// table is a file of measurements.
type table struct {
	file    string
	head    keys.Place
	columns []string
	rows    []line
}

// line is a row of a table.
type line struct {
	cells  []string
	places []keys.Place // of each cell
	spread float64      // relative, of the rows that were merged into it; NaN: not known
}

// at returns the place of a row.
func (l *line) at() keys.Place { return l.places[0] }

// column returns the index of a column, -1 if there is none.
func (t *table) column(name string) int { return slices.Index(t.columns, name) }

// text returns a cell.
func (t *table) text(l *line, column string) string { return l.cells[t.column(column)] }

// number returns a cell as a number; false: it is none, which is a mistake.
func (t *table) number(l *line, column string, problems *keys.Problems) (float64, bool) {
	i := t.column(column)
	x, err := strconv.ParseFloat(l.cells[i], 64)
	switch {
	case l.cells[i] == "":
		problems.Add(l.places[i], column, "is empty; it must be a number")
	case err != nil || math.IsNaN(x) || math.IsInf(x, 0):
		problems.Add(l.places[i], column, "must be a number, got %s", keys.Quote(l.cells[i]))
	case x != 0 && (math.Abs(x) < least || math.Abs(x) > most):
		problems.Add(l.places[i], column, "must be %g to %g, so that errors and their squares are finite, got %s", least, most,
			keys.Quote(l.cells[i]))
	default:
		return x, true
	}
	return 0, false
}

// Numbers of rows other than 0 lie in this range, regardless of their sign.
const least, most = 1e-50, 1e50

// parse reads a CSV text. Without names of columns its first line has them. Lines that
// begin with # are skipped.
func parse(file string, text []byte, columns []string, problems *keys.Problems) *table {
	t := &table{file: file, columns: columns, head: keys.Place{File: file, Line: 1, Column: 1}}
	in := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	in.FieldsPerRecord, in.Comment, in.TrimLeadingSpace = -1, '#', true
	for len(*problems) < mostMistakes {
		record, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			problems.Add(syntaxPlace(file, err), "", "is not CSV: %s", reasonOf(err))
			return nil
		}
		t.add(in, record, problems)
		if len(t.rows) > mostRows {
			problems.Add(t.rows[mostRows].at(), "", "is the row after the %dth, which is the last that a file may have", mostRows)
			return nil
		}
	}
	if len(*problems) == 0 && len(t.rows) == 0 {
		problems.Add(t.head, "", "has no rows")
	}
	if len(*problems) > 0 {
		return nil
	}
	return t
}

// add takes the names of the columns, or a row.
func (t *table) add(in *csv.Reader, record []string, problems *keys.Problems) {
	l := line{spread: math.NaN()}
	for i, cell := range record {
		row, column := in.FieldPos(i)
		l.cells = append(l.cells, strings.TrimSpace(cell))
		l.places = append(l.places, keys.Place{File: t.file, Line: row, Column: column})
	}
	switch {
	case t.columns == nil:
		t.head = l.at()
		t.columns = l.cells
		t.checkHead(&l, problems)
	case len(l.cells) != len(t.columns):
		problems.Add(l.at(), "", "has %s, but there are %s", keys.Plural(len(l.cells), "cell"), keys.Plural(len(t.columns), "column"))
	default:
		t.rows = append(t.rows, l)
	}
}

// addColumn adds a column that is computed.
func (t *table) addColumn(name string, cells []string) {
	t.columns = append(t.columns, name)
	for i := range t.rows {
		l := &t.rows[i]
		l.cells, l.places = append(l.cells, cells[i]), append(l.places, l.at())
	}
}

// checkHead reports names of columns that cannot be used.
func (t *table) checkHead(l *line, problems *keys.Problems) {
	if len(l.cells) > mostColumns {
		problems.Add(l.at(), "", "has %d columns; the most are %d", len(l.cells), mostColumns)
		return
	}
	for i, name := range l.cells {
		if name == "" {
			problems.Add(l.places[i], "", "is a column without a name")
		} else if slices.Index(l.cells, name) < i {
			problems.Add(l.places[i], name, "is there twice; each name may be used once")
		}
	}
}

// syntaxPlace is the place of a mistake of form.
func syntaxPlace(file string, err error) keys.Place {
	var wrong *csv.ParseError
	if errors.As(err, &wrong) {
		return keys.Place{File: file, Line: wrong.Line, Column: max(1, wrong.Column)}
	}
	return keys.Place{File: file, Line: 1, Column: 1}
}

func reasonOf(err error) string {
	var wrong *csv.ParseError
	if errors.As(err, &wrong) {
		return wrong.Err.Error()
	}
	return err.Error()
}
