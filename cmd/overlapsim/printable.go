package main

import (
	"bytes"
	"fmt"
	"io"
)

// printable writes text with what a terminal would obey shown as \x1b: names and titles come
// from files of others.
type printable struct{ io.Writer }

func (p printable) Write(text []byte) (int, error) {
	if bytes.IndexFunc(text, obeyed) < 0 {
		return p.Writer.Write(text)
	}
	var shown []byte
	for _, c := range text {
		if obeyed(rune(c)) {
			shown = fmt.Appendf(shown, `\x%02x`, c)
		} else {
			shown = append(shown, c)
		}
	}
	if _, err := p.Writer.Write(shown); err != nil {
		return 0, err
	}
	return len(text), nil
}

// obeyed tells whether a character does more on a terminal than to be seen or to part words.
func obeyed(c rune) bool { return c < ' ' && c != '\n' && c != '\t' || c == 0x7f }
