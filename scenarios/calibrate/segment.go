package calibrate

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"
)

// Point is a measured time at a size, in seconds.
type Point struct {
	Bytes   int64
	Seconds float64
	whole   float64 // errors are relative to this, if the time is a part of it; 0: to the time
}

// scale is the time that an error is relative to.
func (p Point) scale() float64 {
	if p.whole > 0 {
		return p.whole
	}
	return p.Seconds
}

// Piece is a straight part of a curve, for messages of From bytes and more:
// Base + PerByte * bytes, in seconds; neither is negative.
type Piece struct {
	From    int64   `json:"from"`
	Base    float64 `json:"time_s"`
	PerByte float64 `json:"per_byte_s"`
}

func (p Piece) time(bytes int64) float64 { return p.Base + p.PerByte*float64(bytes) }

// Pieces is a curve, in ascending order of From.
type Pieces []Piece

// At returns the time of a message.
func (p Pieces) At(bytes int64) float64 {
	i := sort.Search(len(p), func(i int) bool { return p[i].From > bytes })
	return p[max(i-1, 0)].time(bytes)
}

// The limits of a segmentation.
const (
	mostPieces  = 8
	leastPoints = 6  // of a piece
	leastSparse = 3  // of a piece, where sizes are far apart, such as powers of two
	dense       = 4  // sizes for each doubling
	few         = 32 // sizes, each of which is held out in turn
	someParts   = 6  // of more
)

// grain is how finely points may be cut: the fewest points of a piece, the number of points for
// each piece, how many parts the points are cut into to hold one of them out, and how many standard
// errors worse fewer pieces may be.
type grain struct {
	least, room, parts int
	doubt              float64
}

func grainOf(points []Point) grain {
	switch n := len(points); {
	case n <= few:
		return grain{leastSparse, leastSparse + 1, n, 0}
	case float64(n) < dense*doublings(points):
		return grain{leastSparse, 2 * leastSparse, someParts, 1}
	}
	return grain{leastPoints, 3 * leastPoints, 2, 1}
}

// doublings is the number of times that the size doubles from the first to the last point.
func doublings(points []Point) float64 {
	return math.Log2(float64(points[len(points)-1].Bytes+1) / float64(points[0].Bytes+1))
}

// segment fits a curve of straight pieces, which need not join, to points in ascending
// order of size: the smallest number of pieces that predicts held-out points as well as
// any other number. If a curve through all points predicts them better than any such pieces, of many points by
// more than one standard error, it is that curve: where caches end, times bend over few sizes. Errors are relative, and points
// far off the curve have little weight. No points have no curve.
func segment(points []Point) Pieces {
	if len(points) == 0 {
		return nil
	}
	g := grainOf(points)
	pieces, least, doubt := choose(points, g)
	best := func(seen []Point) Pieces { return robust(seen, pieces, g) }
	through := []func([]Point) Pieces{joined, bent}
	switch n := len(points); {
	case n <= leastSparse:
		through = nil
	case n > few:
		through, doubt = through[:1], max(doubt, nearer)
	}
	for _, all := range through {
		if e := stat.Mean(heldOut(points, g, all), nil); e < least-doubt {
			best, least = all, e
		}
	}
	return best(points)
}

// ThroughAll returns the number of few sizes that the curve of a quantity goes through; 0: it is of straight pieces, or there are
// many sizes.
func (f *Fit) ThroughAll(q Quantity) int {
	if sizes := len(f.Against[q]); sizes <= few && f.Curves[q].throughAll() {
		return sizes
	}
	return 0
}

// throughAll tells whether a curve goes through all points, at least of a part of the sizes.
func (p Pieces) throughAll() bool { return len(p) > mostPieces }

// after continues a curve beyond its last point, as steep as it was since a size of a quarter: the noise of
// two neighbours would make the largest messages steeper or flatter.
func after(points []Point) Piece {
	last := points[len(points)-1]
	i := sort.Search(len(points)-2, func(i int) bool { return 4*points[i+1].Bytes > last.Bytes })
	perByte := max(0, (last.Seconds-points[i].Seconds)/float64(last.Bytes-points[i].Bytes))
	perByte = min(perByte, max(0, last.Seconds)/float64(last.Bytes))
	return Piece{last.Bytes, max(0, last.Seconds-perByte*float64(last.Bytes)), perByte}
}

