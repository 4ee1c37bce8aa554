package main

import (
	"math"
	"os"

	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/picture"
	"overlapsim/scenarios/report"
)

// across is how many maps are next to each other.
const across = 3

// draw writes the maps as an SVG.
func draw(file string, maps []gainMap) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	var all []picture.Drawing
	for i := range maps {
		all = append(all, picture.Of(maps[i].chart()))
	}
	return picture.Write(f, picture.SVG(), picture.Style{Width: 110, Points: 8}, across, all...)
}

// chart has a cell for each size and slow-down; the line is where the helper breaks even.
func (m *gainMap) chart() *report.HeatMap {
	h := &report.HeatMap{Title: m.name + ": gain of a helper thread, percent", Min: -30, Max: 30,
		XName: "message", YName: "slow-down beside each other"}
	for _, s := range sizes {
		h.X = append(h.X, keys.FormatBytes(s))
	}
	for i, f := range slow {
		h.Y = append(h.Y, report.Significant(f))
		var row []float64
		for _, g := range m.gain[i] {
			row = append(row, math.Round(100*g)+0) // no -0
		}
		h.Values = append(h.Values, row)
	}
	for _, even := range m.breakEven {
		h.Line = append(h.Line, height(even))
	}
	return h
}

// height is where a slow-down is, counted in cells from the middle of the first one.
func height(f float64) float64 {
	if f < slow[0] {
		return -0.5
	}
	for i := 1; i < len(slow); i++ {
		if f <= slow[i] {
			return float64(i-1) + (f-slow[i-1])/(slow[i]-slow[i-1])
		}
	}
	return float64(len(slow)) - 0.5
}
