package topology

import (
	"math"
	"math/bits"
)

// divisor divides numbers below 2^32, such as numbers of routers, by a fixed one: by multiplication,
// which is faster. It is m = (2^64-e)/b with 1 <= e <= b. For a = q·b+r, (a+1)·m/2^64 is
// q + (r+1)/b - (a+1)·e/(b·2^64), which is at least q and less than q+1.
type divisor uint64

func divideBy(b int) divisor { return divisor(math.MaxUint64 / uint64(b)) }

func (d divisor) of(a int) int {
	quotient, _ := bits.Mul64(uint64(a)+1, uint64(d))
	return int(quotient)
}
