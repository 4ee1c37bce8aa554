package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/compress/gzip"
	"github.com/parquet-go/parquet-go/compress/snappy"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/bytestreamsplit"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/plain"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

var (
	codecs = map[format.CompressionCodec]compress.Codec{format.Uncompressed: nil, format.Snappy: &snappy.Codec{}, format.Gzip: &gzip.Codec{},
		format.Zstd: &zstd.Codec{}}
	encodings = map[format.Encoding]encoding.Encoding{format.Plain: &plain.Encoding{}, format.RLE: &rle.Encoding{BitWidth: 1},
		format.DeltaBinaryPacked: &delta.BinaryPackedEncoding{}, format.DeltaLengthByteArray: &delta.LengthByteArrayEncoding{},
		format.DeltaByteArray: &delta.ByteArrayEncoding{}, format.ByteStreamSplit: &bytestreamsplit.Encoding{}}
)

// oldDictionary is what files of version 1 call RLE_DICTIONARY.
const oldDictionary format.Encoding = 2

// value is a value as a text or as a number; NaN: a text, or none.
type value struct {
	text   string
	number float64
}

// column is a column of the schema.
type column struct {
	format.SchemaElement
	leaf  int    // its number among those that have values
	wrong string // why it is not read; "": it is
}

func columnOf(e format.SchemaElement, leaf int) *column {
	c := &column{SchemaElement: e, leaf: leaf}
	switch {
	case !e.Type.Valid || e.RepetitionType.V == format.Repeated:
		c.wrong = "may have several values in a row"
	case e.Type.V == format.Int96:
		c.wrong = "is of the kind INT96, which is not read: write it as INT64 or DOUBLE"
	case e.ConvertedType.Valid && e.ConvertedType.V == deprecated.Decimal:
		c.wrong = "is DECIMAL, which is not read: write it as DOUBLE"
	}
	return c
}

// chunk is a column in a group of rows, of which it holds a page.
type chunk struct {
	*column
	in         io.ReaderAt
	at, end    int64 // of the pages that are left in the file
	codec      compress.Codec
	dictionary []value
	row, rows  int               // of the page: that were read, and all
	levels     []byte            // by row, 0: no value; nil: each has one
	n          int               // values that were read
	value      func(i int) value // of the page
	raw, plain []byte            // the page, and unpacked
}

func (t *table) chunk(col *column, group format.RowGroup) (c *chunk, err error) {
	defer catch(&err)
	if col.wrong != "" {
		return nil, errors.New(col.wrong)
	}
	about := group.Columns[col.leaf].MetaData
	codec, known := codecs[about.Codec]
	if !known {
		return nil, fmt.Errorf("is packed as %s, which is not read; DuckDB writes the file again: "+
			"COPY (FROM 'IN.parquet') TO 'OUT.parquet' (COMPRESSION zstd)", about.Codec)
	}
	c = &chunk{column: col, in: t.file, at: about.DataPageOffset, codec: codec}
	if d := about.DictionaryPageOffset; d > 0 {
		c.at = min(c.at, d)
	}
	if c.end = c.at + about.TotalCompressedSize; c.at < 0 || c.end > t.end {
		return nil, errDamaged
	}
	return c, nil
}

// next returns the next value of the page.
func (c *chunk) next() value {
	if c.row++; c.levels != nil && c.levels[c.row-1] == 0 {
		return value{number: math.NaN()}
	}
	c.n++
	return c.value(c.n - 1)
}

// page reads the next page.
func (c *chunk) page() (err error) {
	h, err := c.head()
	if err != nil {
		return err
	}
	c.raw = c.read(c.raw, int64(h.CompressedPageSize))
	c.at += int64(len(c.raw))
	b, optional := c.raw, c.RepetitionType.V == format.Optional
	c.row, c.rows, c.n, c.levels = 0, 0, 0, nil
	switch h.Type {
	case format.DictionaryPage:
		if b, err = c.unpack(b, int(h.UncompressedPageSize)); err != nil {
			return err
		}
		n, get, err := c.decode(format.Plain, b)
		c.dictionary = c.dictionary[:0]
		for i := range n {
			c.dictionary = append(c.dictionary, get(i))
		}
		return err
	case format.DataPage:
		page := h.DataPageHeader.V
		if b, err = c.unpack(b, int(h.UncompressedPageSize)); err != nil {
			return err
		}
		if optional {
			if page.DefinitionLevelEncoding != format.RLE {
				return fmt.Errorf("has levels in %s, which is not read", page.DefinitionLevelEncoding)
			}
			size := binary.LittleEndian.Uint32(b)
			c.levels, err = encodings[format.RLE].DecodeLevels(nil, b[4:4+size])
			b = b[4+size:]
		}
		if err == nil {
			c.rows = int(page.NumValues)
			_, c.value, err = c.decode(page.Encoding, b)
		}
	case format.DataPageV2:
		page := h.DataPageHeaderV2.V
		skip, size := page.RepetitionLevelsByteLength, page.DefinitionLevelsByteLength
		if optional {
			c.levels, err = encodings[format.RLE].DecodeLevels(nil, b[skip:skip+size])
		}
		b = b[skip+size:]
		if packed, said := page.IsCompressed.Get(); err == nil && len(b) > 0 && (packed || !said) {
			b, err = c.unpack(b, int(h.UncompressedPageSize-skip-size))
		}
		if err == nil {
			c.rows = int(page.NumValues)
			_, c.value, err = c.decode(page.Encoding, b)
		}
	}
	return err
}

