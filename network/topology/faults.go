package topology

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// faults collects the mistakes in the parameters of a topology.
type faults []error

func (f *faults) add(format string, args ...any) { *f = append(*f, fmt.Errorf(format, args...)) }

// atLeast reports a parameter below its smallest value.
func (f *faults) atLeast(name string, value, least int) {
	if value < least {
		f.add("%s: must be at least %d, got %d", name, least, value)
	}
}

// allPositive reports the entries of a list below 1.
func (f *faults) allPositive(name string, values []int) {
	for i, v := range values {
		f.atLeast(fmt.Sprintf("%s[%d]", name, i), v, 1)
	}
}

// shown is how many faults an error lists.
const shown = 20

func (f faults) err() error {
	if n := len(f) - shown; n > 0 {
		return errors.Join(append(slices.Clone(f[:shown]), fmt.Errorf("and %d more", n))...)
	}
	return errors.Join(f...)
}

// product multiplies positive factors. It reports a product that exceeds the range of
// numbers of nodes, routers and links (31 bits).
func (f *faults) product(what string, factors ...int) int {
	p := uint64(1)
	for _, x := range factors {
		hi, lo := bits.Mul64(p, uint64(x))
		if hi != 0 || lo > math.MaxInt32 {
			f.add("%s: more than %d %s", what, math.MaxInt32, what)
			return 0
		}
		p = lo
	}
	return int(p)
}
