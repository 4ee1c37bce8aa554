package report

import (
	"math"
	"slices"
)

// Point is a place on a heat map, counted in cells from the middle of the first one.
type Point struct{ X, Y float64 }

// mostLevels is the largest number of levels of a scale, without its ends.
const mostLevels = 9

// Levels are the round values on the scale of colours: multiples of a round step, and of a
// logarithmic scale 1, 2 and 5 times powers of ten, or powers of ten where those are too
// many. If there are fewer than two of them, the ends of the scale are levels too.
func (h *HeatMap) Levels() (levels []float64) {
	low, high := h.Span()
	if h.Log {
		levels = decades(low, high)
	} else {
		levels = multiples(low, high, roundStep((high-low)/5))
	}
	if len(levels) < 2 {
		levels = slices.Compact(slices.Sorted(slices.Values(append(levels, low, high))))
	}
	return levels
}

// multiples are the multiples of a step between two ends. There are few, also where rounding makes
// the step too small.
func multiples(low, high, step float64) (levels []float64) {
	first := math.Ceil(low/step-1e-9) + 0 // not -0
	for i := range mostLevels {
		if v := (first + float64(i)) * step; v <= high+1e-9*step {
			levels = append(levels, v)
		}
	}
	return levels
}

// decades are round values between two ends of a logarithmic scale.
func decades(low, high float64) []float64 {
	if !(low > 0) || math.IsInf(high, 1) {
		return nil
	}
	for _, factors := range [][]float64{{1, 2, 5}, {1}} {
		var levels []float64
		for power := math.Floor(math.Log10(low)); power <= math.Ceil(math.Log10(high)); power++ {
			for _, f := range factors {
				if v := f * math.Pow(10, power); v >= low*(1-1e-9) && v <= high*(1+1e-9) {
					levels = append(levels, v)
				}
			}
		}
		if len(levels) <= mostLevels || len(factors) == 1 {
			return levels
		}
	}
	return nil
}

// ContourLines are pieces of the lines along which the values have a level of the scale. The
// value between the middles of cells is taken in proportion, of logarithms on a logarithmic
// scale. Squares of four cells with an empty one have no lines.
func (h *HeatMap) ContourLines() (lines [][2]Point) {
	if !h.Contours {
		return nil
	}
	for _, level := range h.Levels() {
		for y := range len(h.Y) - 1 {
			for x := range len(h.X) - 1 {
				lines = append(lines, h.through(x, y, h.shade(level))...)
			}
		}
	}
	return lines
}

// through returns the pieces of a contour in the square between the middles of four cells.
func (h *HeatMap) through(x, y int, level float64) (lines [][2]Point) {
	corners := [4]Point{{0, 0}, {1, 0}, {1, 1}, {0, 1}}
	var above [4]float64
	for i, c := range corners {
		above[i] = h.shade(h.Values[y+int(c.Y)][x+int(c.X)]) - level
		if math.IsNaN(above[i]) || math.IsInf(above[i], 0) {
			return nil
		}
	}
	var cuts []Point
	for i, from := range corners {
		to, a, b := corners[(i+1)%4], above[i], above[(i+1)%4]
		if (a < 0) != (b < 0) {
			part := a / (a - b)
			cuts = append(cuts, Point{float64(x) + from.X + part*(to.X-from.X), float64(y) + from.Y + part*(to.Y-from.Y)})
		}
	}
	if len(cuts) == 4 && (above[0] < 0) != (above[0]+above[1]+above[2]+above[3] < 0) {
		cuts = append(cuts[3:], cuts[:3]...) // the middle belongs to the other two corners
	}
	for ; len(cuts) > 1; cuts = cuts[2:] {
		lines = append(lines, [2]Point{cuts[0], cuts[1]})
	}
	return lines
}

// under is the largest of 1, 2 and 5 times a power of ten that is not above a positive number.
func under(x float64) float64 {
	step := math.Pow(10, math.Floor(math.Log10(x)+1e-9))
	for _, f := range []float64{5, 2} {
		if f*step <= x*(1+1e-9) {
			return f * step
		}
	}
	return step
}
