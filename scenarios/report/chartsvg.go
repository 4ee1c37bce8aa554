package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
)

// Sizes of a chart picture in px.
const (
	chartWidth = 760.0
	plotTall   = 250.0
	plotLeft   = 78.0
	plotRight  = 24.0
	barTall    = 18.0
)

// WriteCharts writes figures as a picture, one below the other, for documents: curves,
// horizontal bars, heat maps.
func WriteCharts(w io.Writer, figures ...Figure) error {
	d := &drawing{w: bufio.NewWriter(w)}
	height := 0.0
	for _, f := range figures {
		height += f.tall()
	}
	d.begin(chartWidth, height)
	for _, f := range figures {
		f.draw(d)
		d.top += f.tall()
	}
	d.printf("</svg>\n")
	return d.w.Flush()
}

// begin begins the picture, on white.
func (d *drawing) begin(wide, high float64) {
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%[1]g" height="%[2]g" `+
		`font-family="system-ui, sans-serif" font-size="12" fill="#1d232c">`+"\n", wide, high)
	d.printf(`<rect width="%g" height="%g" fill="#fff"/>`+"\n", wide, high)
}

// WriteGrid writes figures as a picture in columns, from left to right, row by row.
func WriteGrid(w io.Writer, columns int, figures ...Figure) error {
	if columns < 2 {
		return WriteCharts(w, figures...)
	}
	d := &drawing{w: bufio.NewWriter(w)}
	scale := 1.0
	if columns > 2 {
		scale = manyScale
	}
	wide, height := chartWidth*scale, 0.0
	for row := range slices.Chunk(figures, columns) {
		height += tallest(row) * scale
	}
	d.begin(wide*float64(columns), height)
	top := 0.0
	for row := range slices.Chunk(figures, columns) {
		tall := tallest(row)
		for i, f := range row {
			d.printf(`<svg x="%g" y="%g" width="%g" height="%g" viewBox="0 0 %g %g">`+"\n", wide*float64(i), top, wide, tall*scale, chartWidth, tall)
			f.draw(d)
			d.printf("</svg>\n")
		}
		top += tall * scale
	}
	d.printf("</svg>\n")
	return d.w.Flush()
}

// manyScale is how large figures in more than two columns are drawn.
const manyScale = 1.0 / 3

func tallest(figures []Figure) (tall float64) {
	for _, f := range figures {
		tall = max(tall, f.tall())
	}
	return tall
}

// drawing is a picture of charts; errors stay in the writer until Flush.
type drawing struct {
	w   *bufio.Writer
	top float64 // of the figure
}

func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(d.w, format, args...) }

func (d *drawing) text(x, y float64, anchor, style, text string) {
	d.printf(`<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>`+"\n", x, d.top+y, anchor, style, escaped(text))
}

const (
	bold = ` font-weight="600" font-size="14"`
	soft = ` fill="#5b6472"`
)

// head writes title, note and a legend that wraps, and returns where the plot
// begins.
func (d *drawing) head(title, note string, names, colors []string, dashed []bool) float64 {
	d.text(12, 22, "start", bold, title)
	if note != "" {
		d.text(12, 39, "start", soft, note)
	}
	x, y := 12.0, headTall(title, note)-4
	for i, name := range names {
		wide := 34 + 6.6*float64(len([]rune(name)))
		if x+wide > chartWidth && i > 0 {
			x, y = 12, y+18
		}
		style := ""
		if dashed != nil && dashed[i] {
			style = ` stroke-dasharray="4 3"`
		}
		d.printf(`<path d="M%.1f,%.1fh16" stroke="%s" stroke-width="4"%s/>`+"\n", x, d.top+y+8, colors[i], style)
		d.text(x+21, y+12, "start", "", name)
		x += wide
	}
	return y + 26
}

// legendTall is the height of a legend below the title.
func legendTall(names []string) float64 {
	x, lines := 12.0, 1.0
	for i, name := range names {
		wide := 34 + 6.6*float64(len([]rune(name)))
		if x+wide > chartWidth && i > 0 {
			x, lines = 12, lines+1
		}
		x += wide
	}
	return lines*18 + 8
}

func headTall(title, note string) float64 {
	if note == "" {
		return 34
	}
	return 51
}

// scaleOf maps values to px.
type scaleOf struct {
	low, high  float64 // values at the ends
	from, to   float64 // px
	log, bytes bool
}

func (s scaleOf) at(v float64) float64 {
	a, b := s.low, s.high
	if s.log {
		v, a, b = math.Log(v), math.Log(a), math.Log(b)
	}
	if a == b {
		return (s.from + s.to) / 2
	}
	return s.from + (s.to-s.from)*(v-a)/(b-a)
}

// ticks returns round values that are at least apart px from each other.
func (s scaleOf) ticks(apart float64) (all []float64) {
	last := math.Inf(-1)
	add := func(v float64) {
		if at := s.at(v) * math.Copysign(1, s.to-s.from); v >= s.low*(1-1e-12) && v <= s.high*(1+1e-12) && at-last >= apart {
			all, last = append(all, v), at
		}
	}
	switch {
	case s.log && s.bytes:
		for v := math.Exp2(math.Floor(math.Log2(s.low))); v <= s.high; v *= 2 {
			add(v)
		}
	case s.log:
		for p := math.Floor(math.Log10(s.low)); p <= math.Log10(s.high); p++ {
			for _, f := range []float64{1, 2, 5} {
				add(f * math.Pow(10, p))
			}
		}
	default:
		step := roundStep((s.high - s.low) / math.Max(1, math.Abs(s.to-s.from)/apart))
		for i := math.Ceil(s.low/step - 1e-9); i*step <= s.high+1e-9*step; i++ {
			add(i*step + 0) // no -0
		}
	}
	return all
}

// roundStep returns the smallest of 1, 2, 5, 10, ... that is not below x.
func roundStep(x float64) float64 {
	if !(x > 0) {
		return 1
	}
	step := math.Pow(10, math.Floor(math.Log10(x)))
	for _, f := range []float64{1, 2, 5} {
		if f*step >= x*(1-1e-12) {
			return f * step
		}
	}
	return 10 * step
}
