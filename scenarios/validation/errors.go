package validation

import "math"

// errorKind is a way to say how far a prediction is from a figure.
type errorKind struct {
	name     string
	of       func(predicted, measured float64) float64
	positive bool    // it is only known of figures above 0
	scale    float64 // with which it is shown
	unit     string  // after the number; "": the unit of the figure
}

var errorKinds = map[string]errorKind{"": relative, "relative": relative, "difference": difference}

var relative = errorKind{"relative", func(p, m float64) float64 { return p/m - 1 }, true, 100, " %"}

var difference = errorKind{"difference", func(p, m float64) float64 { return p - m }, false, 1, ""}

// weight returns the weight of a row in least squares.
func (k errorKind) weight(measured float64) float64 {
	if k.positive {
		return 1 / (measured * measured)
	}
	return 1
}

// residual is what a fit makes small.
func (k errorKind) residual(predicted, measured float64) float64 {
	if k.positive {
		return math.Log(predicted / measured)
	}
	return predicted - measured
}
