package parquet

import (
	"encoding/binary"
	"io"
	"math"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Column is a column of a table that is written.
type Column struct {
	Name    string
	Unit    string    // of numbers
	Numbers []float64 // NaN: none
	Texts   []string  // "": none; nil for numbers
}

// groupRows is the number of rows in a group. A column has one page in a group.
const groupRows = 1 << 16

// Write writes a table: each column optional, numbers as DOUBLE and texts as UTF-8, packed by Zstandard. The metadata hold the unit of
// a column that has one as unit:COLUMN.
func Write(w io.Writer, by string, columns []Column, rows int) error {
	about := format.FileMetaData{Version: 1, NumRows: int64(rows), CreatedBy: by, RowGroups: []format.RowGroup{},
		Schema: []format.SchemaElement{{Name: "table", NumChildren: thrift.New(int32(len(columns)))}}}
	for _, c := range columns {
		e := format.SchemaElement{Name: c.Name, Type: thrift.New(format.Double), RepetitionType: thrift.New(format.Optional)}
		if c.Texts != nil {
			e.Type, e.ConvertedType, e.LogicalType.Value = thrift.New(format.ByteArray), thrift.New(deprecated.UTF8), &format.StringType{}
		}
		about.Schema = append(about.Schema, e)
		if c.Unit != "" {
			about.KeyValueMetadata = append(about.KeyValueMetadata, format.KeyValue{Key: "unit:" + c.Name, Value: c.Unit})
		}
	}
	if _, err := io.WriteString(w, magic); err != nil {
		return err
	}
	at := int64(len(magic))
	for first := 0; first < rows; first += groupRows {
		n := min(groupRows, rows-first)
		group := format.RowGroup{NumRows: int64(n), Ordinal: int16(len(about.RowGroups))}
		for i, c := range columns {
			page := c.page(first, first+n)
			packed, err := codecs[format.Zstd].Encode(nil, page)
			if err != nil {
				return err
			}
			head, err := thrift.Marshal(new(thrift.CompactProtocol), format.PageHeader{Type: format.DataPage,
				UncompressedPageSize: int32(len(page)), CompressedPageSize: int32(len(packed)),
				DataPageHeader: thrift.New(format.DataPageHeader{NumValues: int32(n), Encoding: format.Plain,
					DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE})})
			if err != nil {
				return err
			}
			data := format.ColumnMetaData{Type: about.Schema[i+1].Type.V, Encoding: []format.Encoding{format.Plain, format.RLE},
				PathInSchema: []string{c.Name}, Codec: format.Zstd, NumValues: int64(n), DataPageOffset: at,
				TotalUncompressedSize: int64(len(head) + len(page)), TotalCompressedSize: int64(len(head) + len(packed))}
			group.Columns = append(group.Columns, format.ColumnChunk{MetaData: data})
			group.TotalByteSize += data.TotalUncompressedSize
			at += data.TotalCompressedSize
			if _, err := w.Write(append(head, packed...)); err != nil {
				return err
			}
		}
		about.RowGroups = append(about.RowGroups, group)
	}
	end, err := thrift.Marshal(new(thrift.CompactProtocol), about)
	if err != nil {
		return err
	}
	_, err = w.Write(append(binary.LittleEndian.AppendUint32(end, uint32(len(end))), magic...))
	return err
}

// page is the page of some rows: whether each has a value, as runs, and the values.
func (c *Column) page(from, to int) []byte {
	var levels, values []byte
	run, last := uint64(0), byte(0)
	for i := from; i < to; i++ {
		has := byte(0)
		if c.Texts != nil && c.Texts[i] != "" {
			has = 1
			values = append(binary.LittleEndian.AppendUint32(values, uint32(len(c.Texts[i]))), c.Texts[i]...)
		} else if c.Texts == nil && !math.IsNaN(c.Numbers[i]) {
			has = 1
			values = binary.LittleEndian.AppendUint64(values, math.Float64bits(c.Numbers[i]))
		}
		if has != last && run > 0 {
			levels = append(binary.AppendUvarint(levels, run<<1), last)
			run = 0
		}
		run, last = run+1, has
	}
	levels = append(binary.AppendUvarint(levels, run<<1), last)
	return append(append(binary.LittleEndian.AppendUint32(nil, uint32(len(levels))), levels...), values...)
}
