package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// names returns the names in the legend, each with the looks of its first curve.
func (c *Curves) names() (names, colors []string, dashed []bool) {
	for i, line := range c.Curves {
		if name := cmp.Or(line.Group, line.Name); !slices.Contains(names, name) {
			names, colors, dashed = append(names, name), append(colors, line.ColorAt(i)), append(dashed, line.Dashed)
		}
	}
	return names, colors, dashed
}

func (c *Curves) tall() float64 {
	names, _, _ := c.names()
	return headTall(c.Title, c.Note) + legendTall(names) + plotTall + 46
}

// extremes returns the smallest and the largest of the finite values.
func extremes(values []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			low, high = min(low, v), max(high, v)
		}
	}
	if low > high {
		return 0, 1
	}
	return low, high
}

func (c *Curves) draw(d *drawing) {
	names, colors, dashed := c.names()
	top := d.head(c.Title, c.Note, names, colors, dashed)
	x := scaleOf{from: plotLeft, to: chartWidth - plotRight, log: c.XLog, bytes: c.XUnit == "B"}
	y := scaleOf{from: top + plotTall, to: top, log: c.YLog, bytes: c.YUnit == "B"}
	x.low, x.high, y.low, y.high = c.Extent()
	d.axes(x, y, c.XUnit, c.YUnit, c.XName)
	if c.YName != "" {
		d.text(chartWidth-plotRight, top-10, "end", soft, "up: "+c.YName)
	}
	for i, line := range c.Curves {
		d.curve(&line, x, y, line.ColorAt(i))
	}
}

// Extent returns the ends of both axes.
func (c *Curves) Extent() (left, right, low, high float64) {
	var xs, ys []float64
	for _, line := range c.Curves {
		for i := range line.X {
			if !math.IsNaN(line.X[i]) && !math.IsNaN(line.Y[i]) {
				xs, ys = append(xs, line.X[i]), append(ys, line.Y[i])
			}
		}
	}
	if left, right = extremes(xs); c.X.given() {
		left, right = c.X.round()
	}
	if low, high = extremes(ys); c.Y.given() {
		low, high = c.Y.round()
	} else if !c.YLog {
		low, high = min(0, low), high+0.04*math.Abs(high)
	}
	return left, right, low, high
}

// axes draws both axes with their round values.
func (d *drawing) axes(x, y scaleOf, xUnit, yUnit, xName string) {
	for _, v := range y.ticks(28) {
		d.printf(`<path d="M%g,%.1fH%g" stroke="#e6e9ee"/>`+"\n", x.from, d.top+y.at(v), x.to)
		d.text(x.from-8, y.at(v)+4, "end", soft, Quantity(v, yUnit))
	}
	for _, v := range x.ticks(52) {
		d.printf(`<path d="M%.1f,%.1fv5" stroke="#9aa3b0"/>`+"\n", x.at(v), d.top+y.from)
		d.text(x.at(v), y.from+19, "middle", soft, Quantity(v, xUnit))
	}
	d.printf(`<path d="M%g,%.1fH%g" stroke="#9aa3b0"/>`+"\n", x.from, d.top+y.from, x.to)
	d.text((x.from+x.to)/2, y.from+38, "middle", soft, xName)
}

// curve draws a line with a dot for each point; a single point is a ring.
func (d *drawing) curve(line *Curve, x, y scaleOf, color string) {
	var points []string
	for i := range line.X {
		if math.IsNaN(line.X[i]) || math.IsNaN(line.Y[i]) {
			continue
		}
		at := fmt.Sprintf("%.1f,%.1f", x.at(line.X[i]), d.top+y.at(line.Y[i]))
		points = append(points, at)
	}
	style := ""
	if line.Dashed {
		style = ` stroke-dasharray="5 4"`
	}
	if line.Marks < DotsOnly {
		d.printf(`<path d="M%s" fill="none" stroke="%s" stroke-width="2"%s/>`+"\n", strings.Join(points, " "), color, style)
	}
	for _, at := range points {
		px, py, _ := strings.Cut(at, ",")
		switch {
		case len(points) == 1 || line.Marks == Ring:
			d.printf(`<circle cx="%s" cy="%s" r="7" fill="none" stroke="%s" stroke-width="2.5"/>`+"\n", px, py, color)
		case !line.Dashed && line.Dotted():
			d.printf(`<circle cx="%s" cy="%s" r="2.6" fill="%s"/>`+"\n", px, py, color)
		}
	}
}

