package nodes

import (
	"math"

	"overlapsim/sim"
)

// Longest is how long a run can be: 53 days. The times of a machine add up to no
// more than that, and the bytes of a message take no more than half of it. So the
// sum of a moment and of all that one message takes is below 2^64: if it is no
// Time, it is a negative one, which ends the run.
const Longest = sim.Forever / 2

var tooLong = mistake("workload", "the run takes more than 53 days of simulated time, which is as long as one can be")

// multiple is n times a time of the machine; if no run can be that long, a time that
// is too long as well.
func multiple(t sim.Time, n int64) sim.Time { return min(t.Times(n), Longest+1) }

// half is half of a product of times, which may be too long to be one.
func half(product sim.Time) sim.Time {
	if product == sim.Forever {
		return Longest + 1
	}
	return product / 2
}

// checkTimes reports times that are too long together.
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

// largest is the size of the largest message that a run can carry.
func (m *Machine) largest() int64 {
	perByte := 0.0 // in all of its ways together
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

// count books a message in the sums of the run, and refuses it if it, or all of
// them, are too large.
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
