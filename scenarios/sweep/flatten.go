package sweep

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// value is a number or a text of a record, with the path to it.
type value struct {
	name   string
	number float64
	text   string
}

// flatten lists the numbers and texts of a JSON object in their order; lists are left out.
// The text is known to be valid, so it is not checked again. A text that is not an object
// has none.
func flatten(record json.RawMessage) []value {
	w := walk{rest: record}
	if len(record) > 0 && w.next() == '{' {
		w.object("")
	}
	return w.values
}

// walk is a position in a JSON text.
type walk struct {
	rest   []byte
	values []value
}

// next skips spaces and returns the next byte.
func (w *walk) next() byte {
	w.rest = bytes.TrimLeft(w.rest, " \t\r\n")
	return w.rest[0]
}

// object skips an object, whose opening brace is next.
func (w *walk) object(prefix string) {
	w.rest = w.rest[1:]
	for {
		switch w.next() {
		case '}':
			w.rest = w.rest[1:]
			return
		case ',':
			w.rest = w.rest[1:]
		default:
			name := prefix + w.text()
			w.next()
			w.rest = w.rest[1:] // the colon
			w.value(name)
		}
	}
}

// value skips the value of a name.
func (w *walk) value(name string) {
	switch c := w.next(); {
	case c == '{':
		w.object(name + ".")
	case c == '[':
		w.list()
	case c == '"':
		w.values = append(w.values, value{name: name, text: w.text()})
	default:
		word := w.rest[:bytes.IndexAny(w.rest, ",]} \t\r\n")]
		w.rest = w.rest[len(word):]
		if c == '-' || c >= '0' && c <= '9' {
			f, _ := strconv.ParseFloat(string(word), 64)
			w.values = append(w.values, value{name: name, number: f})
		}
	}
}

// list skips a list, whose bracket is next.
func (w *walk) list() {
	for depth := 0; ; {
		switch w.rest[0] {
		case '"':
			w.text()
			continue
		case '[':
			depth++
		case ']':
			depth--
		}
		if w.rest = w.rest[1:]; depth == 0 {
			return
		}
	}
}

// text skips a text, whose quote is next, and returns it.
func (w *walk) text() (text string) {
	end := 1
	for ; w.rest[end] != '"'; end++ {
		if w.rest[end] == '\\' {
			end++
		}
	}
	quoted := w.rest[:end+1]
	w.rest = w.rest[end+1:]
	if bytes.IndexByte(quoted, '\\') < 0 && utf8.Valid(quoted) {
		return string(quoted[1:end])
	}
	json.Unmarshal(quoted, &text)
	return text
}
