package nodes

import (
	"math"

	"overlapsim/sim"
)

// Longest is the longest that a run can be: 53 days. The times of a machine add up to no
// more than that, and the bytes of a message take no more than half of it. So the sum of
// a moment and of all that one message takes is below 2^64. If no Time can hold the sum,
// it is negative, and the run ends.
const Longest = sim.Forever / 2

var tooLong = mistake("workload", "the run takes more than 53 days of simulated time, which is as long as one can be")

// multiple returns n times a time of the machine. If no run can be that long, it returns
// a time that is too long as well.
func multiple(t sim.Time, n int64) sim.Time { return min(t.Times(n), Longest+1) }

// half returns half of a product of times. The product may be too long for a Time.
func half(product sim.Time) sim.Time {
	if product == sim.Forever {
		return Longest + 1
	}
	return product / 2
}

// checkTimes reports times whose sum is too long.
func (m *Machine) checkTimes() error {
	var sum sim.Total
	var longest sim.Time
	var name string
	add := func(called string, t sim.Time) {
		if sum.Add(t); t > longest {
			longest, name = t, called
		}
	}
	for _, p := range m.parameters() {
		for _, t := range p.times {
			add(p.name, *t)
		}
	}
	add("time_slice", m.Slice)
	if m.Noise != nil {
		add("noise.length", m.Noise.Length)
	}
	if m.Runtime != nil {
		add("runtime.progress.every", m.Runtime.Progress.Every)
	}
	if sum.Seconds() > Longest.Seconds() {
		return mistake(name, "the times of machine %s add up to more than 53 days, the longest run; this is the longest of them, "+
			"%v", m.Name, longest)
	}
	return nil
}

// largest returns the size of the largest message that a run can carry, in bytes.
func (m *Machine) largest() int64 {
	perByte := 0.0 // in all ways of a message together
	for _, p := range m.parameters() {
		most := 0.0
		if p.unit == SecondPerByte {
			for _, f := range p.floats {
				most = max(most, *f)
			}
		}
		perByte += most
	}
	if size := float64(Longest/2) / perByte; size < math.MaxInt64 {
		return int64(size)
	}
	return math.MaxInt64
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
