package report

import (
	"fmt"
	"math"
	"slices"
)

// Sizes of standing bars in px.
const (
	groupGap   = 0.28 // of a group's width
	letterWide = 6.6
)

// standing tells whether bars are vertical in a picture, as in the papers. Bars with texts
// at their ends, or with names of groups too long for their place, are horizontal.
func (b *Bars) standing() bool {
	wide := (chartWidth - plotLeft - plotRight) / float64(max(1, len(b.Groups)))
	for _, g := range b.Groups {
		if letterWide*float64(len([]rune(g))) > wide+letterWide {
			return false
		}
	}
	return !b.Horizontal && b.Ends == nil
}

// memberRoom is the height above standing bars for the names of members.
func (b *Bars) memberRoom() float64 {
	longest := 0
	for _, m := range b.Members {
		longest = max(longest, len([]rune(m)))
	}
	return letterWide*float64(longest) + 8
}

func (b *Bars) tallStanding() float64 {
	return headTall(b.Title, b.Note) + legendTall(b.names()) + b.memberRoom() + plotTall + 46
}

// drawStanding draws groups along the x axis, each with a bar for each member.
func (b *Bars) drawStanding(d *drawing) {
	colors := partColors(b.Parts)
	top := d.head(b.Title, b.Note, b.names(), colors, nil) + b.memberRoom()
	least, most := b.Extent()
	y := scaleOf{low: least, high: most, from: top + plotTall, to: top}
	for _, v := range y.ticks(28) {
		d.printf(`<path d="M%g,%.1fH%g" stroke="#e6e9ee"/>`+"\n", plotLeft, d.top+y.at(v), chartWidth-plotRight)
		d.text(plotLeft-8, y.at(v)+4, "end", soft, Quantity(v, b.Unit))
	}
	wide := (chartWidth - plotLeft - plotRight) / float64(max(1, len(b.Groups)))
	bar := wide * (1 - groupGap) / float64(max(1, len(b.Members)))
	for g, name := range b.Groups {
		left := plotLeft + wide*(float64(g)+groupGap/2)
		for m, member := range b.Members {
			end := d.standingBar(b, g, m, y, left+bar*float64(m), min(bar*0.88, 48), colors)
			if !b.empty(g, m) {
				d.upright(left+bar*(float64(m)+0.5), end-5, member)
			}
		}
		d.text(plotLeft+wide*(float64(g)+0.5), y.from+19, "middle", soft, name)
	}
	d.printf(`<path d="M%g,%.1fH%g" stroke="#9aa3b0"/>`+"\n", plotLeft, d.top+y.at(max(0, least)), chartWidth-plotRight)
	d.text((plotLeft+chartWidth-plotRight)/2, y.from+38, "middle", soft, b.XName)
}

// standingBar draws the stack of a member and returns where it ends.
func (d *drawing) standingBar(b *Bars, g, m int, y scaleOf, left, wide float64, colors []string) float64 {
	_, above := b.Stack(g, m, func(i int, from, to float64) {
		start, end := y.at(from), y.at(to)
		d.printf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"><title>%s</title></rect>`+"\n",
			left, d.top+min(start, end), wide, math.Abs(end-start), colors[i], b.says(i, g, m))
	})
	return y.at(above)
}

// upright writes a text from bottom to top.
func (d *drawing) upright(x, y float64, text string) {
	if text != "" {
		d.printf(`<text transform="translate(%s) rotate(-90)" fill="#5b6472" font-size="11">%s</text>`+"\n",
			fmt.Sprintf("%.1f,%.1f", x+4, d.top+y), escaped(text))
	}
}

// empty tells whether a bar has no part.
func (b *Bars) empty(g, m int) bool {
	return !slices.ContainsFunc(b.Parts, func(p Part) bool { return !math.IsNaN(p.Values[g][m]) })
}
