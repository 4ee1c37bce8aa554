package report

import (
	"math"
	"strconv"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// Bars with Starts are a waterfall: a bar of one part that begins at its start. The script
// stacks bars from zero, apart by sign. Therefore a bar has an invisible piece from zero on, and a
// visible one on each side of zero that it is on.

// piece is the visible part of a bar on one side of zero, and the gap before it. Both have
// the sign of that side.
type piece struct{ gap, length float64 }

// pieces returns the parts of a bar above and below zero.
func pieces(start, value float64) (above, below piece) {
	low, high := min(start, start+value), max(start, start+value)
	above = piece{max(low, 0), max(high, 0) - max(low, 0)}
	below = piece{min(high, 0), min(low, 0) - min(high, 0)}
	return above, below
}

// valueOf is the value of the only part of a group: the length of its bar.
func (b *Bars) valueOf(group int) (value float64) {
	for _, p := range b.Parts {
		if v := p.Values[group][0]; v != 0 && !math.IsNaN(v) {
			value = v
		}
	}
	return value
}

// addFloating adds the series of a waterfall.
func (b *Bars) addFloating(c *charts.Bar) {
	gaps := make([]opts.BarData, len(b.Groups))
	for g := range b.Groups {
		above, below := pieces(b.Starts[g], b.valueOf(g))
		gaps[g].Value = above.gap + below.gap // one of them is 0
	}
	c.AddSeries("", gaps, append(stackedBar(0), charts.WithItemStyleOpts(opts.ItemStyle{Color: "transparent"}))...)
	for i, p := range b.Parts {
		above, below := make([]opts.BarData, len(b.Groups)), make([]opts.BarData, len(b.Groups))
		for g := range b.Groups {
			value := p.Values[g][0]
			over, under := pieces(b.Starts[g], value)
			above[g].Value, below[g].Value = "-", "-"
			if over.length > 0 {
				above[g] = opts.BarData{Value: over.length, Label: endLabel("right", b.Ends[g].High)}
			}
			if under.length < 0 {
				below[g] = opts.BarData{Value: under.length}
				if over.length <= 0 {
					below[g].Label = endLabel("left", b.Ends[g].Low)
				}
			}
		}
		color := charts.WithItemStyleOpts(opts.ItemStyle{Color: partColors(b.Parts)[i]})
		c.AddSeries(p.Name, above, append(stackedBar(0), color)...)
		c.AddSeries(p.Name, below, append(stackedBar(0), color)...)
	}
}

// stackedBar are the options of the series of a member.
func stackedBar(member int) []charts.SeriesOpts {
	return []charts.SeriesOpts{
		charts.WithBarChartOpts(opts.BarChart{Stack: strconv.Itoa(member), BarGap: "12%", BarCategoryGap: "28%"}),
		charts.WithSeriesOpts(func(s *charts.SingleSeries) { s.BarMaxWidth = "72" }),
	}
}

// endLabel is a text at the end of a bar; nil: none.
func endLabel(position, text string) *opts.Label {
	if text == "" {
		return nil
	}
	return &opts.Label{Show: opts.Bool(true), Position: position, Formatter: text, Color: "#444b57"}
}
