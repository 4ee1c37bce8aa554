package report

import (
	"math"
	"strings"

	"overlapsim/scenarios/outcomes"
)

// leastNoise is the smallest noise of a run that shows in the digits of a share.
const leastNoise = 0.0005

// Noisy tells whether a noise shows in digits; nil: it is not known.
func Noisy(noise *float64) bool { return noise != nil && *noise >= leastNoise }

// BelowNoise tells whether a share of a run is below its noise.
func BelowNoise(x float64, noise *float64) bool { return Noisy(noise) && math.Abs(x) < *noise }

// Below stands in the place of what is below the noise of a run.
func Below(noise float64) string { return "below the noise of this run (" + Share(noise) + ")" }

// Told tells whether what a change saves is told apart from chance: it is saved in each order of what happens at the same moment, or, where
// the change ran in one order only, is more than the noise of the run.
func Told(c *outcomes.Change, noise *float64) bool {
	if c.SavesIn != nil {
		return c.SavesIn[0] >= LeastShare
	}
	return c.Saves >= LeastShare && (noise == nil || c.Saves >= *noise)
}

// Saving writes what a change saves, from the least to the most in several orders if they differ much: "15 to 28 %".
func Saving(c *outcomes.Change) string {
	if in := c.SavesIn; in != nil && in[1]-in[0] >= max(LeastShare, in[1]/10) {
		return between(Share(in[0]), Share(in[1]))
	}
	return Share(c.Saves)
}

// between writes two numbers of one unit, which is said once if it is the same.
func between(least, most string) string {
	if least == most {
		return most
	}
	number, unit, _ := strings.Cut(least, " ")
	if strings.HasSuffix(most, " "+unit) {
		least = number
	}
	return least + " to " + most
}

// Between writes a range of times: "2.724 to 2.765 ms".
func Between(r *outcomes.Range) string { return between(Seconds(r[0]), Seconds(r[1])) }

// FromOrder says what a number is in several orders of what happens at the same moment, if it differs much from the one of the run; "": it does
// not.
func FromOrder(own float64, in *outcomes.Range) string {
	if in == nil || max(own-in[0], in[1]-own) < math.Abs(own)/10 {
		return ""
	}
	return "from order to order " + Between(in)
}

// InCell is the text of a cell whose value is below the noise of a run; the noise is printed
// elsewhere.
const InCell = "below noise"

// told writes a share of a run, unless it is below the noise of the run.
func told(x float64, noise *float64) string {
	if BelowNoise(x, noise) {
		return Below(*noise)
	}
	return Share(x)
}
