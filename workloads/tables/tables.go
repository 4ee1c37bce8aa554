// Package tables is where tables of a user in other formats than text are read. A format is a package below it, which
// a program imports if it is to read files of that format.
package tables

import "bytes"

// Table is an open table. Rows calls row for each row of the columns of these names: a value is a text,
// or a number where the text is "", or neither: NaN.
type Table interface {
	Has(column string) bool
	Count() int64
	Rows(columns []string, row func(texts []string, numbers []float64) error) error
	Close() error
}

// Format is how tables are kept.
type Format struct {
	Begins string // what each file of it begins with
	Open   func(path string) (Table, error)
}

var formats []Format

// Register adds a format. Call it from init.
func Register(f Format) { formats = append(formats, f) }

// Of returns the format of a file with this beginning; nil: it is a text, or this program has no package for it.
func Of(begin []byte) *Format {
	for i := range formats {
		if bytes.HasPrefix(begin, []byte(formats[i].Begins)) {
			return &formats[i]
		}
	}
	return nil
}
