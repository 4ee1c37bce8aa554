package calibrate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Report is a fit and its errors.
type Report struct {
	*Fit
	HeldOut [numQuantities][]Comparison // each half of the sizes, by a fit to the other half
	Repeat  [numQuantities]Residuals    // of the measurements themselves: one half of the calls of a size against the other
}

// Run fits a machine and measures how good the fit is.
func Run(d *Data, name, runtime string) (*Report, error) {
	f, err := New(d, name, runtime)
	if err != nil {
		return nil, err
	}
	r := &Report{Fit: f}
	for q, s := range d.Samples {
		r.Repeat[q] = Summarize(s.repeat())
	}
	for _, second := range []bool{false, true} {
		half, err := New(d.Half(second), name, runtime)
		if err != nil {
			return nil, err
		}
		half.Against = [numQuantities][]Comparison{}
		if err := half.compare(d.Half(!second).medians()); err != nil {
			return nil, err
		}
		for q := range r.HeldOut {
			r.HeldOut[q] = append(r.HeldOut[q], half.Against[q]...)
		}
	}
	return r, nil
}

// repeat compares the median of every other call of a size with that of the rest. This is
// the smallest error that a prediction of medians can have.
func (s Samples) repeat() (all []Comparison) {
	for _, p := range s.Medians() {
		var halves [2][]float64
		for i, t := range s[p.Bytes] {
			halves[i%2] = append(halves[i%2], t)
		}
		if a, b := median(halves[0]), median(halves[1]); a > 0 && b > 0 {
			all = append(all, Comparison{p.Bytes, a, b})
		}
	}
	return all
}

// Residuals are relative errors over sizes, without their signs.
type Residuals struct {
	Sizes  int     `json:"sizes"`
	Median float64 `json:"median"`
	Tenth  float64 `json:"tenth"` // one size in ten exceeds it
	Most   float64 `json:"most"`
	Bias   float64 `json:"bias"` // mean, with the signs
}

// Summarize returns the residuals of comparisons.
func Summarize(all []Comparison) Residuals {
	if len(all) == 0 {
		return Residuals{}
	}
	sizes, signed := make([]float64, len(all)), make([]float64, len(all))
	for i, c := range all {
		signed[i], sizes[i] = c.Error(), math.Abs(c.Error())
	}
	slices.Sort(sizes)
	at := func(p float64) float64 { return stat.Quantile(p, stat.LinInterp, sizes, nil) }
	return Residuals{len(all), at(0.5), at(0.9), at(1), stat.Mean(signed, nil)}
}
