package sweep

import "encoding/binary"

// record is a struct in Thrift's compact protocol, in which Parquet writes its metadata. Its fields are written in the
// order of their numbers, which differ by at most 15.
//
// Source: Apache Thrift, "Thrift Compact protocol encoding".
type record struct {
	text []byte
	last int // number of the last field
}

// Types of fields and of members of lists.
const (
	thriftI32    = 5
	thriftI64    = 6
	thriftBinary = 8
	thriftList   = 9
	thriftStruct = 12
)

// field begins a field.
func (r *record) field(number int, kind byte) *record {
	r.text = append(r.text, byte(number-r.last)<<4|kind)
	r.last = number
	return r
}

func (r *record) i32(number, value int) *record {
	r.field(number, thriftI32).text = binary.AppendVarint(r.text, int64(value))
	return r
}

func (r *record) i64(number int, value int64) *record {
	r.field(number, thriftI64).text = binary.AppendVarint(r.text, value)
	return r
}

func (r *record) binary(number int, value string) *record {
	r.field(number, thriftBinary).text = append(r.text, thriftText(value)...)
	return r
}

func (r *record) record(number int, value *record) *record {
	r.field(number, thriftStruct).text = append(r.text, value.end()...)
	return r
}

// list writes members that are written already.
func (r *record) list(number int, kind byte, members [][]byte) *record {
	r.field(number, thriftList)
	if n := len(members); n < 15 {
		r.text = append(r.text, byte(n)<<4|kind)
	} else {
		r.text = binary.AppendUvarint(append(r.text, 0xf0|kind), uint64(n))
	}
	for _, m := range members {
		r.text = append(r.text, m...)
	}
	return r
}

// end returns the whole struct.
func (r *record) end() []byte { return append(r.text, 0) }

// thriftText is a text with its length.
func thriftText(s string) []byte { return append(binary.AppendUvarint(nil, uint64(len(s))), s...) }
