package report

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestLevels(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		log       bool
		want      string
	}{
		{0, 2, false, "[0 0.5 1 1.5 2]"},
		{0.13, 0.94, false, "[0.2 0.4 0.6 0.8]"},
		{3, 40, true, "[5 10 20]"},
		{1, 1e4, true, "[1 10 100 1000 10000]"},
		{1, 1e3, true, "[1 10 100 1000]"},
		{2.1, 2.2, true, "[2.1 2.2]"},
		{7, 7, false, "[7]"},
		{0, 1, true, "[0 1]"},
	} {
		h := &HeatMap{Min: c.low, Max: c.high, Log: c.log}
		var got []float64
		for _, v := range h.Levels() {
			got = append(got, math.Round(v*1e6)/1e6)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%g to %g, logarithmic %v: %v, want %s", c.low, c.high, c.log, got, c.want)
		}
	}
}

// The contours of a plane are straight lines on which it has their level; those of a saddle
// do not cross, and an empty cell has none.
func TestContoursLieOnTheirLevel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(-2, 2).Draw(t, "a"), rapid.Float64Range(0.1, 2).Draw(t, "b")
		h := &HeatMap{Contours: true, X: make([]string, 7), Y: make([]string, 5)}
		for y := range h.Y {
			h.Values = append(h.Values, make([]float64, len(h.X)))
			for x := range h.X {
				h.Values[y][x] = a*float64(x) + b*float64(y)
			}
		}
		lines := h.ContourLines()
		for _, line := range lines {
			for _, p := range line {
				v := a*p.X + b*p.Y
				if !slices.ContainsFunc(h.Levels(), func(level float64) bool { return math.Abs(v-level) < 1e-9 }) {
					t.Fatalf("a contour goes through %v, where the value is %g; levels %v", p, v, h.Levels())
				}
			}
		}
		if low, high := h.Span(); len(lines) == 0 && high > low {
			t.Fatalf("no contours between %g and %g", low, high)
		}
	})
	saddle := &HeatMap{Contours: true, X: []string{"", ""}, Y: []string{"", ""}, Values: [][]float64{{0, 10}, {10, 1}}}
	for _, line := range saddle.ContourLines() {
		if cross := (line[0].X - line[0].Y) * (line[1].X - line[1].Y); cross < -1e-12 {
			return // the middle, 5.25, belongs to the high corners for low levels
		}
	}
	if saddle.Values[0][0] = math.NaN(); saddle.ContourLines() != nil {
		t.Error("contours beside an empty cell")
	}
}

// Logarithmic axes end at the next 1, 2 or 5 times a power of ten beyond the data.
func TestNoDecadesBeyondTheData(t *testing.T) {
	c := &Curves{YLog: true, Curves: []Curve{{X: []float64{1, 2}, Y: []float64{0.023, 61}}}}
	y := c.yAxis()
	low, high := y.Min.(float64), y.Max.(float64)
	if math.Abs(low-0.02) > 1e-12 || math.Abs(high-100) > 1e-9 {
		t.Errorf("from %g to %g", low, high)
	}
}
