package calibrate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// noisy returns points of a curve with errors of a few percent and outliers.
func noisy(r *rand.Rand, curve Pieces, points int, noise, outliers float64) []Point {
	all := make([]Point, points)
	for i := range all {
		bytes := int64(math.Exp2(20*float64(i)/float64(points))) + int64(i)
		t := curve.At(bytes) * math.Exp(noise*r.NormFloat64())
		if r.Float64() < outliers {
			t *= 2 + 8*r.Float64()
		}
		all[i] = Point{Bytes: bytes, Seconds: t}
	}
	return all
}

// A curve with unknown breakpoints is recovered from noisy points with outliers: the
// number of pieces, if they differ by more than the noise; each break, up to neighbouring
// points; and the curve itself, to a fraction of the noise.
func TestSegmentNoisy(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		truth := Pieces{{0, 1e-6 * (1 + r.Float64()), 1e-10}}
		for from := int64(100 + r.IntN(900)); from < 1<<18 && len(truth) < 4; from *= int64(8 + r.IntN(40)) {
			last := truth[len(truth)-1].time(from)
			truth = append(truth, Piece{from, last * (1.3 + r.Float64()), last * r.Float64() / float64(from)})
		}
		points := noisy(r, truth, 240, 0.03, 0.05)
		got := segment(points)
		if len(got) != len(truth) {
			t.Errorf("seed %d: %d pieces, want %d: %v, %v", seed, len(got), len(truth), got, truth)
			continue
		}
		for i := 1; i < len(got); i++ {
			if ratio := float64(got[i].From) / float64(truth[i].From); ratio < 0.9 || ratio > 1.15 {
				t.Errorf("seed %d: break at %d, want %d", seed, got[i].From, truth[i].From)
			}
		}
		for _, p := range points {
			between := false // a break and where it was found
			for i := range got {
				low, high := min(got[i].From, truth[i].From), max(got[i].From, truth[i].From)
				between = between || low <= p.Bytes && p.Bytes < high
			}
			if e := math.Abs(got.At(p.Bytes)/truth.At(p.Bytes) - 1); e > 0.06 && !between {
				t.Errorf("seed %d: off by %.2g at %d", seed, e, p.Bytes)
			}
		}
	}
}

// A curve through all sizes follows a short ramp between two long lines, as where a cache ends.
func TestSegmentRamp(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		var points []Point
		for b := 2000.0; b < 4<<20; b *= 1.12 {
			perByte := 0.065 + 0.07*min(1, max(0, math.Log2(b/(350<<10))/2))
			points = append(points, Point{int64(b), 1e-9 * b * perByte * (1 + 0.01*r.NormFloat64()), 0})
		}
		curve := segment(points)
		for _, p := range points {
			if e := relative(curve, p); e > 0.05 {
				t.Errorf("seed %d: off by %.2g at %d", seed, e, p.Bytes)
			}
		}
	}
}

// The pieces are those of a slow version, which tries every place of the breaks and finds
// every line by the normal equations.
func TestSegmentsAgainstAllPlaces(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 2))
		points := noisy(r, Pieces{{0, 2e-6, 1e-9}, {300, 5e-6, 2e-9}, {9000, 1e-6, 5e-9}}, 26, 0.2, 0.1)
		weights := make([]float64, len(points))
		for i := range weights {
			weights[i] = r.Float64() + 0.1
		}
		want := math.Inf(1)
		for a := leastPoints; a <= len(points)-2*leastPoints; a++ {
			for b := a + leastPoints; b <= len(points)-leastPoints; b++ {
				want = min(want, slowLine(points[:a], weights[:a])+slowLine(points[a:b], weights[a:b])+slowLine(points[b:], weights[b:]))
			}
		}
		got, curve := 0.0, segments(points, weights, 3, leastPoints)
		for i, p := range points {
			e := curve.At(p.Bytes)/p.Seconds - 1
			got += weights[i] * e * e
		}
		if math.Abs(got-want) > 1e-9*want {
			t.Errorf("seed %d: sum of squares %g, want %g", seed, got, want)
		}
	}
}

// slowLine is the smallest sum of squared relative errors of a line that neither falls
// nor begins below 0: the best of the unconstrained line and those on the boundary.
func slowLine(points []Point, weights []float64) float64 {
	sum := func(a, b float64) (s float64) {
		for i, p := range points {
			e := (a+b*float64(p.Bytes))/p.Seconds - 1
			s += weights[i] * e * e
		}
		return s
	}
	var w, x, y, xx, xy float64
	for i, p := range points {
		v, b := weights[i]/p.Seconds/p.Seconds, float64(p.Bytes)
		w, x, y, xx, xy = w+v, x+v*b, y+v*p.Seconds, xx+v*b*b, xy+v*b*p.Seconds
	}
	b := (w*xy - x*y) / (w*xx - x*x)
	a := (y - b*x) / w
	if a >= 0 && b >= 0 {
		return sum(a, b)
	}
	return min(sum(y/w, 0), sum(0, xy/xx))
}

// A straight line is one piece, regardless of the noise.
func TestSegmentStraight(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		if got := segment(noisy(r, Pieces{{0, 3e-6, 1e-9}}, 200, 0.05, 0.05)); len(got) != 1 {
			t.Errorf("seed %d: %v", seed, got)
		}
	}
}

// Too few points are one piece.
func TestSegmentFew(t *testing.T) {
	for n := 1; n < few; n++ {
		points := noisy(rand.New(rand.NewPCG(1, 4)), Pieces{{0, 3e-6, 1e-9}}, n, 0, 0)
		if got := segment(points); len(got) != 1 || math.Abs(got.At(points[0].Bytes)/points[0].Seconds-1) > 1e-9 {
			t.Errorf("%d points: %v", n, got)
		}
	}
}
