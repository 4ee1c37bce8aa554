package cores

import (
	"math"
	"math/bits"

	"overlapsim/sim"
)

// memory is shared by neighbouring contexts and the NIC.
type memory struct {
	bandwidth int64 // bytes per second
	asked     int64 // what all its sharers together would move
	stream    int64 // the part of that which the NIC moves
	level     int64 // the most that one of them may move
}

// enough is the level of a memory that is not short.
const enough = math.MaxInt64

// whole converts a rate to whole bytes per second. Memories count in whole numbers, so that
// additions and removals cancel exactly. No NIC moves more than a petabyte per second.
func whole(rate sim.Rate) int64 {
	const most = 1 << 50
	return int64(max(-most, min(rate, most)))
}

// memory returns the number of the memory of a context.
func (c *Contexts) memory(context int) int {
	return context/c.perNode*c.perHome + context%c.perNode/c.sharing
}

// sharers returns the contexts of a memory.
func (c *Contexts) sharers(memory int) (first, last int) {
	node := memory / c.perHome * c.perNode
	first = memory % c.perHome * c.sharing
	return node + first, node + min(first+c.sharing, c.perNode)
}

// share finds the level of a memory by max-min fair sharing. Contexts that ask for less than the
// level get what they ask for; each of the others gets the level.
func (c *Contexts) share(number int) int64 {
	m := &c.memories[number]
	m.level = enough
	if m.asked <= m.bandwidth {
		return enough
	}
	first, last := c.sharers(number)
	for m.level = 0; ; {
		left, sharers := m.bandwidth, int64(0)
		if m.stream > m.level {
			sharers++
		} else {
			left -= m.stream
		}
		for i := first; i < last; i++ {
			if asks := c.contexts[i].asks; asks > m.level {
				sharers++
			} else {
				left -= asks
			}
		}
		next := max(1, left/max(1, sharers))
		if next <= m.level {
			return m.level
		}
		m.level = next
	}
}

// scale returns rate * speed / Full.
func scale(rate int64, speed uint64) int64 {
	hi, lo := bits.Mul64(uint64(rate), speed)
	return int64(hi<<32 | lo>>32)
}

// Ratio returns a / b as a speed, for 0 < a <= b.
func Ratio(a, b int64) uint64 { return quotient(uint64(a)>>32, uint64(a)<<32, uint64(b)) }

// quotient divides 2^64 hi + lo, and rounds up. Therefore no end is a picosecond late because a speed is
// rounded.
func quotient(hi, lo, by uint64) uint64 {
	q, rest := bits.Div64(hi, lo, by)
	if rest > 0 {
		q++
	}
	return q
}
