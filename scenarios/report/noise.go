package report

import "math"

// leastNoise is the smallest noise of a run that shows in the digits of a share.
const leastNoise = 0.0005

// Noisy tells whether a noise shows in digits; nil: it is not known.
func Noisy(noise *float64) bool { return noise != nil && *noise >= leastNoise }

// BelowNoise tells whether a share of a run is below its noise.
func BelowNoise(x float64, noise *float64) bool { return Noisy(noise) && math.Abs(x) < *noise }

// Below stands in the place of what is below the noise of a run.
func Below(noise float64) string { return "below the noise of this run (" + Share(noise) + ")" }

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
