package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// magic begins every file.
const magic = "SQLite format 3\x00"

// Begins tells whether a file with this beginning is an SQLite database.
func Begins(begin []byte) bool { return bytes.HasPrefix(begin, []byte(magic)) }

// File is an open database.
type File struct {
	in     io.ReaderAt
	pages  uint32
	size   int // of a page
	usable int // of a page, without what is reserved at its end
	tables map[string]table
}

// table is a table: where its tree begins, and its columns.
type table struct {
	root    uint32
	columns []string
	rowid   int // the column that is the row's number; -1: none
}

// Open reads the list of tables of a database with this number of bytes.
func Open(in io.ReaderAt, bytes int64) (*File, error) {
	var head [100]byte
	if _, err := in.ReadAt(head[:], 0); err != nil || !Begins(head[:]) {
		return nil, errors.New("is not an SQLite database")
	}
	f := &File{in: in, size: int(binary.BigEndian.Uint16(head[16:])), tables: map[string]table{}}
	if f.size == 1 {
		f.size = 1 << 16
	}
	f.usable = f.size - int(head[20])
	if f.size < 512 || f.size&(f.size-1) != 0 || f.usable < 480 {
		return nil, fmt.Errorf("is a damaged SQLite database: its pages have %d bytes, %d of them reserved", f.size, head[20])
	}
	if encoding := binary.BigEndian.Uint32(head[56:]); encoding > 1 {
		return nil, fmt.Errorf("is an SQLite database whose texts are in UTF-16, which is not read; export it again")
	}
	if f.pages = uint32(min(bytes/int64(f.size), 1<<32-1)); f.pages == 0 {
		return nil, errors.New("is a damaged SQLite database: it ends within its first page")
	}
	master := table{root: 1, columns: []string{"type", "name", "tbl_name", "rootpage", "sql"}, rowid: -1}
	return f, f.rows("the list of tables", master, []string{"type", "name", "rootpage", "sql"}, func(row []Value) error {
		if row[0].Text == "table" && row[2].Int > 0 && row[2].Int <= int64(f.pages) {
			t := table{root: uint32(row[2].Int)}
			t.columns, t.rowid = columnsOf(row[3].Text)
			f.tables[row[1].Text] = t
		}
		return nil
	})
}

// Tables returns the names of all tables.
func (f *File) Tables() []string { return slices.Sorted(maps.Keys(f.tables)) }

// Has tells whether there is a table, and whether it has these columns.
func (f *File) Has(name string, columns ...string) bool {
	t, ok := f.tables[name]
	return ok && !slices.ContainsFunc(columns, func(c string) bool { return !slices.Contains(t.columns, c) })
}

// Rows calls a function for each row of a table, in the order of their numbers, with the values of some columns. A column that the
// table does not have is Null. The values are valid during the call. An error of the function ends the reading, and is returned
// with the table and the number of the row.
func (f *File) Rows(name string, columns []string, each func(row []Value) error) error {
	t, ok := f.tables[name]
	if !ok {
		return nil
	}
	return f.rows(name, t, columns, each)
}

func (f *File) rows(name string, t table, columns []string, each func(row []Value) error) error {
	r := &reader{File: f, each: each, rowid: t.rowid, row: make([]Value, len(columns))}
	r.wanted = make([]int, len(t.columns))
	for i, c := range t.columns {
		r.wanted[i] = slices.Index(columns, c)
	}
	if err := r.tree(t.root, 0); err != nil {
		return fmt.Errorf("table %s, row %d: %w", name, r.number, err)
	}
	return nil
}

// reader reads the rows of a table.
type reader struct {
	*File
	each   func(row []Value) error
	wanted []int // by column of the table: its place in the row; -1: none
	rowid  int
	row    []Value
	number int64 // of the row
	seen   uint32
	pages  [mostDepth][]byte
	whole  []byte // a record on several pages
}

// mostDepth is the largest depth of a tree: with two children each, 32 levels have all pages that there can be.
const mostDepth = 33

// errDamaged is the error of a file whose pages do not fit together.
var errDamaged = errors.New("the database is damaged, or was cut off")

// page returns a page, at a depth of the tree.
func (r *reader) page(number uint32, depth int) ([]byte, error) {
	if number == 0 || number > r.File.pages || depth >= mostDepth {
		return nil, errDamaged
	}
	if r.seen++; r.seen > r.File.pages { // each is in one tree, once
		return nil, errDamaged
	}
	if r.pages[depth] == nil {
		r.pages[depth] = make([]byte, r.size)
	}
	if _, err := r.in.ReadAt(r.pages[depth], int64(number-1)*int64(r.size)); err != nil {
		return nil, fmt.Errorf("page %d cannot be read: %w", number, err)
	}
	return r.pages[depth], nil
}

// Kinds of pages of tables.
const (
	inner = 5
	leaf  = 13
)

// tree reads the rows under a page.
func (r *reader) tree(number uint32, depth int) error {
	page, err := r.page(number, depth)
	if err != nil {
		return err
	}
	at := 0
	if number == 1 {
		at = 100 // after the head of the file
	}
	kind, cells := page[at], int(binary.BigEndian.Uint16(page[at+3:]))
	head := at + 8
	if kind == inner {
		head += 4
	}
	if kind != inner && kind != leaf || head+2*cells > r.usable {
		return errDamaged
	}
	for i := range cells {
		cell := int(binary.BigEndian.Uint16(page[head+2*i:]))
		if cell+4 > r.usable {
			return errDamaged
		}
		if kind == inner {
			err = r.tree(binary.BigEndian.Uint32(page[cell:]), depth+1)
		} else {
			err = r.cell(page[cell:r.usable])
		}
		if err != nil {
			return err
		}
	}
	if kind == inner {
		return r.tree(binary.BigEndian.Uint32(page[at+8:]), depth+1)
	}
	return nil
}

// cell reads a row.
func (r *reader) cell(cell []byte) error {
	length, n := varint(cell)
	number, m := varint(cell[n:])
	if n == 0 || m == 0 {
		return errDamaged
	}
	r.number = int64(number)
	record, err := r.record(cell[n+m:], length)
	if err != nil {
		return err
	}
	if err := r.values(record); err != nil {
		return err
	}
	return r.each(r.row)
}

// mostRecord is the largest row that is read.
const mostRecord = 64 << 20

// record returns a record of some length; a part of it may be on other pages.
func (r *reader) record(here []byte, length uint64) ([]byte, error) {
	if length > mostRecord {
		return nil, fmt.Errorf("has %d bytes, the most is %d", length, mostRecord)
	}
	local := int(length)
	if most := r.usable - 35; local > most {
		least := (r.usable-12)*32/255 - 23
		if local = least + (int(length)-least)%(r.usable-4); local > most {
			local = least
		}
	}
	if local > len(here) || local < int(length) && local+4 > len(here) {
		return nil, errDamaged
	}
	if local == int(length) {
		return here[:local], nil
	}
	r.whole = append(r.whole[:0], here[:local]...)
	next := binary.BigEndian.Uint32(here[local:])
	for len(r.whole) < int(length) {
		page, err := r.page(next, mostDepth-1)
		if err != nil {
			return nil, err
		}
		next = binary.BigEndian.Uint32(page)
		r.whole = append(r.whole, page[4:min(r.usable, 4+int(length)-len(r.whole))]...)
	}
	return r.whole, nil
}
