// Package parquet reads and writes tables in Parquet, of columns that have one value in a row, or none. It uses the parts of parquet-go
// that know the format, and not its package of rows, which needs all of Protocol Buffers, Brotli and HTTP.
//
// Source: github.com/apache/parquet-format 2.12, README.md and Encodings.md.
package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/parquet-go/parquet-go/format"

	"overlapsim/workloads/inputs"
)

// magic begins and ends a file.
const magic = "PAR1"

func init() { inputs.RegisterTable(inputs.TableFormat{Begins: magic, Open: open}) }

var errDamaged = errors.New("is damaged: its parts do not fit together")

// catch makes an error of a panic: what a damaged file says may lie outside what it has, and the library panics at some.
func catch(err *error) {
	if recover() != nil {
		*err = errDamaged
	}
}

// table is an open file.
type table struct {
	path    string
	file    *os.File
	end     int64 // of the pages
	about   *format.FileMetaData
	columns map[string]*column
}

// open opens a table, regardless of its columns.
func open(path string) (inputs.Table, error) {
	f, err := inputs.Open(path)
	if err != nil {
		return nil, err
	}
	t := &table{path: path, file: f, columns: map[string]*column{}}
	if err := t.describe(); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: is not Parquet: %w", path, err)
	}
	return t, nil
}

// describe reads the end of a file, which describes the rest.
func (t *table) describe() (err error) {
	defer catch(&err)
	info, err := t.file.Stat()
	if err != nil {
		return err
	}
	var tail [8]byte
	if _, err := t.file.ReadAt(tail[:], info.Size()-8); err != nil || string(tail[4:]) != magic {
		return errors.New("does not end with " + magic)
	}
	size := int64(binary.LittleEndian.Uint32(tail[:]))
	if t.end = info.Size() - 8 - size; t.end < 0 {
		return errDamaged
	}
	b := make([]byte, size)
	if _, err := t.file.ReadAt(b, t.end); err != nil {
		return err
	}
	if t.about, _, err = new(format.FooterDecoder).Decode(b); err != nil {
		return err
	}
	left := t.about.NumRows
	for _, g := range t.about.RowGroups {
		if left -= g.NumRows; g.NumRows < 0 || left < 0 {
			return errDamaged
		}
	}
	below, leaf := int32(0), 0 // columns that are left of the top one
	for _, e := range t.about.Schema[1:] {
		if below == 0 {
			t.columns[e.Name] = columnOf(e, leaf)
		} else {
			below--
		}
		below += e.NumChildren.V
		if e.Type.Valid {
			leaf++
		}
	}
	return nil
}

func (t *table) Close() error { return t.file.Close() }

// Count is the number of rows.
func (t *table) Count() int64 { return t.about.NumRows }

// Has tells whether there is a column.
func (t *table) Has(column string) bool { return t.columns[column] != nil }

// Rows implements [inputs.Table].
func (t *table) Rows(columns []string, row func(texts []string, numbers []float64) error) error {
	texts, numbers := make([]string, len(columns)), make([]float64, len(columns))
	chunks := make([]*chunk, len(columns))
	n := 0
	for _, group := range t.about.RowGroups {
		for i, name := range columns {
			numbers[i] = math.NaN()
			if c := t.columns[name]; c != nil {
				var err error
				if chunks[i], err = t.chunk(c, group); err != nil {
					return fmt.Errorf("%s: column %s %w", t.path, name, err)
				}
			}
		}
		for range group.NumRows {
			n++
			if at, err := next(chunks, texts, numbers); err != nil {
				return fmt.Errorf("%s: row %d: column %s %w", t.path, n, columns[at], err)
			}
			if err := row(texts, numbers); err != nil {
				return fmt.Errorf("%s: row %d: %w", t.path, n, err)
			}
		}
	}
	return nil
}

// next reads the values of the next row. On an error, at is the column.
func next(chunks []*chunk, texts []string, numbers []float64) (at int, err error) {
	defer catch(&err)
	for i, c := range chunks {
		at = i
		for c != nil && c.row == c.rows && err == nil {
			err = c.page()
		}
		if err != nil {
			return at, err
		}
		if c != nil {
			v := c.next()
			texts[i], numbers[i] = v.text, v.number
		}
	}
	return at, nil
}
