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

// When the calls of a size fall into two groups.
const (
	leastCalls = 8    // of a size
	leastShare = 0.2  // of the calls, in the smaller group
	apart      = 1.3  // ratio of the two times
	separate   = 4.5  // Ashman's D: their distance over the spread of the groups. Uniform times have 3.5, one in thirty of fifty such 4.5
	ofSizes    = 0.25 // of a range, and two at least, for them to count
)

// modes finds the ranges, an octave each, of whose sizes a quarter and more take either of two times.
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

// octave puts the sizes of a range together.
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

// two cuts times into two groups where the squares of the logarithms within them are least, and tells
// whether the groups are apart.
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
