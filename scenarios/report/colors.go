package report

import (
	"fmt"
	"math"
	"strings"

	"overlapsim/nodes/results"
)

// papersColors maps the papers' names for pieces of a bar to the colour of the ledger term
// that they contain. The first word found in the name counts. Initiations and waits hold
// several terms and have colours of their own.
var papersColors = []struct {
	word string
	term results.Term
}{
	{"remote dep", results.Interference},
	{"comput", results.Compute},
	{"barrier", results.BarrierTime},
	{"idle", results.Idle},
}

// Grey and PaleGrey are for pieces that contain several terms.
const Grey, PaleGrey = "#5b6472", "#b9c0ca"

// partColors returns one colour for each name of parts: the part's own, or the one for its
// name, or a free one. No colour is used twice while there are enough.
func partColors(parts []Part) []string {
	colors := make([]string, len(parts))
	taken, of := map[string]bool{}, map[string]string{}
	for i, p := range parts {
		if c := named(p); c != "" && (!taken[c] || of[p.Name] == c) {
			colors[i], of[p.Name] = c, c
			taken[c] = true
		}
	}
	free := 0
	for i, p := range parts {
		if colors[i] == "" {
			colors[i] = of[p.Name]
		}
		for colors[i] == "" {
			if c := others[free%len(others)]; !taken[c] || free >= len(others) {
				colors[i], of[p.Name] = c, c
				taken[c] = true
			}
			free++
		}
	}
	return colors
}

// PartColor returns the colour of a part of the critical path by its name.
func PartColor(name string) string {
	for p := range results.NumParts() {
		if p.String() == name {
			return looks[p.Term()].Color
		}
	}
	return looks[results.Overhead].Color
}

// Tint returns a colour mixed with white, more the larger n; 0 is the colour itself.
func Tint(color string, n int) string {
	rgb, keep := channels(color), math.Pow(0.68, float64(n))
	for k := range rgb {
		rgb[k] = 255 - int64(math.Round(keep*float64(255-rgb[k])))
	}
	return fmt.Sprintf("#%02x%02x%02x", rgb[0], rgb[1], rgb[2])
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