// head reads what describes the next page.
func (c *chunk) head() (h format.PageHeader, err error) {
	for n := int64(512); ; n *= 8 {
		n = min(n, c.end-c.at)
		c.raw = c.read(c.raw, n)
		in := new(thrift.CompactProtocol).NewReaderFromBytes(c.raw)
		if err = thrift.NewDecoder(in).Decode(&h); err == nil {
			c.at += int64(in.BytesRead())
			return h, nil
		}
		if n == c.end-c.at || n > 1<<24 {
			return h, fmt.Errorf("is damaged: %w", err)
		}
	}
}

// read reads the next bytes into a buffer.
func (c *chunk) read(b []byte, n int64) []byte {
	if n > c.end-c.at {
		panic(errDamaged)
	}
	b = slices.Grow(b[:0], int(n))[:n]
	if _, err := c.in.ReadAt(b, c.at); err != nil {
		panic(err)
	}
	return b
}

// unpack unpacks a page into as many bytes as it should have.
func (c *chunk) unpack(b []byte, size int) (_ []byte, err error) {
	if c.codec == nil {
		return b, nil
	}
	if c.plain, err = c.codec.Decode(c.plain, b); err == nil && len(c.plain) != size {
		err = fmt.Errorf("a page has %d bytes and says %d", len(c.plain), size)
	}
	if err != nil {
		err = fmt.Errorf("is damaged: %w", err)
	}
	return c.plain, err
}

// decode returns the number of values of a page, and a function that returns them. It may be more than there are.
func (c *chunk) decode(e format.Encoding, b []byte) (n int, get func(i int) value, err error) {
	if len(b) == 0 { // no row has a value
		return 0, nil, nil
	}
	if e == oldDictionary || e == format.RLEDictionary {
		at, err := (&rle.Encoding{BitWidth: int(b[0])}).DecodeInt32(nil, b[1:])
		return len(at), func(i int) value { return c.dictionary[at[i]] }, err
	}
	in := encodings[e]
	if in == nil {
		return 0, nil, fmt.Errorf("is in %s, which is not read", e)
	}
	switch c.Type.V {
	case format.Boolean:
		v, err := in.DecodeBoolean(nil, b)
		return 8 * len(v), func(i int) value { return value{number: float64(v[i/8] >> (i % 8) & 1)} }, err
	case format.Int32:
		v, err := in.DecodeInt32(nil, b)
		return numbers(v, c.ConvertedType.Valid && c.ConvertedType.V == deprecated.Uint32, 1<<32, err)
	case format.Int64:
		v, err := in.DecodeInt64(nil, b)
		return numbers(v, c.ConvertedType.Valid && c.ConvertedType.V == deprecated.Uint64, 1<<64, err)
	case format.Float:
		v, err := in.DecodeFloat(nil, b)
		return numbers(v, false, 0, err)
	case format.Double:
		v, err := in.DecodeDouble(nil, b)
		return numbers(v, false, 0, err)
	case format.ByteArray:
		v, ends, err := in.DecodeByteArray(nil, b, nil)
		return len(ends) - 1, func(i int) value { return value{string(v[ends[i]:ends[i+1]]), math.NaN()} }, err
	}
	size := int(c.TypeLength.V)
	v, err := in.DecodeFixedLenByteArray(nil, b, size)
	return len(v) / size, func(i int) value { return value{string(v[i*size : (i+1)*size]), math.NaN()} }, err
}

// numbers returns numbers of a page. To negative ones of whole numbers without a sign, all is added that they lack.
func numbers[T int32 | int64 | float32 | float64](v []T, unsigned bool, all float64, err error) (int, func(i int) value, error) {
	return len(v), func(i int) value {
		x := float64(v[i])
		if unsigned && x < 0 {
			x += all
		}
		return value{number: x}
	}, err
}