// straight is a curve of straight pieces, however few the points are.
func straight(points []Point) Pieces {
	g := grainOf(points)
	pieces, _, _ := choose(points, g)
	return robust(points, pieces, g)
}

// bent is a curve through all points and, between any two, through the point in the middle of a straight
// line in logarithms.
func bent(points []Point) Pieces {
	var all []Point
	for i, p := range points {
		if i > 0 && points[i-1].Seconds > 0 && p.Seconds > 0 {
			if m := middle(points[i-1].Bytes, p.Bytes); m > points[i-1].Bytes {
				all = append(all, Point{m, inLogarithms(points[i-1:i+1], m), 0})
			}
		}
		all = append(all, p)
	}
	return joined(all)
}

// middle is the size in the middle of two, in logarithms.
func middle(a, b int64) int64 { return int64(math.Sqrt(float64(a+1)*float64(b+1))) - 1 }

// joined is a curve through all points, straight from one to the next. Where that would fall it stays,
// and where it would be negative at 0 B it grows with the size and jumps to the next point.
func joined(points []Point) Pieces {
	curve := make(Pieces, max(1, len(points)-1))
	for i := range curve {
		p, next := points[i], points[min(i+1, len(points)-1)]
		perByte := 0.0
		if next.Bytes > p.Bytes {
			perByte = max(0, (next.Seconds-p.Seconds)/float64(next.Bytes-p.Bytes))
		}
		if p.Bytes > 0 {
			perByte = min(perByte, max(0, p.Seconds)/float64(p.Bytes))
		}
		curve[i] = Piece{p.Bytes, max(0, p.Seconds-perByte*float64(p.Bytes)), perByte}
	}
	if len(points) > 1 {
		curve = append(curve, after(points))
	}
	curve[0].From = 0
	return slices.CompactFunc(curve, func(a, b Piece) bool {
		return math.Abs(a.time(b.From)-b.time(b.From)) <= rounding*b.time(b.From) && math.Abs(a.PerByte-b.PerByte) <= rounding*b.PerByte
	})
}

// choose returns the number of pieces and their mean error at points held out: every other point is held out from a fit to the
// rest, and vice versa; of fewer points one in six, or each one in turn. It is the smallest number whose mean
// error there is within one standard error, the doubt, of the smallest error.
func choose(points []Point, g grain) (pieces int, least, doubt float64) {
	most := max(1, min(mostPieces, len(points)/g.room))
	errors, spread := make([]float64, most+1), make([]float64, most+1)
	best := 1
	for k := 1; k <= most; k++ {
		errors[k], spread[k] = stat.MeanStdDev(heldOut(points, g, func(seen []Point) Pieces { return robust(seen, k, g) }), nil)
		if errors[k] < errors[best] {
			best = k
		}
	}
	doubt = g.doubt*spread[best]/math.Sqrt(float64(len(points))) + rounding
	for k := 1; k < best; k++ {
		if errors[k] <= errors[best]+doubt {
			return k, errors[k], doubt
		}
	}
	return best, errors[best], doubt
}

// rounding is a relative error that counts as zero.
const rounding = 1e-9

// heldOut returns the relative errors at points that a fit has not seen.
// Errors are cut off at outlier.
func heldOut(points []Point, g grain, fit func(seen []Point) Pieces) []float64 {
	var errors []float64
	for part := range g.parts {
		var seen, unseen []Point
		for i, p := range points {
			if i%g.parts == part {
				unseen = append(unseen, p)
			} else {
				seen = append(seen, p)
			}
		}
		if len(seen) == 0 {
			continue
		}
		curve := fit(seen)
		for _, p := range unseen {
			errors = append(errors, min(relative(curve, p), outlier))
		}
	}
	return errors
}

