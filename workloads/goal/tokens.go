package goal

import (
	"fmt"
	"math"
	"strings"
)

// The classes of a byte.
const (
	blank  = 1 << iota // and carriage return
	letter             // may begin a label
	digit
)

var classes = func() (c [256]uint8) {
	for i := range c {
		switch {
		case i == ' ' || i == '\t' || i == '\r':
			c[i] = blank
		case 'a' <= i && i <= 'z' || 'A' <= i && i <= 'Z':
			c[i] = letter
		case '0' <= i && i <= '9':
			c[i] = digit
		}
	}
	return c
}()

// blanks skips spaces and tabs.
func (t *textReader) blanks() {
	for classes[t.b[t.i]] == blank {
		t.i++
	}
}

// word reads letters, digits and _, the first a letter.
func (t *textReader) word() (word []byte, ok bool) {
	from := t.i
	if classes[t.b[from]] != letter {
		return nil, false
	}
	for classes[t.b[t.i]] >= letter || t.b[t.i] == '_' {
		t.i++
	}
	return t.b[from:t.i], true
}

// keyword skips blanks, and then the word if it comes next.
func (t *textReader) keyword(word string) bool {
	t.blanks()
	if b := t.b[t.i:]; len(b) >= len(word) && string(b[:len(word)]) == word {
		t.i += len(word)
		return true
	}
	return false
}

// number skips blanks and reads a decimal number of at most limit.
func (t *textReader) number(what string, limit uint64) (uint64, bool) {
	t.blanks()
	at := t.i
	n := uint64(0)
	for ; classes[t.b[t.i]] == digit; t.i++ {
		d := uint64(t.b[t.i] - '0')
		if n > (math.MaxUint64-9)/10 && (n > math.MaxUint64/10 || 10*n > math.MaxUint64-d) {
			return 0, t.problem(at, "%s: the number is too big, want at most %d", what, limit)
		}
		n = 10*n + d
	}
	if t.i == at {
		return 0, t.problem(at, "%s: want a whole number, got %s", what, t.here())
	}
	if n > limit {
		return 0, t.problem(at, "%s: %d is too big, want at most %d", what, n, limit)
	}
	return n, true
}

// endLine reports anything except blanks up to the end of the line.
func (t *textReader) endLine() bool {
	t.blanks()
	switch b := t.b[t.i]; {
	case b == '\n':
		return true
	case b == '/':
		return t.problem(t.i, "want the end of the line, got a comment; put it on a separate line")
	}
	return t.problem(t.i, "want the end of the line, got %s", t.here())
}

// here quotes the text at the current column, for a message.
func (t *textReader) here() string {
	rest := strings.TrimRight(string(t.b[t.i:min(len(t.b), t.i+20)]), "\r\n")
	if rest == "" {
		return "the end of the line"
	}
	if n := strings.IndexAny(rest, " \t"); n > 0 {
		rest = rest[:n]
	}
	return fmt.Sprintf("%q", rest)
}
