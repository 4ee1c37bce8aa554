package nodes

import (
	"math"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
)

// noise delays ranks, as a machine says. The zero noise delays none.
type noise struct {
	of     *machines.Noise
	delays []disturber // by rank
}

// disturber delays a rank. The noise since its last operation began is paid for before the next
// one begins, except what falls into waits (rule 23).
type disturber struct {
	random *sim.Stream
	next   sim.Time // moment
	owed   sim.Time // by moments before the last wait
	waited sim.Time // the end of the last wait
	ends   sim.Time // when noise that began in that wait ends
}

// noiseStream separates the random numbers of the noise from others with the same seed.
const noiseStream = 1

func newNoise(n *machines.Noise, ranks int, seed uint64) noise {
	if !n.Takes() {
		return noise{}
	}
	all := make([]disturber, ranks)
	for r := range all {
		all[r].random = sim.NewStream(seed, noiseStream, uint64(r))
		all[r].pass(n)
	}
	return noise{n, all}
}

// pass moves on to the next moment of noise.
func (d *disturber) pass(n *machines.Noise) {
	d.next += min(d.random.Exp(sim.Seconds(1/n.Rate)), sim.Forever-d.next)
}

// manyMoments is the number of expected moments of noise from which they are no longer drawn one
// by one.
const manyMoments = 1 << 20

// until returns how long the moments of noise until now take, and draws the next one.
func (d *disturber) until(n *machines.Noise, now sim.Time) (delay sim.Time) {
	if expected := (now - d.next).Seconds() * n.Rate; expected > manyMoments {
		d.next = now
		delay = sim.Time(math.Round(expected+float64(math.Sqrt(expected)*d.random.Norm()))) * n.Length
	}
	for ; d.next <= now; d.pass(n) { // now is far from Forever
		delay += n.Length
	}
	return delay
}

// absorb lets noise pass while a rank waits, from where its time was last booked.
func (c *cluster) absorb(r int32, until sim.Time) {
	if from := c.ranks[r].accounted; c.noise.of != nil && from < until {
		c.noise.delays[r].waits(c.noise.of, from, until)
	}
}

// waits lets noise pass from a time to another one. Waits follow each other if nothing is done between them.
func (d *disturber) waits(n *machines.Noise, from, to sim.Time) {
	if from > d.waited {
		d.owed += d.rest() + d.until(n, from)
	}
	if long := sim.Seconds(manyMoments / n.Rate); to-d.next > long { // what ended long before is forgotten
		d.next = to - long
	}
	for ; d.next <= to; d.pass(n) {
		d.ends = max(d.ends, d.next) + n.Length
	}
	d.waited = to
}

// rest takes what is left of noise when the last wait ends.
func (d *disturber) rest() sim.Time {
	left := max(0, d.ends-d.waited)
	d.ends = 0
	return left
}

// due takes what a rank has to pay now.
func (d *disturber) due(n *machines.Noise, now sim.Time) sim.Time {
	all := d.owed + d.rest() + d.until(n, now)
	d.owed = 0
	return all
}

// disturb delays a rank before an operation. It returns false if there was no noise.
func (c *cluster) disturb(r int32, op *programs.Op, now sim.Time) bool {
	return c.noise.of != nil && c.disturbs(r, op, now)
}

func (c *cluster) disturbs(r int32, op *programs.Op, now sim.Time) bool {
	if op.Kind == programs.OpPhase || op.Kind == programs.OpPattern || op.Kind == programs.OpStart {
		return false
	}
	delay := c.noise.delays[r].due(c.noise.of, now)
	if delay == 0 {
		return false
	}
	c.ranks[r].disturbed = true
	c.beginComputing(r, &programs.Op{Kind: programs.OpCompute, Amount: int64(delay)}, now)
	return true
}
