package picture

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/report"
)

// Style is how pictures look.
type Style struct {
	Width, Height float64 // mm; height 0: as much as the content needs
	Points        float64 // size of the letters
	Serif         bool
	Grey          bool // greys and hatching instead of colours
	Hatch         bool // hatching in colour
}

// plain is the style of one column of a paper.
var plain = Style{Width: 85, Points: 8}

func (s *Style) font() font.Font {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(s.Points)}
	if s.Serif {
		f.Variant = "Serif"
	}
	return f
}

// text is a style of letters, placed by its middle height.
func (s *Style) text(align draw.XAlignment) draw.TextStyle {
	return draw.TextStyle{Color: color.Black, Font: s.font(), XAlign: align, YAlign: middle, Handler: plot.DefaultTextHandler}
}

// middle is the place of small letters between the top of a line and its foot.
const middle = -0.38

// line is the height of a line of text.
func (s *Style) line() vg.Length { return vg.Points(1.35 * s.Points) }

// shade is how a part looks in grey.
type shade struct {
	grey  uint8
	hatch hatch
}

// hatch says how lines run across an area.
type hatch struct {
	right, left, level bool    // up to the right, up to the left, level
	every              float64 // distance of the lines, in points; 0: none
}

// shades tell the terms apart without colours; other parts take them in turn.
var shades = [...]shade{
	results.Compute:      {0xd8, hatch{}},
	results.Interference: {0xf4, hatch{right: true, every: 5}},
	results.Overhead:     {0x68, hatch{}},
	results.NICStall:     {0x98, hatch{left: true, every: 3}},
	results.Progress:     {0x18, hatch{}},
	results.Transfer:     {0xff, hatch{right: true, every: 2.6}},
	results.Contention:   {0xff, hatch{right: true, left: true, every: 2.6}},
	results.Latency:      {0xff, hatch{level: true, every: 2.4}},
	results.Partner:      {0xff, hatch{left: true, every: 4.5}},
	results.BarrierTime:  {0xb0, hatch{level: true, every: 3.2}},
	results.Idle:         {0xff, hatch{}},
	results.NumTerms:     {0x40, hatch{left: true, every: 3.4}},
}

// shadeOf returns the shade of a colour: the shade of its term, or the next of the shades that are
// left.
func shadeOf(hex string, place int) shade {
	for t := range results.NumTerms {
		if report.TermColor(t) == hex {
			return shades[t]
		}
	}
	return shades[(2*place+int(results.Overhead))%len(shades)]
}

// fill is how an area is painted.
type fill struct {
	color color.Color
	hatch hatch
	lines color.Color
}

// fill returns how a part of the given colour is painted; place is its number in the
// legend.
func (s *Style) fill(hex string, place int) fill {
	look := shadeOf(hex, place)
	f := fill{color: rgb(hex), hatch: look.hatch, lines: color.NRGBA{0, 0, 0, 150}}
	if s.Grey {
		f.color, f.lines = color.Gray{look.grey}, color.Gray{0x30}
	} else if !s.Hatch {
		f.hatch = hatch{}
	}
	return f
}

// ink is the colour of a line.
func (s *Style) ink(hex string) color.Color {
	c := rgb(hex)
	if !s.Grey {
		return c
	}
	return color.GrayModel.Convert(c)
}

// rgb reads #rrggbb.
func rgb(hex string) color.NRGBA {
	x, _ := strconv.ParseUint(hex[1:], 16, 32)
	return color.NRGBA{uint8(x >> 16), uint8(x >> 8), uint8(x), 255}
}

const thin = 0.35 // points of fine lines

// paint fills a rectangle, and hatches it.
func (f fill) paint(c *draw.Canvas, r vg.Rectangle) {
	c.FillPolygon(f.color, []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}})
	if f.hatch.every == 0 {
		return
	}
	style := draw.LineStyle{Color: f.lines, Width: vg.Points(thin)}
	step := vg.Points(f.hatch.every)
	if f.hatch.level {
		for y := step * vg.Length(math.Ceil(float64(r.Min.Y/step))); y < r.Max.Y; y += step {
			c.StrokeLine2(style, r.Min.X, y, r.Max.X, y)
		}
	}
	// Lines x - y = k and x + y = k, which go on from one area to the next.
	step *= math.Sqrt2
	if f.hatch.right {
		for k := next(r.Min.X-r.Max.Y, step); k < r.Max.X-r.Min.Y; k += step {
			x0, x1 := max(r.Min.X, r.Min.Y+k), min(r.Max.X, r.Max.Y+k)
			c.StrokeLine2(style, x0, x0-k, x1, x1-k)
		}
	}
	if f.hatch.left {
		for k := next(r.Min.X+r.Min.Y, step); k < r.Max.X+r.Max.Y; k += step {
			x0, x1 := max(r.Min.X, k-r.Max.Y), min(r.Max.X, k-r.Min.Y)
			c.StrokeLine2(style, x0, k-x0, x1, k-x1)
		}
	}
}

// next is the first multiple of a step that is not below x.
func next(x, step vg.Length) vg.Length { return step * vg.Length(math.Ceil(float64(x/step))) }
