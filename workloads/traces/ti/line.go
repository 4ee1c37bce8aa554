package ti

import (
	"fmt"
	"math"
	"strconv"
)

// line is a line that is read word by word. After a mistake everything read is 0.
type line struct {
	words    []string
	columns  []int
	number   int
	ranks    int
	standard int // the default type
	next     int // the next word
	wrong    string
	at       int // the word that is wrong
}

// split cuts a text into words, and returns how many there are.
func (l *line) split(text string) int {
	l.words, l.columns = l.words[:0], l.columns[:0]
	for i := 0; i < len(text); {
		if blank(text[i]) {
			i++
			continue
		}
		if text[i] == '#' && len(l.words) == 0 {
			return 0
		}
		from := i
		for i < len(text) && !blank(text[i]) {
			i++
		}
		l.words, l.columns = append(l.words, text[from:i]), append(l.columns, from+1)
	}
	return len(l.words)
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// column is where a word begins, or where a missing one would.
func (l *line) column(word int) int {
	switch n := len(l.words); {
	case n == 0:
		return 1
	case word >= n:
		return l.columns[n-1] + len(l.words[n-1])
	}
	return l.columns[word]
}

// fail notes what is wrong with a word; the first mistake counts.
func (l *line) fail(word int, format string, args ...any) {
	if l.wrong != "" {
		return
	}
	l.at, l.wrong = word, fmt.Sprintf(format, args...)
	if word < len(l.words) && word > 1 {
		l.wrong = quoted(l.words[word]) + " " + l.wrong
	}
}

// left is how many words have not been read.
func (l *line) left() int { return len(l.words) - l.next }

// take returns the next word.
func (l *line) take(what string) (word string, at int, ok bool) {
	at = l.next
	if at >= len(l.words) {
		l.fail(at, "ends before its %s", what)
		return "", at, false
	}
	l.next++
	return l.words[at], at, l.wrong == ""
}

// amount reads a number that is not negative.
func (l *line) amount(what string) float64 {
	word, at, ok := l.take(what)
	if !ok {
		return 0
	}
	value, err := strconv.ParseFloat(word, 64)
	if err != nil || !(value >= 0) || math.IsInf(value, 0) {
		l.fail(at, "must be %s: a number that is not negative", what)
		return 0
	}
	return value
}

// flops reads the number of operations of a reduction. -1 stands for no operations.
func (l *line) flops() float64 {
	if l.left() > 0 && l.words[l.next] == "-1" {
		l.next++
		return 0
	}
	return l.amount("flops")
}

// most is the largest whole number up to which floats represent all whole numbers.
const most = 1 << 53

// count reads a number of elements.
func (l *line) count(what string) int64 {
	at := l.next
	value := l.amount(what)
	if value != math.Trunc(value) || value > most {
		l.fail(at, "must be %s: a whole number of elements", what)
		return 0
	}
	return int64(value)
}

// whole reads a whole number from least on.
func (l *line) whole(what string, least, most int64) int64 {
	word, at, ok := l.take(what)
	if !ok {
		return 0
	}
	value, err := strconv.ParseInt(word, 10, 64)
	if err != nil || value < least || value > most {
		l.fail(at, "must be %s: a whole number from %d to %d", what, least, most)
		return 0
	}
	return value
}

// rank reads a rank.
func (l *line) rank(what string) int {
	word, at, ok := l.take(what)
	if !ok {
		return 0
	}
	value, err := strconv.ParseInt(word, 10, 64)
	if err != nil || value < 0 || value >= int64(l.ranks) {
		l.fail(at, "must be the %s: a rank, 0 to %d", what, l.ranks-1)
		return 0
	}
	return int(value)
}

// element reads a type, if there is one, and returns the bytes of an element.
func (l *line) element() int64 {
	if l.left() == 0 {
		return datatypes[l.standard].Bytes
	}
	return datatypes[l.whole("type", 0, int64(len(datatypes))-1)].Bytes
}

// bytes is the size of some elements.
func (l *line) bytes(count, element int64) int64 {
	if count > math.MaxInt64/element/int64(l.ranks) {
		l.fail(l.next-1, "makes messages of more bytes than can be counted")
		return 0
	}
	return count * element
}

// optionalRoot reads a root, if there is one.
func (l *line) optionalRoot() int {
	if l.left() == 0 {
		return 0
	}
	return l.rank("root")
}
