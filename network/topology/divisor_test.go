package topology

import (
	"math"
	"testing"

	"overlapsim/sim"
)

// Division by multiplication is exact up to the largest numbers, also next to multiples of the divisor.
func TestDivisor(t *testing.T) {
	stream := sim.NewStream(1)
	for range 100_000 {
		b := 1 + stream.Intn(1<<stream.Intn(31))
		q := stream.Intn(math.MaxInt32/b + 1)
		for _, a := range []int{0, max(0, q*b-1), q * b, q*b + b - 1, math.MaxInt32} {
			if got := divideBy(b).of(a); a <= math.MaxInt32 && got != a/b {
				t.Fatalf("%d / %d = %d, got %d", a, b, a/b, got)
			}
		}
	}
}
