package report

import (
	"strings"

	"overlapsim/nodes"
)

// papersColors gives the papers' names for pieces of a bar the colour of the
// ledger term that they mostly hold. The first word found in the name counts.
var papersColors = []struct {
	word string
	term nodes.Term
}{
	{"remote dep", nodes.Interference},
	{"comput", nodes.Compute},
	{"init", nodes.Overhead},
	{"pack", nodes.Overhead},
	{"barrier", nodes.BarrierTime},
	{"sync", nodes.Transfer},
	{"wait", nodes.Transfer},
	{"comm", nodes.Transfer},
	{"idle", nodes.Idle},
}

// partColors returns one colour per part, no colour twice as long as there
// are enough: the part's own, else the one its name asks for, else a free one.
func partColors(parts []Part) []string {
	colors := make([]string, len(parts))
	taken := map[string]bool{}
	for i, p := range parts {
		if c := named(p); c != "" && !taken[c] {
			colors[i] = c
			taken[c] = true
		}
	}
	free := 0
	for i := range parts {
		for colors[i] == "" {
			if c := others[free%len(others)]; !taken[c] || free >= len(others) {
				colors[i] = c
				taken[c] = true
			}
			free++
		}
	}
	return colors
}

func named(p Part) string {
	if p.Color != "" {
		return p.Color
	}
	name := strings.ToLower(p.Name)
	for _, c := range papersColors {
		if strings.Contains(name, c.word) {
			return looks[c.term].Color
		}
	}
	return ""
}
