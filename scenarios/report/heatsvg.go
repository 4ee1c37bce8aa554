package report

import (
	"fmt"
	"math"
	"strings"
)

// Sizes of heat maps in px.
const (
	cellTall = 22.0
	barWide  = 240.0 // the colour bar
	barSteps = 60
)

func (h *HeatMap) tall() float64 {
	return headTall(h.Title, h.Note) + legendTall([]string{""}) + cellTall*float64(len(h.Y)) + 50
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

func (h *HeatMap) draw(d *drawing) {
	top := d.head(h.Title, h.Note, nil, nil, nil) + 4
	h.drawBar(d, top-26)
	left := 30.0
	for _, name := range h.Y {
		left = max(left, 18+letterWide*float64(len([]rune(name))))
	}
	wide := (chartWidth - left - plotRight) / float64(max(1, len(h.X)))
	gap, seam := 1.0, 0.0
	if h.dense() {
		gap, seam = 0, 0.5 // cells overlap, or their seams show
	}
	for y, name := range h.Y {
		row := top + cellTall*float64(len(h.Y)-1-y)
		d.text(left-8, row+15, "end", soft, name)
		for x, v := range h.Values[y] {
			if math.IsNaN(v) {
				continue
			}
			d.printf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"><title>%s</title></rect>`+"\n",
				left+wide*float64(x), d.top+row, wide-gap+seam, cellTall-gap+seam, h.ColorOf(v), escaped(name+", "+h.X[x]+": "+Quantity(v, h.Unit)))
			if len(h.X) <= writtenCells {
				d.text(left+wide*(float64(x)+0.5), row+15, "middle", ` fill="`+ink(h.ColorOf(v))+`"`, Quantity(v, h.Unit))
			}
		}
	}
	h.drawLine(d, left, wide, top)
	bottom := top + cellTall*float64(len(h.Y))
	every := int(math.Ceil(60 / wide))
	for x := 0; x < len(h.X); x += every {
		d.text(left+wide*(float64(x)+0.5), bottom+16, "middle", soft, h.X[x])
	}
	d.text((left+chartWidth)/2, bottom+36, "middle", soft, h.XName)
	d.text(chartWidth-plotRight, top-10, "end", soft, "up: "+h.YName)
}

// drawBar draws the colours with the levels.
func (h *HeatMap) drawBar(d *drawing, y float64) {
	for i := range barSteps {
		part := (float64(i) + 0.5) / barSteps
		d.printf(`<path d="M%.1f,%.1fv9" stroke="%s" stroke-width="%.1f"/>`+"\n", 14+barWide*part, d.top+y, mixed(viridis, part),
			barWide/barSteps+0.5)
	}
	for _, v := range h.Levels() {
		d.text(14+barWide*h.Part(v), y+20, "middle", ` fill="#5b6472" font-size="11"`, Quantity(v, h.Unit))
	}
}

// drawLine draws the line across the cells, and the contours.
func (h *HeatMap) drawLine(d *drawing, left, wide, top float64) {
	at := func(p Point) string {
		return fmt.Sprintf("%.1f,%.1f", left+wide*(p.X+0.5), d.top+top+cellTall*(float64(len(h.Y))-0.5-p.Y))
	}
	for _, line := range h.ContourLines() {
		if len(h.X) <= writtenCells {
			break // the values are written
		}
		d.printf(`<path d="M%s L%s" fill="none" stroke="#fff" stroke-opacity=".8"/>`+"\n", at(line[0]), at(line[1]))
	}
	var points []string
	for x, y := range h.Line {
		if !math.IsNaN(y) {
			points = append(points, at(Point{float64(x), y}))
		}
	}
	if len(points) > 1 {
		d.printf(`<path d="M%s" fill="none" stroke="#fff" stroke-width="2"/>`+"\n", strings.Join(points, " "))
	}
}

// writtenCells is the largest number of columns of a heat map whose cells have room for numbers.
const writtenCells = 8
