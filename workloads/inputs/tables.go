package inputs

import "bytes"

// Table is an open table. Rows calls row for each row of the columns of these names: a value is a text,
// or a number where the text is "", or neither: NaN.
type Table interface {
	Has(column string) bool
	Count() int64
	Rows(columns []string, row func(texts []string, numbers []float64) error) error
	Close() error
}

// TableFormat is how tables are kept, other than as text. A program imports the package of a format if it is to read
// files of that format.
type TableFormat struct {
	Begins string // what each file of it begins with
	Open   func(path string) (Table, error)
}

var formats []TableFormat

// RegisterTable adds a format. Call it from init.
func RegisterTable(f TableFormat) { formats = append(formats, f) }

// TableOf returns the format of a file with this beginning; nil: it is a text, or this program has no package for it.
func TableOf(begin []byte) *TableFormat {
	for i := range formats {
		if bytes.HasPrefix(begin, []byte(formats[i].Begins)) {
			return &formats[i]
		}
	}
	return nil
}
