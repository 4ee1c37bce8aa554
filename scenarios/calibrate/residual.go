package calibrate

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"
)

// Report is a fit and its errors.
type Report struct {
	*Fit
	Data    *Data
	HeldOut [numQuantities][]Comparison // each half of the sizes, by a fit to the other half
	Line    [numQuantities][]Comparison // the same by a straight line
	Logs    [numQuantities][]Comparison // the same by a line in logarithms from one size to the next
	Nearest [numQuantities][]Comparison // the same, predicted by the time of the nearest size
	Repeat  [numQuantities][]Comparison // of the measurements themselves: one half of the calls of a size against the other
	Modes   [numQuantities][]Mode
}

// Run fits a machine and measures how good the fit is.
func Run(d *Data, name, runtime string) (*Report, error) {
	f, err := newFit(d, name, runtime)
	if err != nil {
		return nil, err
	}
	r := &Report{Fit: f, Data: d}
	for q, s := range d.Samples {
		r.Repeat[q] = s.repeat()
		r.Modes[q] = s.modes()
	}
	for _, second := range []bool{false, true} {
		if err := r.holdOut(d.Half(second), d.Half(!second).medians(), runtime); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// fewest is the number of sizes that half of the data must have, so that the other half is
// a test.
const fewest = 2 * leastSparse

// holdOut compares a fit to half of the sizes, and three trivial predictions, with the other
// half.
func (r *Report) holdOut(half *Data, others [numQuantities][]Point, runtime string) error {
	points := half.medians()
	if len(points[OneWay]) < fewest && len(points[Stream]) < fewest && len(points[Collective]) < fewest {
		return nil
	}
	fit, err := newFit(half, r.Name, runtime)
	if err != nil {
		return err
	}
	fit.Against = [numQuantities][]Comparison{}
	if err := fit.compare(others); err != nil {
		return err
	}
	for q := range r.HeldOut {
		if len(points[q]) == 0 {
			continue
		}
		r.HeldOut[q] = append(r.HeldOut[q], fit.Against[q]...)
		line := robust(points[q], 1, grain{least: 1, parts: 1})
		for _, p := range others[q] {
			r.Line[q] = append(r.Line[q], Comparison{p.Bytes, p.Seconds, line.At(p.Bytes)})
			r.Logs[q] = append(r.Logs[q], Comparison{p.Bytes, p.Seconds, inLogarithms(points[q], p.Bytes)})
			r.Nearest[q] = append(r.Nearest[q], Comparison{p.Bytes, p.Seconds, nearest(points[q], p.Bytes)})
		}
	}
	return nil
}

// inLogarithms is the time on a straight line in logarithms through the two sizes around this one, or the last two.
func inLogarithms(points []Point, bytes int64) float64 {
	if len(points) == 1 {
		return points[0].Seconds
	}
	i := sort.Search(len(points), func(i int) bool { return points[i].Bytes > bytes })
	i = max(1, min(i, len(points)-1))
	a, b := points[i-1], points[i]
	x, y, at := math.Log(float64(a.Bytes+1)), math.Log(float64(b.Bytes+1)), math.Log(float64(bytes+1))
	return a.Seconds * math.Pow(b.Seconds/a.Seconds, (at-x)/(y-x))
}

// nearest is the time of the size whose ratio to this one is nearest to 1.
func nearest(points []Point, bytes int64) float64 {
	apart := func(p Point) float64 { return math.Abs(math.Log(float64(p.Bytes+1) / float64(bytes+1))) }
	return slices.MinFunc(points, func(a, b Point) int {
		if apart(a) <= apart(b) {
			return -1
		}
		return 1
	}).Seconds
}

// repeat compares the median of every second call of a size with the median of the rest. This is
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

// summarize returns the residuals of comparisons.
func summarize(all []Comparison) Residuals {
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

// EagerOnly returns the comparisons of messages that do not wait for their receive.
func (f *Fit) EagerOnly(all []Comparison) []Comparison { return f.part(all, true) }

// RendezvousOnly returns the times of messages that do.
func (f *Fit) RendezvousOnly(all []Comparison) []Comparison { return f.part(all, false) }

func (f *Fit) part(all []Comparison, eager bool) (some []Comparison) {
	for _, c := range all {
		if (f.Above == 0 || c.Bytes <= f.Eager) == eager {
			some = append(some, c)
		}
	}
	return some
}
