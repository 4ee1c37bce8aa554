package optimize

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// try searches a function of the numbers 1 to n.
func try(n int, f func(x float64) float64) (s *search, best int) {
	numbers := make([]float64, n)
	for i := range numbers {
		numbers[i] = float64(i + 1)
	}
	s = newSearch(places(numbers), func(all []int) (values []float64) {
		for _, i := range all {
			values = append(values, f(numbers[i]))
		}
		return values
	})
	return s, s.find()
}

// least is the slow, obvious version.
func least(n int, f func(x float64) float64) float64 {
	best := math.Inf(1)
	for i := range n {
		best = min(best, f(float64(i+1)))
	}
	return best
}

// The minimum of a function that falls and then rises is found with few runs, wherever it
// is, up to the tolerance.
func TestUnimodal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4096).Draw(t, "n")
		at := rapid.Float64Range(0, float64(n)+1).Draw(t, "at")
		left := rapid.Float64Range(0.3, 3).Draw(t, "left")
		right := rapid.Float64Range(0.3, 3).Draw(t, "right")
		f := func(x float64) float64 {
			if x < at {
				return math.Pow(at-x, left)
			}
			return math.Pow(x-at, right)
		}
		s, best := try(n, f)
		if got, want := s.got[best], least(n, f); got > 1.001*want {
			t.Fatalf("found %g at %d, the least is %g", got, best+1, want)
		}
		if len(s.got) > 48 {
			t.Fatalf("%d runs of %d", len(s.got), n)
		}
	})
}

// The cost of each message against the bytes that wait for the first message: a/x + bx,
// the typical shape for granularity.
func TestHyperbola(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Float64Range(1e-3, 1e3).Draw(t, "a")
		f := func(x float64) float64 { return a/x + x/a }
		s, best := try(1024, f)
		if got, want := s.got[best], least(1024, f); got > 1.001*want {
			t.Fatalf("found %g, the least is %g", got, want)
		}
		if len(s.got) > 32 {
			t.Fatalf("%d runs", len(s.got))
		}
	})
}

// A second, deeper valley is found if it is as wide as a gap of the grid. A value that
// fails does not stop the search, wherever it is.
func TestTwoValleys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.Float64Range(1.5, 3).Draw(t, "first")
		second := rapid.Float64Range(4.5, 6.5).Draw(t, "second")
		hole := rapid.IntRange(1, 1024).Draw(t, "hole")
		f := func(x float64) float64 {
			if int(x) == hole {
				return math.Inf(1)
			}
			u := math.Log(x)
			return min(1+math.Abs(u-first), 0.5+2*math.Abs(u-second))
		}
		s, best := try(1024, f)
		if got, want := s.got[best], least(1024, f); got > 1.001*want {
			t.Fatalf("found %g, the least is %g", got, want)
		}
	})
}

// A dip in the middle of a gap of the grid, flat on both sides, shows in no slope.
func TestDipInTheMiddle(t *testing.T) {
	for gap := range gridRuns - 1 {
		at := float64(1 + 20*gap + 10)
		f := func(x float64) float64 { return 100 - max(0, 8-math.Abs(x-at)) }
		axis := make([]float64, 1+20*(gridRuns-1)) // even, not by logarithms
		for i := range axis {
			axis[i] = float64(i + 1)
		}
		s := newSearch(axis, func(all []int) (values []float64) {
			for _, i := range all {
				values = append(values, f(axis[i]))
			}
			return values
		})
		if got, want := s.got[s.find()], f(at); got > 1.001*want {
			t.Errorf("the dip at %g: found %g, the least is %g", at, got, want)
		}
	}
}

func TestNothingCanBeHad(t *testing.T) {
	s, best := try(100, func(float64) float64 { return math.Inf(1) })
	if best != -1 || len(s.got) > 20 {
		t.Errorf("best %d after %d runs", best, len(s.got))
	}
}

// A path that changes nothing takes few runs, and its first value is the best.
func TestFlat(t *testing.T) {
	s, best := try(1000, func(float64) float64 { return 7 })
	if best != 0 || len(s.got) > 40 {
		t.Errorf("best %d after %d runs", best, len(s.got))
	}
}

func TestSides(t *testing.T) {
	s, _ := try(11, func(x float64) float64 { return 100 + math.Abs(x-4)*0.4 })
	if below, best, above := s.sides(); best != 3 || below != 0 || above != 6 {
		t.Errorf("best %d between %d and %d", best, below, above)
	}
	s, _ = try(11, func(x float64) float64 { return x })
	if below, best, above := s.sides(); best != 0 || below != -1 || above != 1 {
		t.Errorf("best %d between %d and %d", best, below, above)
	}
}
