package picture

import (
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overlapsim/scenarios/report"
)

// Drawing is what a picture shows.
type Drawing interface {
	// legend lists what the colours mean.
	legend(s *Style) []entry
	// tall is the height of the axes, and what they hold, in mm.
	tall(s *Style) float64
	// plot makes the axes and what they hold.
	plot(s *Style) *plot.Plot
}

// entry is a line of a legend.
type entry struct {
	name string
	draw func(c *draw.Canvas, r vg.Rectangle)
}

// Of returns the drawing of a chart of a page; nil: it cannot be drawn.
func Of(f report.Figure) Drawing {
	switch f := f.(type) {
	case *report.Bars:
		return bars{f}
	case *report.Curves:
		return curves{f}
	case *report.HeatMap:
		return heat{f}
	}
	return nil
}

// Write draws a picture.
func Write(w io.Writer, f Format, s Style, d Drawing) error {
	entries := d.legend(&s)
	lines := wrapped(&s, entries)
	above := vg.Length(len(lines)) * s.line()
	width, height := mm(s.Width), mm(s.Height)
	if s.Height == 0 {
		height = mm(d.tall(&s)) + above
	}
	canvas := f.canvas(width, height)
	c := draw.New(canvas)
	c.FillPolygon(color.White, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
	s.drawLegend(&c, lines)
	d.plot(&s).Draw(draw.Crop(c, vg.Points(2), -vg.Points(4), 0, -above-vg.Points(2)))
	return f.write(w, canvas)
}

func mm(x float64) vg.Length { return vg.Length(x) * vg.Millimeter }

// wide is the width of an entry of the legend.
func (s *Style) wide(e entry) vg.Length {
	f := s.text(draw.XLeft)
	return f.Width(e.name) + 2.6*vg.Points(s.Points)
}

// wrapped splits a legend into lines.
func wrapped(s *Style, entries []entry) (lines [][]entry) {
	room := vg.Length(0)
	for _, e := range entries {
		if wide := s.wide(e); lines == nil || wide > room {
			lines, room = append(lines, nil), mm(s.Width)-vg.Points(4)
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], e)
		room -= s.wide(e)
	}
	return lines
}

func (s *Style) drawLegend(c *draw.Canvas, lines [][]entry) {
	size := vg.Points(s.Points)
	y := c.Max.Y - s.line()/2
	for _, line := range lines {
		x := c.Min.X + vg.Points(2)
		for _, e := range line {
			e.draw(c, vg.Rectangle{Min: vg.Point{X: x, Y: y - 0.4*size}, Max: vg.Point{X: x + 1.1*size, Y: y + 0.4*size}})
			c.FillText(s.text(draw.XLeft), vg.Point{X: x + 1.5*size, Y: y}, e.name)
			x += s.wide(e)
		}
		y -= s.line()
	}
}

// swatch draws an area of a legend.
func swatch(f fill) func(*draw.Canvas, vg.Rectangle) {
	return func(c *draw.Canvas, r vg.Rectangle) {
		f.paint(c, r)
		frame(c, r)
	}
}

// frame outlines a rectangle.
func frame(c *draw.Canvas, r vg.Rectangle) {
	c.StrokeLines(draw.LineStyle{Color: color.Gray{0x40}, Width: vg.Points(thin)},
		[]vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}, r.Min})
}

// axes returns an empty plot with the letters of the style.
func (s *Style) axes() *plot.Plot {
	p := plot.New()
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font, a.Tick.Label.Font = s.font(), s.font()
		a.LineStyle.Width, a.Tick.LineStyle.Width = vg.Points(0.5), vg.Points(0.5)
		a.Tick.Length, a.Padding = vg.Points(3), 0
	}
	return p
}

// ticker places round values of a unit on an axis, with a largest number of them.
func ticker(unit string, log bool, most int) plot.TickerFunc {
	return func(low, high float64) (ticks []plot.Tick) {
		for _, v := range report.Ticks(low, high, log, unit == "B", most) {
			ticks = append(ticks, plot.Tick{Value: v, Label: report.Quantity(v, unit)})
		}
		return ticks
	}
}

// painter is a plotter made of a function.
type painter func(c *draw.Canvas, x, y func(float64) vg.Length)

// Plot implements plot.Plotter.
func (paint painter) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	paint(&c, x, y)
}

// area is the rectangle between two corners.
func area(x0, x1, y0, y1 vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: min(x0, x1), Y: min(y0, y1)}, Max: vg.Point{X: max(x0, x1), Y: max(y0, y1)}}
}

// grid draws fine lines at the ticks of the axis of values.
func grid(ticks []plot.Tick, level bool) painter {
	style := draw.LineStyle{Color: color.Gray{0xdd}, Width: vg.Points(thin)}
	return func(c *draw.Canvas, x, y func(float64) vg.Length) {
		for _, t := range ticks {
			if level {
				c.StrokeLine2(style, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
			} else {
				c.StrokeLine2(style, x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
			}
		}
	}
}

// finite tells whether a number can be drawn.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
