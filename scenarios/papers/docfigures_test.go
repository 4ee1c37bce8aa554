package papers

import (
	"fmt"
	"io"
	"strings"
)

// writeFigures writes the part of docs/validation/figures.md that lists the figures and tables of all
// papers.
func writeFigures(w io.Writer) error {
	var b strings.Builder
	for _, name := range Names() {
		p, err := Load(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s.\n\n| figure | shows | state |\n|---|---|---|\n", p.Name, p.Title)
		for _, f := range p.Figures {
			fmt.Fprintf(&b, "| `%s/%s` | %s | %s |\n", p.Name, f.Name, cell(f.Title), cell(p.Summary(f)))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
