package main

import (
	"fmt"
	"math"
	"strings"

	"overlapsim/scenarios/keys"
)

// Sizes of the drawing, in pixels.
const (
	cell           = 46
	left, top      = 60, 46
	across         = 3
	panelW, panelH = left + 7*cell + 20, top + 6*cell + 50
)

// draw returns the maps as an SVG: one cell for each size and slow-down, blue
// where the helper gains, red where it loses; the line is where it breaks even.
func draw(maps []gainMap) string {
	var b strings.Builder
	rows := (len(maps) + across - 1) / across
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n",
		across*panelW, rows*panelH)
	b.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	for i, m := range maps {
		fmt.Fprintf(&b, `<g transform="translate(%d,%d)">`+"\n", i%across*panelW, i/across*panelH)
		m.draw(&b)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func (m *gainMap) draw(b *strings.Builder) {
	fmt.Fprintf(b, `<text x="%d" y="20" font-weight="bold">%s: gain of a helper thread, percent</text>`+"\n", left, m.name)
	for i, f := range slow {
		y := m.row(i)
		fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end">%g</text>`+"\n", left-6, y+cell/2+4, f)
		for j, g := range m.gain[i] {
			x := left + j*cell
			fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", x, y, cell, cell, color(g))
			fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle" font-size="11">%.0f</text>`+"\n", x+cell/2, y+cell/2+4, 100*g)
		}
	}
	for j, s := range sizes {
		fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle" font-size="10">%s</text>`+"\n",
			left+j*cell+cell/2, m.row(0)+cell+16, keys.FormatBytes(s))
	}
	fmt.Fprintf(b, `<text x="%d" y="%d">message</text>`+"\n", left, m.row(0)+cell+34)
	fmt.Fprintf(b, `<text x="16" y="%d" transform="rotate(-90 16 %d)" text-anchor="middle">slow-down beside each other</text>`+"\n",
		top+3*cell, top+3*cell)
	var points []string
	for j, e := range m.breakEven {
		points = append(points, fmt.Sprintf("%d,%.1f %d,%.1f", left+j*cell, m.height(e), left+(j+1)*cell, m.height(e)))
	}
	fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="black" stroke-width="3"/>`+"\n", strings.Join(points, " "))
}

// row is the upper edge of the cells of a slow-down; the smallest is lowest.
func (m *gainMap) row(i int) int { return top + (len(slow)-1-i)*cell }

// height is where a slow-down is between the middles of the cells.
func (m *gainMap) height(f float64) float64 {
	if f < slow[0] {
		return float64(m.row(0) + cell)
	}
	for i := 1; i < len(slow); i++ {
		if f <= slow[i] {
			part := (f - slow[i-1]) / (slow[i] - slow[i-1])
			return float64(m.row(i-1)) + cell/2 - part*cell
		}
	}
	return top
}

// color goes from red (it costs 30 percent) over white to blue.
func color(gain float64) string {
	part := math.Max(-1, math.Min(1, gain/0.3))
	fade := int(255 - 140*math.Abs(part))
	if part < 0 {
		return fmt.Sprintf("rgb(255,%d,%d)", fade, fade)
	}
	return fmt.Sprintf("rgb(%d,%d,255)", fade, fade)
}