// names are those of the legend; the groups of a waterfall say what its colours mean.
func (b *Bars) names() (names []string) {
	if b.Starts != nil {
		return nil
	}
	for _, p := range b.Parts {
		names = append(names, p.Name)
	}
	return names
}

func (b *Bars) tall() float64 {
	if b.standing() {
		return b.tallStanding()
	}
	return headTall(b.Title, b.Note) + legendTall(b.names()) + float64(len(b.Groups)*len(b.Members))*(barTall+4) + float64(6*len(b.Groups)) +
		34
}

func (b *Bars) draw(d *drawing) {
	if b.standing() {
		b.drawStanding(d)
		return
	}
	colors := partColors(b.Parts)
	top := d.head(b.Title, b.Note, b.names(), colors, nil)
	left := 24.0
	for _, g := range b.Groups {
		left = max(left, 22+6.6*float64(len([]rune(g))))
	}
	least, most := b.Extent()
	x := scaleOf{low: least, high: most, from: min(left, chartWidth/2), to: chartWidth - 40}
	bottom := top + float64(len(b.Groups)*len(b.Members))*(barTall+4) + float64(6*len(b.Groups))
	for _, v := range x.ticks(70) {
		d.printf(`<path d="M%.1f,%.1fV%.1f" stroke="#e6e9ee"/>`+"\n", x.at(v), d.top+top-4, d.top+bottom)
		d.text(x.at(v), bottom+16, "middle", soft, Quantity(v, b.Unit))
	}
	y := top
	for g, name := range b.Groups {
		d.text(x.from-8, y+float64(len(b.Members))*(barTall+4)/2+2, "end", "", name)
		for m, member := range b.Members {
			d.bar(b, g, m, x, y, colors, member)
			y += barTall + 4
		}
		y += 6
	}
}

// Extent returns the ends of the axis of values: the sums of the parts below and above
// zero.
func (b *Bars) Extent() (least, most float64) {
	for g := range b.Groups {
		for m := range b.Members {
			below, above := b.Stack(g, m, func(int, float64, float64) {})
			least, most = min(least, below), max(most, above)
		}
	}
	if least == most {
		most = 1
	}
	return least, most
}

// Stack calls draw with each part of a member's bar that is not zero, and where it begins
// and ends: parts above zero stand on each other, and those below hang. It returns the
// ends of both.
func (b *Bars) Stack(g, m int, draw func(part int, from, to float64)) (below, above float64) {
	if b.Starts != nil {
		return b.float(g, draw)
	}
	for i, p := range b.Parts {
		v := p.Values[g][m]
		if math.IsNaN(v) || v == 0 {
			continue
		}
		end := &above
		if v < 0 {
			end = &below
		}
		draw(i, *end, *end+v)
		*end += v
	}
	return below, above
}

// float is Stack of a bar of a waterfall.
func (b *Bars) float(g int, draw func(part int, from, to float64)) (below, above float64) {
	start := b.Starts[g]
	for i, p := range b.Parts {
		if v := p.Values[g][0]; v != 0 {
			draw(i, start, start+v)
			return min(start, start+v), max(start, start+v)
		}
	}
	return start, start
}

// says is the text of a part in the bar of a member.
func (b *Bars) says(part, g, m int) string {
	p := b.Parts[part]
	return escaped(p.Name + ": " + Quantity(p.Values[g][m], b.Unit))
}

// bar draws the stack of a member.
func (d *drawing) bar(b *Bars, g, m int, x scaleOf, y float64, colors []string, member string) {
	below, above := b.Stack(g, m, func(i int, from, to float64) {
		start, end := x.at(from), x.at(to)
		d.printf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%g" fill="%s"><title>%s</title></rect>`+"\n",
			min(start, end), d.top+y, math.Abs(end-start), barTall, colors[i], b.says(i, g, m))
	})
	if member != "" {
		d.text(x.at(above)+5, y+barTall-5, "start", soft, member)
	}
	if b.Starts != nil {
		d.floatEnd(b, g, x, y, below, above)
	} else if b.Ends != nil {
		d.text(x.at(below)-5, y+barTall-5, "end", soft, b.Ends[g].Low)
		d.text(x.at(above)+5, y+barTall-5, "start", soft, b.Ends[g].High)
	}
}

// floatEnd writes the text of a bar of a waterfall at one of its ends, as the page does.
func (d *drawing) floatEnd(b *Bars, g int, x scaleOf, y, below, above float64) {
	if above > 0 {
		d.text(x.at(above)+5, y+barTall-5, "start", soft, b.Ends[g].High)
	} else if below < 0 {
		d.text(x.at(below)-5, y+barTall-5, "end", soft, b.Ends[g].Low)
	}
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
