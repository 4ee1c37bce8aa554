package workloads

import (
	"math"
	"testing"
)

func TestProduct(t *testing.T) {
	for _, c := range []struct {
		counts []int64
		want   int64
	}{
		{nil, 1}, {[]int64{7}, 7}, {[]int64{3, 5, 7}, 105}, {[]int64{0, 5}, 0}, {[]int64{math.MaxInt64, 1}, math.MaxInt64},
		{[]int64{1 << 32, 1 << 31}, math.MaxInt64}, {[]int64{1 << 32, 1 << 32}, math.MaxInt64}, {[]int64{1 << 31, 1 << 31}, 1 << 62},
		{[]int64{math.MaxInt64, math.MaxInt64, math.MaxInt64}, math.MaxInt64},
	} {
		if got := product(c.counts...); got != c.want {
			t.Errorf("product of %v: %d, want %d", c.counts, got, c.want)
		}
	}
}

func TestWholeBytes(t *testing.T) {
	for size, want := range map[float64]int64{0: 0, 1.4: 1, 1.5: 2, 1 << 62: 1 << 62, 1 << 63: math.MaxInt64, 1e300: math.MaxInt64} {
		if got := WholeBytes(size); got != want {
			t.Errorf("%g bytes: %d, want %d", size, got, want)
		}
	}
}
