package picture

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overlapsim/scenarios/report"
)

// curves draws lines over a numeric axis. In grey, dashes and marks tell them apart.
type curves struct{ *report.Curves }

func (k curves) titles() (title, note string) { return k.Title, k.Note }

func (k curves) legend(s *Style) (all []entry) {
	seen := map[string]bool{}
	for i := range k.Curves.Curves {
		curve := &k.Curves.Curves[i]
		name := curve.Legend()
		if name == "" || seen[name] {
			continue
		}
		seen[name] = true
		line, mark := k.look(s, i)
		all = append(all, entry{name, func(c *draw.Canvas, r vg.Rectangle) {
			y := (r.Min.Y + r.Max.Y) / 2
			if curve.Marks < report.DotsOnly {
				c.StrokeLine2(line, r.Min.X, y, r.Max.X, y)
			}
			if curve.Dotted() {
				c.DrawGlyph(mark, vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: y})
			}
		}})
	}
	return all
}

func (k curves) tall(s *Style) float64 { return 0.62 * s.Width }

// dashes tell lines apart without colours.
var dashes = [][]vg.Length{nil, {5, 2}, {1.5, 1.5}, {6, 2, 1.5, 2}, {9, 2}}

// marks tell points apart without colours.
var marks = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{},
}

// look is how a curve is drawn.
func (k curves) look(s *Style, i int) (draw.LineStyle, draw.GlyphStyle) {
	curve := &k.Curves.Curves[i]
	ink := s.ink(curve.ColorAt(i))
	line := draw.LineStyle{Color: ink, Width: vg.Points(1)}
	mark := draw.GlyphStyle{Color: ink, Radius: vg.Points(1.6), Shape: draw.CircleGlyph{}}
	if s.Grey || s.Hatch {
		line.Dashes, mark.Shape = dashes[i%len(dashes)], marks[i%len(marks)]
	}
	if curve.Dashed {
		line.Dashes = []vg.Length{3, 2}
	}
	if curve.Marks == report.Ring {
		mark.Shape, mark.Radius = draw.RingGlyph{}, vg.Points(3)
	}
	return line, mark
}

func (k curves) plot(s *Style) *plot.Plot {
	p := s.axes()
	p.X.Label.Text, p.Y.Label.Text = k.XName, k.YName
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = k.Extent()
	p.X.Tick.Marker, p.Y.Tick.Marker = ticker(k.XUnit, k.XLog, 6), ticker(k.YUnit, k.YLog, 6)
	for _, a := range []struct {
		axis *plot.Axis
		log  bool
	}{{&p.X, k.XLog}, {&p.Y, k.YLog}} {
		if a.axis.Min == a.axis.Max {
			a.axis.Max = a.axis.Min + max(1, math.Abs(a.axis.Min))
		}
		if a.log {
			a.axis.Scale = plot.LogScale{}
		}
	}
	p.Add(grid(p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max), true))
	for i := range k.Curves.Curves {
		p.Add(k.painter(s, i))
	}
	return p
}

func (k curves) painter(s *Style, i int) painter {
	curve := &k.Curves.Curves[i]
	line, mark := k.look(s, i)
	return func(c *draw.Canvas, x, y func(float64) vg.Length) {
		var points []vg.Point
		for j := range curve.X {
			if finite(curve.X[j]) && finite(curve.Y[j]) && (!k.XLog || curve.X[j] > 0) && (!k.YLog || curve.Y[j] > 0) {
				points = append(points, vg.Point{X: x(curve.X[j]), Y: y(curve.Y[j])})
			}
		}
		if curve.Marks < report.DotsOnly {
			c.StrokeLines(line, c.ClipLinesXY(points)...)
		}
		for _, at := range points {
			if curve.Dotted() {
				c.DrawGlyph(mark, at)
			}
		}
	}
}
