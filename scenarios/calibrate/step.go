package calibrate

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"
)

// Step is by how much times rise from one size to the next beyond the lines through the sizes below and above.
type Step struct {
	Before, Above int64
	Seconds       float64 // mean of the rise at both sizes
	part          float64 // the smaller of the two, as a part of the time above
	near          float64 // the one nearer to nothing, as well: a step next to this one moves the lines on one side only
	empty         float64 // rise of the lines at 0 B
	whole         float64 // time above
	rendezvous    bool    // Seconds may be as much as a request and its reply add
}

const (
	// alongLine is the factor of sizes within which times are a straight line, to see whether the next one is on it.
	alongLine = 4
	// standsOut is how many standard deviations a step is above the usual one between two sizes.
	standsOut = 3
	// nearerOf2 is the median of the one nearer to nothing of two normal values, over their standard deviation.
	nearerOf2 = 0.375
	// constant is the least part of a step that does not depend on the size, if a request and its reply are the cause.
	constant = 0.5
)

// steps returns the steps between neighbouring points that have another one on their other side.
func steps(points []Point) (all []Step) {
	s := newSums(points, slices.Repeat([]float64{1}, len(points)))
	for i := 1; i+2 < len(points); i++ {
		a, b := points[i], points[i+1]
		first := sort.Search(i-1, func(j int) bool { return alongLine*points[j].Bytes >= a.Bytes })
		end := sort.Search(len(points), func(j int) bool { return points[j].Bytes > alongLine*b.Bytes })
		low, high := s.free(first, i+1), s.free(i+1, max(end, i+3))
		atA, atB := high.time(a.Bytes)-a.Seconds, b.Seconds-low.time(b.Bytes)
		all = append(all, Step{Before: a.Bytes, Above: b.Bytes, Seconds: (atA + atB) / 2, part: min(atA, atB) / b.Seconds,
			near: min(math.Abs(atA), math.Abs(atB)) / b.Seconds, empty: high.Base - low.Base,
			whole: b.Seconds})
	}
	return all
}

// oneWayStep is the largest step that stands out of the scatter from size to size and does not grow with the size; one that may be as
// long as a request and its reply, if there is any. The zero step: there is none.
func oneWayStep(points []Point, least float64) (largest Step) {
	all := steps(points)
	if len(all) == 0 {
		return largest
	}
	sizes := make([]float64, len(all))
	for i, one := range all {
		sizes[i] = one.near
	}
	slices.Sort(sizes)
	usual := stat.Quantile(0.5, stat.Empirical, sizes, nil) / nearerOf2 // standard deviation
	for _, one := range all {
		one.rendezvous = one.Seconds+usual*one.whole >= least
		larger := one.part > largest.part && one.rendezvous == largest.rendezvous || one.rendezvous && !largest.rendezvous
		if larger && one.part > max(alone, standsOut*usual) && one.empty > constant*one.Seconds {
			largest = one
		}
	}
	return largest
}
