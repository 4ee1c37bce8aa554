package goal

import (
	"fmt"
	"strings"
)

// Problem is one mistake in a schedule's text.
type Problem struct {
	Name         string // of the file
	Line, Column int    // from 1; the column counts bytes
	Text         string // what is wrong, and what would be correct
}

func (p Problem) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", p.Name, p.Line, p.Column, p.Text)
}

// Problems are all mistakes found, up to maxProblems, in the order of the
// lines.
type Problems []Problem

func (p Problems) Error() string {
	var b strings.Builder
	for i := range p {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p[i].Error())
	}
	if len(p) >= maxProblems {
		fmt.Fprintf(&b, "\n%s: reading stopped after %d errors", p[0].Name, maxProblems)
	}
	return b.String()
}

// maxProblems is the number of mistakes after which reading stops.
const maxProblems = 20
