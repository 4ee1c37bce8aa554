package sweep

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
)

// Numbers of the Parquet format: types, encodings, a codec.
const (
	parquetDouble, parquetByteArray = 5, 6
	parquetPlain, parquetRLE        = 0, 3
	parquetZstd                     = 6
)

// WriteParquet writes the rows as a Parquet file: the columns of WriteCSV, in its order, each optional, numbers as DOUBLE
// and texts as UTF-8. The metadata hold the unit of a column that has one as unit:COLUMN. There is one group of rows, and
// no dictionary: Zstandard makes repeated values as small.
//
// Source: Apache Parquet, parquet.thrift and Encodings.md, format 2.
func (t *Table) WriteParquet(w io.Writer) error {
	packer, err := zstd.NewWriter(nil)
	if err != nil {
		return err
	}
	out := &parquetFile{packer: packer}
	out.WriteString("PAR1")
	schema := [][]byte{new(record).binary(4, "overlapsim").i32(5, len(t.columns())).end()}
	var chunks, units [][]byte
	size := int64(0)
	for _, c := range t.columns() {
		chunk, plain := out.chunk(c, t.Rows)
		chunks, size = append(chunks, chunk), size+plain
		schema = append(schema, c.element())
		if c.Unit != "" {
			units = append(units, new(record).binary(1, "unit:"+c.Name).binary(2, c.Unit).end())
		}
	}
	rows := new(record).list(1, thriftStruct, chunks).i64(2, size).i64(3, int64(t.Rows)).end()
	footer := new(record).i32(1, 2).list(2, thriftStruct, schema).i64(3, int64(t.Rows)).list(4, thriftStruct, [][]byte{rows}).
		list(5, thriftStruct, units).binary(6, "overlapsim").end()
	out.Write(footer)
	out.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(footer))))
	out.WriteString("PAR1")
	_, err = out.WriteTo(w)
	return err
}

// parquetFile is a file that is written; a Buffer takes everything.
type parquetFile struct {
	bytes.Buffer
	packer *zstd.Encoder
}

// pageRows is the number of rows of a page.
const pageRows = 1 << 16

// chunk writes the pages of a column, and returns its metadata and its size before compression.
func (f *parquetFile) chunk(c *Column, rows int) (chunk []byte, plain int64) {
	at := int64(f.Len())
	for first := 0; first < rows; first += pageRows {
		plain += f.page(c, first, min(first+pageRows, rows))
	}
	encodings := [][]byte{binary.AppendVarint(nil, parquetPlain), binary.AppendVarint(nil, parquetRLE)}
	meta := new(record).i32(1, c.kind()).list(2, thriftI32, encodings).list(3, thriftBinary, [][]byte{thriftText(c.Name)}).
		i32(4, parquetZstd).i64(5, int64(rows)).i64(6, plain).i64(7, int64(f.Len())-at).i64(9, at)
	return new(record).i64(2, at).record(3, meta).end(), plain
}

// page writes some rows of a column: which of them have a value, as runs, then the values. It returns the size before
// compression.
func (f *parquetFile) page(c *Column, first, end int) int64 {
	var runs, values []byte
	for row := first; row < end; {
		n := 1
		for row+n < end && c.has(row+n) == c.has(row) {
			n++
		}
		runs = binary.AppendUvarint(runs, uint64(n)<<1)
		if c.has(row) {
			runs = append(runs, 1)
			values = c.plain(values, row, row+n)
		} else {
			runs = append(runs, 0)
		}
		row += n
	}
	body := append(binary.LittleEndian.AppendUint32(nil, uint32(len(runs))), runs...)
	body = append(body, values...)
	packed := f.packer.EncodeAll(body, nil)
	data := new(record).i32(1, end-first).i32(2, parquetPlain).i32(3, parquetRLE).i32(4, parquetRLE)
	header := new(record).i32(1, 0).i32(2, len(body)).i32(3, len(packed)).record(5, data).end()
	f.Write(header)
	f.Write(packed)
	return int64(len(header) + len(body))
}

// kind is the type of a column.
func (c *Column) kind() int {
	if c.Texts != nil {
		return parquetByteArray
	}
	return parquetDouble
}

// element is the column in the schema: optional; texts are UTF-8, said in the old way and in the new one.
func (c *Column) element() []byte {
	r := new(record).i32(1, c.kind()).i32(3, 1).binary(4, c.Name)
	if c.Texts != nil {
		r.i32(6, 0).record(10, new(record).record(1, new(record)))
	}
	return r.end()
}

// has tells whether a row has a value.
func (c *Column) has(row int) bool {
	if c.Texts != nil {
		return c.Texts[row] != ""
	}
	return !math.IsNaN(c.Numbers[row])
}

// plain appends the values of some rows, which have one.
func (c *Column) plain(to []byte, first, end int) []byte {
	for row := first; row < end; row++ {
		if c.Texts != nil {
			to = append(binary.LittleEndian.AppendUint32(to, uint32(len(c.Texts[row]))), c.Texts[row]...)
		} else {
			to = binary.LittleEndian.AppendUint64(to, math.Float64bits(c.Numbers[row]))
		}
	}
	return to
}
