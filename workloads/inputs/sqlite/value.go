package sqlite

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Value is a value of a row.
type Value struct {
	Kind Kind
	Int  int64   // of Integer and Real, rounded towards zero
	Real float64 // of both
	Text string  // of Text; of Blob its bytes
}

// String returns the value as a message says it: 12, the real number 0.5, the text "x".
func (v Value) String() string {
	switch v.Kind {
	case Integer:
		return strconv.FormatInt(v.Int, 10)
	case Real:
		return fmt.Sprintf("the real number %g", v.Real)
	case Text:
		return fmt.Sprintf("the text %.40q", v.Text)
	case Blob:
		return fmt.Sprintf("%d bytes", len(v.Text))
	}
	return "nothing"
}

// Kind is a kind of values.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	Integer
	Real
	Text
	Blob
)

// values takes the chosen values out of a record.
func (r *reader) values(record []byte) error {
	clear(r.row)
	size, at := varint(record)
	if at == 0 || size < uint64(at) || size > uint64(len(record)) {
		return errDamaged
	}
	head, body := record[at:size], record[size:]
	for column := 0; len(head) > 0; column++ {
		code, n := varint(head)
		if n == 0 {
			return errDamaged
		}
		head = head[n:]
		length := lengthOf(code)
		if length > uint64(len(body)) {
			return errDamaged
		}
		if column < len(r.wanted) && r.wanted[column] >= 0 {
			v := &r.row[r.wanted[column]]
			if *v = valueOf(code, body[:length]); column == r.rowid && v.Kind == Null {
				*v = integer(r.number)
			}
		}
		body = body[length:]
	}
	return nil
}

// lengthOf is the number of bytes of a value by its code.
func lengthOf(code uint64) uint64 {
	switch {
	case code >= 12:
		return (code - 12) / 2
	case code == 5:
		return 6
	case code == 6 || code == 7:
		return 8
	case code >= 8:
		return 0
	}
	return code
}

// valueOf is a value by its code.
func valueOf(code uint64, bytes []byte) Value {
	switch {
	case code >= 13 && code%2 == 1:
		return Value{Kind: Text, Text: string(bytes)}
	case code >= 12:
		return Value{Kind: Blob, Text: string(bytes)}
	case code == 7:
		x := math.Float64frombits(binary.BigEndian.Uint64(bytes))
		v := Value{Kind: Real, Real: x}
		if math.Abs(x) < math.MaxInt64/2 {
			v.Int = int64(x)
		}
		return v
	case code == 8 || code == 9:
		return integer(int64(code - 8))
	case code >= 1 && code <= 6:
		n := int64(int8(bytes[0]))
		for _, b := range bytes[1:] {
			n = n<<8 | int64(b)
		}
		return integer(n)
	}
	return Value{}
}

func integer(n int64) Value { return Value{Kind: Integer, Int: n, Real: float64(n)} }

// varint reads a number of 1 to 9 bytes, the most significant first, and returns its length; 0: the bytes end before.
func varint(b []byte) (n uint64, length int) {
	for i := range min(len(b), 9) {
		if i == 8 {
			return n<<8 | uint64(b[i]), 9
		}
		if n = n<<7 | uint64(b[i]&0x7f); b[i] < 0x80 {
			return n, i + 1
		}
	}
	return 0, 0
}

// columnsOf returns the names of the columns of a table by the statement that made it, and which of them is the number of the row;
// -1: none.
func columnsOf(statement string) (names []string, rowid int) {
	rowid = -1
	for _, part := range parts(statement) {
		words := strings.Fields(part)
		if len(words) == 0 {
			continue
		}
		if words[0][0] != '"' && words[0][0] != '[' && words[0][0] != '`' {
			switch strings.ToUpper(words[0]) {
			case "PRIMARY", "FOREIGN", "UNIQUE", "CHECK", "CONSTRAINT":
				continue
			}
		}
		if rest := strings.ToUpper(strings.Join(words[1:], " ")); strings.HasPrefix(rest, "INTEGER") && strings.Contains(rest, "PRIMARY KEY") {
			rowid = len(names)
		}
		names = append(names, strings.Trim(words[0], "\"[]`"))
	}
	return names, rowid
}

// parts are the definitions between the outer parentheses of a statement, without comments.
func parts(statement string) (all []string) {
	var part strings.Builder
	depth := 0
	for i := 0; i < len(statement); i++ {
		c := statement[i]
		if strings.HasPrefix(statement[i:], "--") {
			end := strings.IndexByte(statement[i:], '\n')
			if end < 0 {
				break
			}
			i += end
			c = '\n'
		}
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		switch {
		case depth == 1 && c == ',', depth == 0 && c == ')':
			all = append(all, part.String())
			part.Reset()
		case depth > 1, depth == 1 && c != '(' && c != ')':
			part.WriteByte(c)
		}
	}
	return all
}
