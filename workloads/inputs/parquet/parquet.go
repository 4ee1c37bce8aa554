// Package parquet reads tables in Parquet.
package parquet

import (
	"fmt"
	"io"
	"math"
	"os"

	"github.com/parquet-go/parquet-go"

	"overlapsim/workloads/inputs"
)

func init() { inputs.RegisterTable(inputs.TableFormat{Begins: "PAR1", Open: open}) }

// table is an open file.
type table struct {
	path string
	file *os.File
	in   *parquet.File
}

// open opens a table, regardless of its columns.
func open(path string) (inputs.Table, error) {
	f, err := inputs.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	in, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: is not Parquet: %w", path, err)
	}
	return &table{path: path, file: f, in: in}, nil
}

func (t *table) Close() error { return t.file.Close() }

// Count is the number of rows.
func (t *table) Count() int64 { return t.in.NumRows() }

// Has tells whether there is a column.
func (t *table) Has(column string) bool { return t.at(column) >= 0 }

// at is the number of a column; -1: there is none.
func (t *table) at(column string) int {
	if leaf, ok := t.in.Schema().Lookup(column); ok {
		return leaf.ColumnIndex
	}
	return -1
}

// Rows implements [inputs.Table].
func (t *table) Rows(columns []string, row func(texts []string, numbers []float64) error) (err error) {
	defer func() {
		if recover() != nil { // the library panics at some damaged files
			err = fmt.Errorf("%s: is damaged: its parts do not fit together", t.path)
		}
	}()
	wanted := map[int]int{}
	for i, c := range columns {
		wanted[t.at(c)] = i
	}
	delete(wanted, -1)
	texts, numbers := make([]string, len(columns)), make([]float64, len(columns))
	buffer := make([]parquet.Row, 1024)
	n := 0
	one := func(values parquet.Row) error {
		n++
		for i := range columns {
			texts[i], numbers[i] = "", math.NaN()
		}
		for _, v := range values {
			if i, ok := wanted[v.Column()]; ok && !v.IsNull() {
				texts[i], numbers[i] = value(v)
			}
		}
		return row(texts, numbers)
	}
	for _, group := range t.in.RowGroups() {
		if err := t.group(group, buffer, &n, one); err != nil {
			return err
		}
	}
	return nil
}

// group reads the rows of a group.
func (t *table) group(group parquet.RowGroup, buffer []parquet.Row, n *int, row func(parquet.Row) error) error {
	rows := group.Rows()
	defer rows.Close()
	for {
		read, err := rows.ReadRows(buffer)
		for _, values := range buffer[:read] {
			if wrong := row(values); wrong != nil {
				return fmt.Errorf("%s: row %d: %w", t.path, *n, wrong)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: row %d: %w", t.path, *n+1, err)
		}
	}
}

// value is a value as a text or as a number.
func value(v parquet.Value) (string, float64) {
	switch v.Kind() {
	case parquet.Int32:
		return "", float64(v.Int32())
	case parquet.Int64:
		return "", float64(v.Int64())
	case parquet.Float:
		return "", float64(v.Float())
	case parquet.Double:
		return "", v.Double()
	case parquet.ByteArray:
		return string(v.ByteArray()), math.NaN()
	}
	return "", math.NaN()
}