// outlier is the relative error beyond which a larger error does not count more.
const outlier = 0.5

func relative(curve Pieces, p Point) float64 {
	return math.Abs(curve.At(p.Bytes)-p.Seconds) / p.scale()
}

// rounds of reweighting; the weights change little after a few.
const rounds = 4

// robust fits k pieces by least squares of relative errors, again and again
// with less weight for points whose error is large (Huber's weights).
func robust(points []Point, k int, g grain) Pieces {
	weights := slices.Repeat([]float64{1}, len(points))
	var curve Pieces
	for range rounds {
		curve = segments(points, weights, k, g.least)
		errors := make([]float64, len(points))
		for i, p := range points {
			errors[i] = relative(curve, p)
		}
		sorted := slices.Sorted(slices.Values(errors))
		usual := 1.4826*stat.Quantile(0.5, stat.Empirical, sorted, nil) + 1e-6 // standard deviation, if normal
		for i, e := range errors {
			weights[i] = min(1, 1.345*usual/e)
		}
	}
	return curve
}

// segments finds the k pieces with the smallest sum of squared relative errors, by
// dynamic programming over the ends of pieces. O(k n^2).
func segments(points []Point, weights []float64, k, least int) Pieces {
	s := newSums(points, weights)
	n := len(points)
	best, from := make([][]float64, k+1), make([][]int, k+1)
	for i := range best {
		best[i], from[i] = slices.Repeat([]float64{math.Inf(1)}, n+1), make([]int, n+1)
	}
	best[0][0] = 0
	least = min(least, n)
	for end := least; end <= n; end++ {
		for begin := 0; begin+least <= end; begin++ {
			_, cost := s.line(begin, end)
			for pieces := 1; pieces <= k; pieces++ {
				if sum := best[pieces-1][begin] + cost; sum < best[pieces][end] {
					best[pieces][end], from[pieces][end] = sum, begin
				}
			}
		}
	}
	for k > 1 && math.IsInf(best[k][n], 1) {
		k-- // too few points
	}
	curve := make(Pieces, k)
	for end := n; k > 0; k-- {
		begin := from[k][end]
		curve[k-1], _ = s.line(begin, end)
		curve[k-1].From = points[begin].Bytes
		end = begin
	}
	curve[0].From = 0
	return curve
}

// sums are the running sums of a weighted regression.
type sums [][6]float64

func newSums(points []Point, weights []float64) sums {
	s := make(sums, len(points)+1)
	for i, p := range points {
		x, y := float64(p.Bytes), p.Seconds
		w := weights[i] / (p.scale() * p.scale())
		s[i+1] = [6]float64{w, w * x, w * y, w * x * x, w * x * y, w * y * y}
		for j := range s[i+1] {
			s[i+1][j] += s[i][j]
		}
	}
	return s
}

// line fits the points from begin to end and returns the sum of squared errors. If the
// best line would fall, or be negative at 0, it takes the best one that does neither.
func (s sums) line(begin, end int) (Piece, float64) {
	w, x, y, xx, xy, yy := s.between(begin, end)
	b := max(0, s.free(begin, end).PerByte)
	a := (y - b*x) / w
	if a < 0 {
		a, b = 0, max(0, xy/xx)
	}
	return Piece{Base: a, PerByte: b}, yy - 2*a*y - 2*b*xy + a*a*w + 2*a*b*x + b*b*xx
}

// free fits any line to the points from begin to end.
func (s sums) free(begin, end int) (p Piece) {
	w, x, y, xx, xy, _ := s.between(begin, end)
	if det := w*xx - x*x; det > 1e-9*w*xx {
		p.PerByte = (w*xy - x*y) / det
	}
	p.Base = (y - p.PerByte*x) / w
	return p
}

// between returns the sums of the points from begin to end.
func (s sums) between(begin, end int) (w, x, y, xx, xy, yy float64) {
	a, b := &s[begin], &s[end]
	return b[0] - a[0], b[1] - a[1], b[2] - a[2], b[3] - a[3], b[4] - a[4], b[5] - a[5]
}
