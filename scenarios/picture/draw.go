package picture

import (
	"image/color"
	"io"
	"math"
	"slices"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overlapsim/scenarios/report"
)

// Drawing is what a picture shows.
type Drawing interface {
	// titles are the title and the note that stand above it among others.
	titles() (title, note string)
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

// Write draws a picture of one drawing, or of several in columns, row by row, each below its title.
// The style's size is the size of each drawing.
func Write(w io.Writer, f Format, s Style, columns int, all ...Drawing) (err error) {
	defer noLetters(&err)
	var cells []cell
	for _, d := range all {
		cells = append(cells, s.cell(d, len(all) > 1))
	}
	wide, height := mm(s.Width), vg.Length(0)
	for row := range slices.Chunk(cells, columns) {
		height += highest(row)
	}
	canvas := f.canvas(wide*vg.Length(min(columns, len(cells))), height)
	c := draw.New(canvas)
	c.FillPolygon(color.White, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
	top := c.Max.Y
	for row := range slices.Chunk(cells, columns) {
		for i := range row {
			left := c.Min.X + vg.Length(i)*wide
			row[i].draw(&s, draw.Canvas{Canvas: c.Canvas, Rectangle: area(left, left+wide, top-row[i].tall, top)})
		}
		top -= highest(row)
	}
	return f.write(w, canvas)
}

// cell is a drawing with its place in a picture.
type cell struct {
	Drawing
	heading []heading
	lines   [][]entry // of the legend
	tall    vg.Length
}

// heading is a line of a title or of a note.
type heading struct {
	text  string
	style draw.TextStyle
}

// cell measures a drawing.
func (s *Style) cell(d Drawing, titled bool) cell {
	c := cell{Drawing: d, lines: wrapped(s, d.legend(s)), tall: mm(s.Height)}
	if titled {
		title, note := d.titles()
		bold, soft := s.text(draw.XLeft), s.text(draw.XLeft)
		bold.Font.Weight, soft.Color = xfont.WeightBold, color.Gray{0x60}
		c.heading = append(s.folded(title, bold), s.folded(note, soft)...)
	}
	if s.Height == 0 {
		c.tall = mm(d.tall(s)) + c.above(s)
	}
	return c
}

// above is the height of title and legend.
func (c *cell) above(s *Style) vg.Length { return vg.Length(len(c.heading)+len(c.lines)) * s.line() }

func (c *cell) draw(s *Style, to draw.Canvas) {
	for i, line := range c.heading {
		to.FillText(line.style, vg.Point{X: to.Min.X + vg.Points(2), Y: to.Max.Y - (vg.Length(i)+0.5)*s.line()}, line.text)
	}
	s.drawLegend(&to, c.lines, vg.Length(len(c.heading))*s.line())
	c.plot(s).Draw(draw.Crop(to, vg.Points(2), -vg.Points(4), 0, -c.above(s)-vg.Points(2)))
}

// highest is the height of a row.
func highest(row []cell) (tall vg.Length) {
	for _, c := range row {
		tall = max(tall, c.tall)
	}
	return tall
}

// folded breaks a text between words into lines that have room.
func (s *Style) folded(text string, style draw.TextStyle) []heading {
	return s.foldedTo(mm(s.Width)-vg.Points(6), text, style)
}

// foldedTo breaks a text between words into lines of a width.
func (s *Style) foldedTo(wide vg.Length, text string, style draw.TextStyle) (lines []heading) {
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		if last < 0 || style.Width(lines[last].text+" "+word) > wide {
			lines = append(lines, heading{word, style})
		} else {
			lines[last].text += " " + word
		}
	}
	return lines
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

// drawLegend draws lines of a legend, the first one below a distance from the top.
func (s *Style) drawLegend(c *draw.Canvas, lines [][]entry, below vg.Length) {
	size := vg.Points(s.Points)
	y := c.Max.Y - below - s.line()/2
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
