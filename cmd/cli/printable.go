package cli

import (
	"bytes"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// printable writes text in which nothing controls a terminal or reorders its text, because names and
// titles may come from files of others. JSON stays JSON of the same strings.
type printable struct {
	out      io.Writer
	rest     []byte // the beginning of a character whose end was not written yet
	width    int    // columns to which text is fitted; 0: any number
	terminal bool
	colour   bool
}

func (p *printable) Write(text []byte) (int, error) {
	whole := text
	if len(p.rest) > 0 {
		whole = append(p.rest, text...)
	}
	cut := len(whole) - unfinished(whole)
	p.rest = bytes.Clone(whole[cut:])
	if _, err := p.out.Write(literal(whole[:cut])); err != nil {
		return 0, err
	}
	return len(text), nil
}

// unfinished is the number of bytes at the end of a text that begin a character and do not end it.
func unfinished(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}

// literal writes what a terminal obeys as \x1b, and what JSON may have in a string as \u202e, as JSON does.
// Bytes that are no UTF-8 are written as \x9b, since some terminals obey these too.
func literal(text []byte) []byte {
	if bytes.IndexFunc(text, func(c rune) bool { return obeyed(c) || c == utf8.RuneError }) < 0 {
		return text
	}
	var all []byte
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		switch {
		case c == utf8.RuneError && size == 1, c < ' ' && obeyed(c):
			all = fmt.Appendf(all, `\x%02x`, text[0])
		case obeyed(c):
			all = fmt.Appendf(all, `\u%04x`, c)
		default:
			all = append(all, text[:size]...)
		}
		text = text[size:]
	}
	return all
}

// obeyed tells whether a character controls a terminal or the direction or the lines of its text,
// instead of being shown or separating words.
func obeyed(c rune) bool {
	return c != '\n' && c != '\t' && unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) || c == '\u2028' || c == '\u2029'
}
