package nodes

import (
	"math"

	"overlapsim/nodes/machines"
	"overlapsim/sim"
)

var tooLong = mistake("workload", "the run takes more than 53 days of simulated time, which is as long as one can be")

// multiple returns n times a time of the machine. If no run can be that long, the result is too
// long as well.
func multiple(t sim.Time, n int64) sim.Time { return min(t.Times(n), machines.Longest+1) }

// half returns half of a product of times. The product may be too long for a Time.
func half(product sim.Time) sim.Time {
	if product == sim.Forever {
		return machines.Longest + 1
	}
	return product / 2
}

// count adds a message to the sums of the run. It refuses a message that is too large, or
// that makes a sum too large.
func (c *cluster) count(r int32, bytes int64) {
	switch {
	case bytes > c.largest:
		c.fail(mistake("workload", "rank %d sends %d bytes, which may take longer than a run can, 53 days; a message has at most "+
			"%d bytes on machine %s",
			r, bytes, c.largest, c.machine.Name))
	case bytes > math.MaxInt64-c.bytes:
		c.fail(mistake("workload", "the messages have more than %d bytes together", int64(math.MaxInt64)))
	default:
		c.sent++
		c.bytes += bytes
	}
}
