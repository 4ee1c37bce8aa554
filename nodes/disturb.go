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
// one begins (rule 23).
type disturber struct {
	random *sim.Stream
	next   sim.Time
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

// disturb delays a rank before an operation. It returns false if there was no noise.
func (c *cluster) disturb(r int32, op *programs.Op, now sim.Time) bool {
	return c.noise.of != nil && c.disturbs(r, op, now)
}

func (c *cluster) disturbs(r int32, op *programs.Op, now sim.Time) bool {
	if op.Kind == programs.OpPhase || op.Kind == programs.OpPattern || op.Kind == programs.OpStart {
		return false
	}
	delay := c.noise.delays[r].until(c.noise.of, now)
	if delay == 0 {
		return false
	}
	c.ranks[r].disturbed = true
	c.beginComputing(r, &programs.Op{Kind: programs.OpCompute, Amount: int64(delay)}, now)
	return true
}
