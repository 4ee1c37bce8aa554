package main

import (
	"fmt"
	"io"
	"os"
)

// progress is a line on a terminal that says which run is under way. On
// anything else it prints nothing.
type progress struct {
	out         io.Writer // nil: not a terminal
	done, total int
}

// newProgress returns a line for work of more than one step.
func newProgress(out io.Writer, total int) *progress {
	p := &progress{total: total}
	if f, ok := out.(*os.File); ok && total > 1 {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.out = out
		}
	}
	return p
}

// step says that the next step has begun.
func (p *progress) step(name string) {
	p.done++
	if p.out != nil {
		fmt.Fprintf(p.out, "\r\x1b[K[%d/%d] %s", p.done, p.total, name)
	}
}

// clear removes the line.
func (p *progress) clear() {
	if p.out != nil {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
