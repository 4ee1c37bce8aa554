package papers

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// writeFigures writes the part of docs/validation/figures.md that lists the figures and tables of all
// papers: a row for each that is not simulated as a whole, names for the others.
func writeFigures(w io.Writer) error {
	var b strings.Builder
	for _, name := range Names() {
		p, err := Load(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s.\n", p.Name, p.Title)
		table := "\n| figure | shows | state |\n|---|---|---|\n"
		whole := map[string][]string{}
		for _, f := range p.Figures {
			if state := p.Summary(f); strings.HasPrefix(state, "simulated") && !strings.Contains(state, "not simulated") {
				whole[state] = append(whole[state], f.Name)
			} else {
				fmt.Fprintf(&b, "%s| `%s/%s` | %s | %s |\n", table, p.Name, f.Name, cell(f.Title), cell(state))
				table = ""
			}
		}
		for _, state := range slices.Sorted(maps.Keys(whole)) {
			fmt.Fprintf(&b, "\n%s%s: %s.\n", strings.ToUpper(state[:1]), state[1:], strings.Join(whole[state], ", "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
