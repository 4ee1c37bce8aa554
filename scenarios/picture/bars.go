package picture

import (
	"image/color"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overlapsim/scenarios/report"
)

// bars draws stacked bars: lying, or standing in groups.
type bars struct{ *report.Bars }

func (b bars) titles() (title, note string) { return b.Title, b.Note }

func (b bars) legend(s *Style) (all []entry) {
	if b.Starts != nil { // the groups say what the colours mean
		return nil
	}
	seen := map[string]bool{}
	for i, hex := range b.Colors() {
		if name := b.Parts[i].Name; !seen[name] {
			seen[name] = true
			all = append(all, entry{name, swatch(s.fill(hex, i))})
		}
	}
	return all
}

func (b bars) tall(s *Style) float64 {
	if !b.Horizontal {
		return 0.62 * s.Width
	}
	row := 0.62 * s.Points * float64(len(b.Members))
	for _, name := range b.names(s) {
		row = max(row, float64(1+strings.Count(name, "\n"))*float64(s.line()/vg.Millimeter))
	}
	return 12 + float64(len(b.Groups))*row
}

func (b bars) plot(s *Style) *plot.Plot {
	p := s.axes()
	low, high := b.extent(s)
	values, groups := &p.Y, &p.X
	if b.Horizontal {
		values, groups = &p.X, &p.Y
	}
	values.Min, values.Max = low, high
	values.Tick.Marker = ticker(b.Unit, false, 6)
	groups.Min, groups.Max = -0.5, float64(len(b.Groups))-0.5
	groups.Tick.Marker, groups.Tick.Length, groups.Label.Text = plot.ConstantTicks(b.labels(s)), 0, b.XName
	p.Add(grid(values.Tick.Marker.Ticks(values.Min, values.Max), !b.Horizontal), b.painter(s))
	return p
}

// extent is the axis of values, with room for the texts at the ends of lying bars.
func (b bars) extent(s *Style) (low, high float64) {
	low, high = b.Extent()
	before, after := 0.0, 0.02
	if low < 0 {
		before = 0.02
	}
	room := float64(mm(s.Width) - s.longest(b.names(s)) - 3*vg.Points(s.Points))
	for g := range b.Groups {
		for m, member := range b.Members {
			below, above := b.Stack(g, m, func(int, float64, float64) {})
			left, right := b.ends(g, member, above)
			if b.Horizontal && left != "" {
				before = max(before, float64(s.longest([]string{left}))/room-(below-low)/(high-low))
			}
			if b.Horizontal && right != "" {
				after = max(after, (float64(s.longest([]string{right}))+s.Points)/room-(high-above)/(high-low))
			}
		}
	}
	long := (high - low) / max(0.2, 1-before-after)
	return low - before*long, high + after*long
}

// ends are the texts at the ends of a bar, or the name of its member.
func (b bars) ends(g int, member string, above float64) (low, high string) {
	switch {
	case b.Ends == nil:
		return "", member
	case b.Starts == nil:
		return b.Ends[g].Low, b.Ends[g].High
	case above > 0:
		return "", b.Ends[g].High
	}
	return b.Ends[g].Low, ""
}

// names are the names of the groups: those of lying bars take half the width at most, on up to two lines that the picture has room for, and
// are cut after them.
func (b bars) names(s *Style) (names []string) {
	if !b.Horizontal {
		return b.Groups
	}
	most, text := 2, s.text(draw.XLeft)
	if s.Height > 0 && mm(s.Height-12) < 2*s.line()*vg.Length(len(b.Groups)) {
		most = 1
	}
	for _, name := range b.Groups {
		var lines []string
		for _, line := range s.foldedTo(mm(s.Width/2), name, text) {
			lines = append(lines, line.text)
		}
		if len(lines) > most {
			lines = append(lines[:most-1], strings.Join(lines[most-1:], " "))
		}
		for i, line := range lines {
			for letters := []rune(line); text.Width(lines[i]) > mm(s.Width/2) && len(letters) > 1; {
				letters = letters[:len(letters)-1]
				lines[i] = strings.TrimRight(string(letters), " ") + "..."
			}
		}
		names = append(names, strings.Join(lines, "\n"))
	}
	return names
}

// labels name the groups, as many as have room; lying bars are read from the top.
func (b bars) labels(s *Style) (ticks []plot.Tick) {
	every, names := 1, b.names(s)
	if wide := s.longest(b.Groups) + vg.Points(s.Points); !b.Horizontal {
		every += int(wide * vg.Length(len(b.Groups)) / mm(0.85*s.Width))
	}
	for g := 0; g < len(b.Groups); g += every {
		ticks = append(ticks, plot.Tick{Value: b.place(g), Label: names[g]})
	}
	return ticks
}

// longest is the width of the longest of some names.
func (s *Style) longest(names []string) (wide vg.Length) {
	text := s.text(draw.XLeft)
	for _, name := range names {
		wide = max(wide, text.Width(name))
	}
	return wide
}

// place is where a group is on its axis.
func (b bars) place(group int) float64 {
	if b.Horizontal {
		return float64(len(b.Groups) - 1 - group)
	}
	return float64(group)
}

const barWide = 0.76 // of the width of a group

func (b bars) painter(s *Style) painter {
	colors := b.Colors()
	return func(c *draw.Canvas, x, y func(float64) vg.Length) {
		wide := barWide / float64(len(b.Members))
		for g := range b.Groups {
			for m, member := range b.Members {
				from := b.place(g) - barWide/2 + float64(m)*wide
				if b.Horizontal {
					from = b.place(g) + barWide/2 - float64(m+1)*wide
				}
				to := from + 0.94*wide
				below, above := b.Stack(g, m, func(part int, low, high float64) {
					r := area(x(from), x(to), y(low), y(high))
					if b.Horizontal {
						r = area(x(low), x(high), y(from), y(to))
					}
					s.fill(colors[part], part).paint(c, r)
					frame(c, r)
				})
				b.write(c, s, x, y, g, member, (from+to)/2, below, above)
			}
		}
		b.zero(c, x, y)
	}
}

// zero draws the line where bars begin.
func (b bars) zero(c *draw.Canvas, x, y func(float64) vg.Length) {
	style := draw.LineStyle{Color: color.Black, Width: vg.Points(0.5)}
	if b.Horizontal {
		c.StrokeLine2(style, x(0), c.Min.Y, x(0), c.Max.Y)
	} else {
		c.StrokeLine2(style, c.Min.X, y(0), c.Max.X, y(0))
	}
}

// write writes the name of a member, or the texts at the ends of a bar.
func (b bars) write(c *draw.Canvas, s *Style, x, y func(float64) vg.Length, g int, member string, at, below, above float64) {
	gap := vg.Points(2)
	low, high := b.ends(g, member, above)
	if !b.Horizontal {
		text := s.text(draw.XCenter)
		text.YAlign = draw.YBottom
		c.FillText(text, vg.Point{X: x(at), Y: y(above) + gap/2}, high)
		return
	}
	c.FillText(s.text(draw.XLeft), vg.Point{X: x(above) + gap, Y: y(at)}, high)
	c.FillText(s.text(draw.XRight), vg.Point{X: x(below) - gap, Y: y(at)}, low)
}
