package calibrate

import (
	"math"
	"math/bits"
	"slices"
)

// Mode is a range of sizes whose messages take either of two times.
type Mode struct {
	From  int64   `json:"from"`
	To    int64   `json:"to"`
	Sizes int     `json:"sizes"` // of the range that take two times
	Of    int     `json:"of"`    // sizes of the range
	Short float64 `json:"short_s"`
	Long  float64 `json:"long_s"`
	Share float64 `json:"share"` // of the calls that take the long one
}

// Limits from which on the calls of a size count as two groups. Ashman's D of uniform times is 3.5; of
// sets of fifty uniform times one in thirty has 4.5.
const (
	leastCalls = 8    // of a size
	leastShare = 0.2  // of the calls, in the smaller group
	apart      = 1.3  // ratio of the two times
	separate   = 4.5  // Ashman's D: the distance of the groups over their spread
	ofSizes    = 0.25 // of the sizes of a range, and at least two sizes, so that the range counts
)

// modes finds the ranges, an octave each, in which at least a quarter of the sizes take
// either of two times.
func (s Samples) modes() []Mode {
	octaves := map[int][]Point{}
	for _, p := range s.Medians() {
		if len(s[p.Bytes]) >= leastCalls {
			i := bits.Len64(uint64(p.Bytes))
			octaves[i] = append(octaves[i], p)
		}
	}
	var all []Mode
	for i := range 64 {
		if m := s.octave(octaves[i]); m.Sizes > 1 && float64(m.Sizes) >= ofSizes*float64(m.Of) {
			all = append(all, m)
		}
	}
	return all
}

// octave collects the sizes of a range.
func (s Samples) octave(points []Point) (m Mode) {
	if len(points) == 0 {
		return m
	}
	m.From, m.To, m.Of = points[0].Bytes, points[len(points)-1].Bytes, len(points)
	var short, long, shares []float64
	for _, p := range points {
		if low, high, share, ok := two(s[p.Bytes]); ok {
			short, long, shares = append(short, low), append(long, high), append(shares, share)
		}
	}
	m.Sizes, m.Short, m.Long, m.Share = len(short), median(short), median(long), median(shares)
	return m
}

// two splits times into two groups such that the sum of squares of the logarithms within
// them is smallest, and tells whether the groups are apart.
func two(times []float64) (low, high, share float64, ok bool) {
	sorted := slices.Sorted(slices.Values(times))
	n := len(sorted)
	if n < leastCalls || sorted[0] <= 0 {
		return 0, 0, 0, false
	}
	sum, square := make([]float64, n+1), make([]float64, n+1)
	for i, t := range sorted {
		x := math.Log(t)
		sum[i+1], square[i+1] = sum[i]+x, square[i]+x*x
	}
	group := func(begin, end int) (mean, squares float64) {
		k := float64(end - begin)
		mean = (sum[end] - sum[begin]) / k
		return mean, max(0, square[end]-square[begin]-k*mean*mean)
	}
	least, cut := math.Inf(1), 0
	margin := max(1, int(math.Ceil(leastShare*float64(n))))
	for i := margin; i <= n-margin; i++ {
		_, a := group(0, i)
		if _, b := group(i, n); a+b < least {
			least, cut = a+b, i
		}
	}
	a, _ := group(0, cut)
	b, _ := group(cut, n)
	spread := math.Sqrt(least / float64(n))
	ok = b-a > math.Log(apart) && b-a > separate*spread
	return median(sorted[:cut]), median(sorted[cut:]), float64(n-cut) / float64(n), ok
}
