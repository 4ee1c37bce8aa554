package main

import (
	"fmt"
	"strings"
)

// table writes the rows of a group; nothing if there are none.
func (g group) table(rows []row) string {
	if len(rows) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n| | messages | CPU, s | wall, s | messages/CPU s |", g.title)
	if g.peer != "" {
		fmt.Fprintf(&b, " %s: CPU, s | wall, s | times, CPU | wall |", g.peer)
	}
	b.WriteString("\n|---|---|---|---|---|" + strings.Repeat("---|", 4*min(1, len(g.peer))) + "\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |", r.name, grouped(r.messages), digits(r.ours.cpu), digits(r.ours.wall),
			short(r.messages/r.ours.cpu))
		switch {
		case g.peer == "":
		case r.theirs.wall == 0:
			b.WriteString(" - | - | - | - |")
		default:
			fmt.Fprintf(&b, " %s | %s | %s | %s |", digits(r.theirs.cpu), digits(r.theirs.wall), digits(r.theirs.cpu/r.ours.cpu),
				digits(r.theirs.wall/r.ours.wall))
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	return b.String()
}

// digits writes two significant digits, or all before the point.
func digits(x float64) string {
	if x >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2g", x)
}

// short writes a rate: 4.1 M.
func short(x float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}} {
		if x >= unit.size {
			return digits(x/unit.size) + unit.name
		}
	}
	return digits(x)
}

// grouped writes a whole number with commas.
func grouped(x float64) string {
	text := fmt.Sprintf("%.0f", x)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
