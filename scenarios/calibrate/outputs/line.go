package outputs

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// line is a line of a text, numbered from 1.
type line struct {
	number int
	text   string
}

// field is a word of a line, and its column from 1.
type field struct {
	text   string
	column int
}

// fields are the words of a line.
func (l line) fields() []field {
	var all []field
	begin := -1
	for i, r := range l.text {
		switch space := unicode.IsSpace(r); {
		case space && begin >= 0:
			all, begin = append(all, field{l.text[begin:i], begin + 1}), -1
		case !space && begin < 0:
			begin = i
		}
	}
	if begin >= 0 {
		all = append(all, field{l.text[begin:], begin + 1})
	}
	return all
}

// plain tells whether a word may be a number.
func (f field) plain() bool { return strings.Trim(f.text, "0123456789.eE+-") == "" }

// numbers tells whether a line begins with a digit, as rows do.
func (l line) numbers() bool {
	text := strings.TrimSpace(l.text)
	return text != "" && text[0] >= '0' && text[0] <= '9'
}

// comment returns a line that begins with #, without that.
func (l line) comment() (string, bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(l.text), "#")
	return strings.TrimSpace(rest), ok
}

// below returns the words of a line that stands below a heading with a number of columns, if it has as many.
func (f *file) below(columns int, heading string, l line) ([]field, bool) {
	words := l.fields()
	if len(words) != columns {
		f.wrong.add(l.number, words[0].column, "has %d columns, and the heading of %s has %d", len(words), heading, columns)
	}
	return words, len(words) == columns
}

// The largest values; larger ones are mistakes, not measurements.
const (
	largestSize = 1 << 50
	longest     = 1e7 // s
)

// size reads a number of bytes.
func (f *file) size(l line, from field) int64 {
	n, err := strconv.ParseInt(from.text, 10, 64)
	if err != nil || n < 0 || n > largestSize {
		f.wrong.add(l.number, from.column, "must be a number of bytes, got %s", from.text)
	}
	return n
}

// number reads a number that is not negative.
func (f *file) number(l line, from field, what string) float64 {
	x, err := strconv.ParseFloat(from.text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
		f.wrong.add(l.number, from.column, "must be %s, got %s", what, from.text)
		return 0
	}
	return x
}

// seconds reads a time in a unit.
func (f *file) seconds(l line, from field, unit float64) float64 {
	x := f.number(l, from, "a time") * unit
	if x > longest {
		f.wrong.add(l.number, from.column, "must be a time below %g s, got %s", longest, from.text)
	}
	return x
}

const micro = 1e-6

// mostMistakes is the largest number of bad lines of a file that are listed.
const mostMistakes = 10

// mistakes of a file, in the order of its lines.
type mistakes struct {
	file string
	list []error
}

func (m *mistakes) add(line, column int, format string, args ...any) {
	if m.full() {
		return
	}
	m.list = append(m.list, fmt.Errorf("%s:%d:%d: %s", m.file, line, column, fmt.Sprintf(format, args...)))
	if len(m.list) == mostMistakes {
		m.list = append(m.list, fmt.Errorf("%s: and perhaps more", m.file))
	}
}

func (m *mistakes) full() bool { return len(m.list) > mostMistakes }
