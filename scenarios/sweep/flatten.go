package sweep

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// value is a number or a text of a JSON object.
type value struct {
	number float64
	text   string
}

// walk is a position in a JSON text. The text is known to be valid, so it is not checked again: of
// any other text it takes something, and ends.
type walk struct {
	rest []byte
	name []byte // the path to it: names with points between them
	take func(name []byte, v value)
}

// values gives the numbers and texts of a JSON object, in their order, each with the path to it.
// Lists are omitted. A text that is not an object has none.
func values(object []byte, take func(name []byte, v value)) {
	w := walk{rest: object, take: take}
	if w.next() == '{' {
		w.object()
	}
}

// next skips spaces and returns the next byte; 0 at the end.
func (w *walk) next() byte {
	for i, c := range w.rest {
		if c > ' ' {
			w.rest = w.rest[i:]
			return c
		}
	}
	w.rest = nil
	return 0
}

// object skips an object, whose opening brace is next.
func (w *walk) object() {
	outer := len(w.name)
	for w.rest = w.rest[1:]; ; w.name = w.name[:outer] {
		switch w.next() {
		case 0:
			return
		case '}':
			w.rest = w.rest[1:]
			return
		case ',':
			w.rest = w.rest[1:]
		default:
			w.name = append(w.name, w.text()...)
			w.next()
			w.rest = w.rest[min(1, len(w.rest)):] // the colon
			w.value()
		}
	}
}

// value skips the value of a name.
func (w *walk) value() {
	switch c := w.next(); {
	case c == '{':
		w.name = append(w.name, '.')
		w.object()
	case c == '[':
		w.list()
	case c == '"':
		w.take(w.name, value{text: string(w.text())})
	default:
		word := w.word()
		if c == '-' || c >= '0' && c <= '9' {
			f, _ := strconv.ParseFloat(string(word), 64)
			w.take(w.name, value{number: f})
		}
	}
}

// word skips a number, true, false or null, and returns it.
func (w *walk) word() []byte {
	end := 0
	for end < len(w.rest) && w.rest[end] > ' ' && w.rest[end] != ',' && w.rest[end] != ']' && w.rest[end] != '}' {
		end++
	}
	word := w.rest[:end]
	w.rest = w.rest[end:]
	return word
}

// list skips a list, whose bracket is next.
func (w *walk) list() {
	for depth := 0; len(w.rest) > 0; {
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
func (w *walk) text() []byte {
	end, plain := 1, true
	for ; end < len(w.rest) && w.rest[end] != '"'; end++ {
		if w.rest[end] == '\\' {
			end++
			plain = false
		}
	}
	if end >= len(w.rest) {
		w.rest = nil
		return nil
	}
	quoted := w.rest[:end+1]
	w.rest = w.rest[end+1:]
	if plain && utf8.Valid(quoted) {
		return quoted[1:end]
	}
	var text string
	json.Unmarshal(quoted, &text)
	return []byte(text)
}
