package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"overlapsim/nodes/results"
)

// papersColors maps the papers' names for pieces of a bar to the colour of the ledger term
// that they contain. The first word found in the name counts. Initiations and waits hold
// several terms and have their own colours.
var papersColors = []struct {
	word string
	term results.Term
}{
	{"remote dep", results.Interference},
	{"comput", results.Compute},
	{"barrier", results.BarrierTime},
	{"idle", results.Idle},
}

// Colours of pieces that contain several terms, and of the time from a rank's end to the end of the last one.
const Mixed, PaleMixed, EndedColor = "#9f4e45", "#cf7e69", "#8b95a3"

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

// ColorOf is the colour of a value.
func (h *HeatMap) ColorOf(v float64) string { return mixed(viridis, h.Part(v)) }

// Part is the place of a value between the values of the first colour (0) and of the last
// one (1).
func (h *HeatMap) Part(v float64) float64 {
	low, high := h.Span()
	part := (h.shade(v) - h.shade(low)) / (h.shade(high) - h.shade(low))
	return min(max(part, 0), 1)
}

// mixed mixes the steps of a colour map; 0 is the first colour, 1 the last.
func mixed(steps []string, part float64) string {
	if !(part > 0) {
		return steps[0]
	}
	at := min(part, 1) * float64(len(steps)-1)
	i := min(int(at), len(steps)-2)
	a, b := channels(steps[i]), channels(steps[i+1])
	for k := range a {
		a[k] += int64(math.Round((at - float64(i)) * float64(b[k]-a[k])))
	}
	return fmt.Sprintf("#%02x%02x%02x", a[0], a[1], a[2])
}

// channels splits a colour into red, green and blue.
func channels(color string) (rgb [3]int64) {
	for k := range rgb {
		rgb[k], _ = strconv.ParseInt(color[1+2*k:3+2*k], 16, 32)
	}
	return rgb
}
