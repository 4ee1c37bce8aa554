package picture

import (
	"cmp"
	"image/color"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overlapsim/scenarios/report"
)

// heat draws a grid of cells. Above it is the scale, in place of a legend.
type heat struct{ *report.HeatMap }

func (h heat) titles() (title, note string) { return h.Title, h.Note }

func (h heat) legend(s *Style) (all []entry) {
	for _, v := range h.Levels() {
		all = append(all, entry{report.Quantity(v, h.Unit), swatch(fill{color: h.shade(s, v)})})
	}
	return all
}

// shade is the colour of a value; in grey the largest is black.
func (h heat) shade(s *Style, v float64) color.Color {
	if !s.Grey {
		return rgb(h.ColorOf(v))
	}
	return color.Gray{uint8(255 - 235*h.Part(v))}
}

func (h heat) tall(s *Style) float64 {
	name := s.longest([]string{h.YName}) + vg.Points(8)
	return max(14+min(float64(len(h.Y))*0.6*s.Points, 1.2*s.Width), float64(name/vg.Millimeter))
}

// yName is the name of the axis that goes up, of which a picture that is not tall enough has the end.
func (h heat) yName(s *Style) string {
	if above := vg.Length(len(wrapped(s, h.legend(s))))*s.line() + vg.Points(6); s.Height > 0 && s.longest([]string{h.YName}) > mm(s.Height)-above {
		return h.YName[strings.LastIndex(h.YName, ".")+1:]
	}
	return h.YName
}

func (h heat) plot(s *Style) *plot.Plot {
	p := s.axes()
	p.X.Label.Text, p.Y.Label.Text = h.XName, h.yName(s)
	p.X.Min, p.X.Max = -0.5, float64(len(h.X))-0.5
	p.Y.Min, p.Y.Max = -0.5, float64(len(h.Y))-0.5
	across := int((s.longest(h.X) + vg.Points(s.Points)) * vg.Length(len(h.X)) / mm(0.8*s.Width))
	p.X.Tick.Marker, p.Y.Tick.Marker = named(h.X, h.XTicks, 1+across), named(h.Y, h.YTicks, 1+len(h.Y)/24)
	p.X.Tick.Length, p.Y.Tick.Length = 0, 0
	written := h.written(s)
	p.Add(painter(func(c *draw.Canvas, x, y func(float64) vg.Length) {
		for j, row := range h.Values {
			for i, v := range row {
				if finite(v) {
					r := area(x(float64(i)-0.5), x(float64(i)+0.5), y(float64(j)-0.5), y(float64(j)+0.5))
					fill{color: h.shade(s, v)}.paint(c, r)
					if written {
						h.write(c, s, r, v)
					}
				}
			}
		}
		for _, line := range h.ContourLines() {
			if written {
				break // the numbers say it
			}
			c.StrokeLine2(draw.LineStyle{Color: color.White, Width: vg.Points(thin)}, x(line[0].X), y(line[0].Y), x(line[1].X), y(line[1].Y))
		}
		h.curve(c, x, y)
	}))
	return p
}

// written tells whether the cells have room for their numbers.
func (h heat) written(s *Style) bool {
	wide := (0.9*mm(s.Width) - s.longest(h.Y)) / vg.Length(max(1, len(h.X)))
	tall := mm(cmp.Or(s.Height, h.tall(s))-14) / vg.Length(max(1, len(h.Y)))
	if wide < 2*vg.Points(s.Points) || tall < vg.Points(s.Points) {
		return false
	}
	var texts []string
	for _, row := range h.Values {
		for _, v := range row {
			texts = append(texts, report.Quantity(v, h.Unit))
		}
	}
	return s.longest(texts)+vg.Points(2) < wide
}

// write writes the number of a cell.
func (h heat) write(c *draw.Canvas, s *Style, r vg.Rectangle, v float64) {
	text := s.text(draw.XCenter)
	if y := color.GrayModel.Convert(h.shade(s, v)).(color.Gray).Y; y < 128 {
		text.Color = color.White
	}
	c.FillText(text, vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y + r.Max.Y) / 2}, report.Quantity(v, h.Unit))
}

// curve draws the line across the cells.
func (h heat) curve(c *draw.Canvas, x, y func(float64) vg.Length) {
	var points []vg.Point
	for i, at := range h.Line {
		if finite(at) {
			points = append(points, vg.Point{X: x(float64(i)), Y: y(at)})
		}
	}
	c.StrokeLines(draw.LineStyle{Color: color.White, Width: vg.Points(1)}, c.ClipLinesXY(points)...)
}

// named labels some of the names, those at places if there are any, that are apart by at least a number of them.
func named(names []string, at []int, apart int) plot.ConstantTicks {
	if at == nil {
		at = report.Every(1, len(names))
	}
	var ticks []plot.Tick
	next := 0
	for _, i := range at {
		if i >= next {
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: names[i]})
			next = i + apart
		}
	}
	return ticks
}
