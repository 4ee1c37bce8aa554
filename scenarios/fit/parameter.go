package fit

import (
	"fmt"
	"math"
	"strconv"

	"overlapsim/scenarios/keys"
)

// Parameter is a positive number to be found inside bounds.
type Parameter struct {
	Low, High float64
	Unit      string // of the bounds and of all values
	Whole     bool   // only whole numbers of the unit make sense
}

// Rows are the keys of a parameter in a file. Its bounds are checked by [Parameter.Within].
func (p *Parameter) Rows(bounds *[]float64) []keys.Row {
	return []keys.Row{
		{Path: "unit", To: &p.Unit, Doc: "of its bounds"},
		{Path: "bounds", To: bounds, Is: keys.Number, Range: keys.NotNegative, Needs: keys.Required, Doc: "the smallest and the largest value"},
	}
}

// Within gives the parameter its bounds, or reports a mistake; false: it did.
func (p *Parameter) Within(bounds []float64, t keys.Tree) bool {
	if len(bounds) != 2 || !(0 < bounds[0] && bounds[0] < bounds[1]) {
		t.ComplainOf("bounds", "must be two positive numbers, the smaller first")
		return false
	}
	p.Low, p.High = bounds[0], bounds[1]
	return true
}

// At returns the value at a position: its logarithm moves between the bounds along a logistic curve, so that any
// position is allowed.
func (p *Parameter) At(x float64) float64 { return p.Low * math.Pow(p.High/p.Low, 1/(1+math.Exp(-x))) }

// Position returns where a part of the way between the logarithms of the bounds lies, 0 to 1.
func Position(part float64) float64 { return math.Log(part / (1 - part)) }

// PositionOf returns where a value lies.
func (p *Parameter) PositionOf(value float64) float64 {
	return Position(math.Log(value/p.Low) / math.Log(p.High/p.Low))
}

// Slope is the derivative of the logarithm of a parameter by its position.
func (p *Parameter) Slope(x float64) float64 {
	u := 1 / (1 + math.Exp(-x))
	return math.Log(p.High/p.Low) * u * (1 - u)
}

// Text writes a value with its unit, in some digits. A search needs six, for its differences.
func (p *Parameter) Text(x float64, digits int) string {
	if p.Whole {
		x = math.Round(x)
	}
	return strconv.FormatFloat(Significant(x, digits), 'f', -1, 64) + p.Unit
}

// Significant rounds to some significant digits.
func Significant(x float64, digits int) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits-1, 64), 64)
	if err != nil {
		panic(fmt.Sprintf("fit: %g cannot be rounded: %v", x, err))
	}
	return rounded
}
