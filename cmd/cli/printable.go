package cli

import (
	"bytes"
	"fmt"
	"io"
)

// printable writes text with control characters of terminals shown as \x1b, because names
// and titles may come from files of others.
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

// obeyed tells whether a character controls a terminal, instead of being shown or
// separating words.
func obeyed(c rune) bool { return c < ' ' && c != '\n' && c != '\t' || c == 0x7f }
