package sim

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// exact returns what a total should be.
func exact(times []Time) *big.Int {
	sum := new(big.Int)
	for _, t := range times {
		sum.Add(sum, big.NewInt(int64(t)))
	}
	return sum
}

// seconds rounds as Total.Seconds should: to a float64 of picoseconds, then of
// seconds.
func seconds(ps *big.Int) float64 {
	float, _ := new(big.Float).SetInt(ps).Float64()
	return float / 1e12
}

var anyTime = rapid.Custom(func(t *rapid.T) Time {
	return Time(rapid.Int64().Draw(t, "ps") >> rapid.IntRange(0, 63).Draw(t, "shift"))
})

// Sums, differences and multiples are exact, as of integers without a limit.
func TestTotalsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times, others := rapid.SliceOf(anyTime).Draw(t, "times"), rapid.SliceOf(anyTime).Draw(t, "others")
		n := rapid.IntRange(0, math.MaxInt32).Draw(t, "n")
		a, b := TotalOf(times...), TotalOf(others...)
		both := a
		both.Join(b)
		for _, c := range []struct {
			name string
			got  Total
			want *big.Int
		}{
			{"sum", a, exact(times)},
			{"joined", both, exact(append(times, others...))},
			{"difference", a.Minus(b), new(big.Int).Sub(exact(times), exact(others))},
			{"multiple", a.Times(n), new(big.Int).Mul(exact(times), big.NewInt(int64(n)))},
		} {
			if got, want := c.got.Seconds(), seconds(c.want); got != want {
				t.Errorf("%s: %v s, want %v", c.name, got, want)
			}
			if c.got.Zero() != (c.want.Sign() == 0) {
				t.Errorf("%s: Zero is %v of %v ps", c.name, c.got.Zero(), c.want)
			}
		}
	})
}

// The largest number of ranks, each with the longest run.
func TestTotalsOfTheLargestRuns(t *testing.T) {
	for _, c := range []struct {
		each  Time
		ranks int
	}{{Forever, math.MaxInt32}, {math.MinInt64, math.MaxInt32}, {300 * Second, 1 << 15}, {10_000 * Second, 1_000_000}, {1, 3}, {Forever, 0}} {
		sum := TotalOf(c.each).Times(c.ranks)
		if got, want := sum.Seconds(), c.each.Seconds()*float64(c.ranks); math.Abs(got-want) > 1e-15*math.Abs(want) {
			t.Errorf("%d times %v: %v s, want %v", c.ranks, c.each, got, want)
		}
		want := c.each.Seconds()
		if c.ranks == 0 {
			want = 0
		}
		if got := sum.Mean(c.ranks); math.Abs(got-want) > 1e-15*math.Abs(want) {
			t.Errorf("mean of %d times %v: %v s", c.ranks, c.each, got)
		}
	}
}

// Adding one by one gives the same as multiplying.
func TestTotalsOneByOne(t *testing.T) {
	for _, each := range []Time{Forever, math.MinInt64, 1 << 62, -1 << 62, 1<<61 + 12345, 1, -1, 0} {
		var sum Total
		for n := range 1000 {
			if want := TotalOf(each).Times(n); sum != want {
				t.Fatalf("%d times %v: %v, want %v", n, each, sum, want)
			}
			sum.Add(each)
		}
	}
}

// A sum that fits a Time is written as that Time is, so that a mean does not depend on
// how its terms were added.
func TestShortTotalsAreTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := anyTime.Draw(t, "x")
		if got, want := TotalOf(x).Seconds(), x.Seconds(); got != want {
			t.Errorf("%v: %v s, want %v", x, got, want)
		}
	})
}
