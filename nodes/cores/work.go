package cores

import (
	"math/bits"

	"overlapsim/sim"
)

// Full is the speed of an activity alone.
const Full = 1 << 32

// Work is an amount of computation: the time that it takes alone, in units of
// 2^-32 ps.
type Work struct{ hi, lo uint64 }

// Alone returns the work that takes time t alone.
func Alone(t sim.Time) Work { return Work{uint64(t) >> 32, uint64(t) << 32} }

// Endless is more work than a run can do.
var Endless = Alone(sim.Forever)

// Time returns how long the work takes alone, rounded up.
func (w Work) Time() sim.Time { return w.End(0, Full) }

// Less returns the work that is left after a time at a speed; it is not negative.
func (w Work) Less(t sim.Time, speed uint64) Work {
	hi, lo := bits.Mul64(uint64(t), speed)
	lo, borrow := bits.Sub64(w.lo, lo, 0)
	hi, borrow = bits.Sub64(w.hi, hi, borrow)
	if borrow != 0 {
		return Work{}
	}
	return Work{hi, lo}
}

// End returns the first picosecond by which the work is done at a speed.
func (w Work) End(from sim.Time, speed uint64) sim.Time {
	if speed == Full { // no division
		hi, lo := w.hi, w.lo+Full-1
		if lo < w.lo {
			hi++
		}
		return later(from, hi<<32|lo>>32, hi>>31 != 0)
	}
	if w.hi >= speed {
		return sim.Forever
	}
	t, rest := bits.Div64(w.hi, w.lo, speed)
	if rest > 0 {
		t++
	}
	return later(from, t, false)
}

// later returns from + t, at most Forever.
func later(from sim.Time, t uint64, over bool) sim.Time {
	if over || t > uint64(sim.Forever-from) {
		return sim.Forever
	}
	return from + sim.Time(t)
}
