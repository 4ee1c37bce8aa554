package sim

import (
	"math"
	"testing"
)

func TestRate(t *testing.T) {
	for _, c := range []struct {
		rate  Rate
		gap   float64 // ps
		bytes int64
		time  Time
	}{
		{1e9, 1000, 7, 7 * Nanosecond},
		{1e12, 1, 3, 3},
		{4e12, 0.25, 3, 1}, // 0.75
		{375e6, 8000. / 3, 240, 640 * Nanosecond},
		{Rate(math.Inf(1)), 0, 1 << 40, 0},
		{1, 1e12, 1, Second},
	} {
		if got := c.rate.Gap(); math.Abs(got-c.gap) > 1e-12*c.gap {
			t.Errorf("%v B/s: gap %v, want %v", c.rate, got, c.gap)
		}
		if got := RateOfGap(c.gap); got != c.rate && math.Abs(float64(got/c.rate-1)) > 1e-15 {
			t.Errorf("gap %v: %v B/s, want %v", c.gap, got, c.rate)
		}
		if got := c.rate.Time(c.bytes); got != c.time {
			t.Errorf("%v B/s: %d bytes take %v, want %v", c.rate, c.bytes, got, c.time)
		}
	}
	if got := RateOf(3000, 2*Microsecond); got != 1.5e9 {
		t.Errorf("3000 bytes in 2us are %v B/s", got)
	}
	if got := Rate(3e12).PerPicosecond(); got != 3 {
		t.Errorf("3 TB/s are %v bytes a ps", got)
	}
	for rate, want := range map[Rate]bool{
		1: true, 1e300: true, 0: false, -1: false, Rate(math.Inf(1)): false, Rate(math.NaN()): false, 5e-324: false, 1e-290: true,
	} {
		if rate.Positive() != want {
			t.Errorf("%v is positive: %v", rate, !want)
		}
	}
}
