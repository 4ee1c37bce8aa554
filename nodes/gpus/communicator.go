package gpus

import (
	"fmt"
	"math"

	"overlapsim/sim"
)

// Communicator is a group of GPUs, and how its operations are carried out.
type Communicator struct {
	Machine *Machine
	Members []int // GPUs of the machine: those of host h are h*GPUs to h*GPUs+GPUs-1

	Algorithm *Algorithm // nil: as NCCL chooses
	Protocol  *Protocol  // nil: as NCCL chooses
	Channels  int        // 0: as NCCL chooses
	Free      Free
}

// Free says what of an operation takes no time.
type Free struct{ Latency, Bytes bool }

// Time returns the time of an operation whose largest buffer has the given bytes. All members
// arrive at once, and nothing else uses the links. The error names what is not possible. It is a
// *ChoiceError if the algorithm or protocol does not fit.
func (c *Communicator) Time(op *Operation, bytes int64) (Cost, error) {
	g, err := c.group()
	if err != nil || g.n == 1 || bytes == 0 {
		return Cost{}, err
	}
	if c.Algorithm != nil {
		if err := g.fits(op, c.Algorithm, c.Protocol); err != nil {
			return Cost{}, err
		}
	}
	a, p := g.choose(c.Algorithm, c.Protocol, op, bytes)
	if a == nil {
		return Cost{}, &ChoiceError{"protocol", fmt.Sprintf("no algorithm of %s here has protocol %s", op, c.Protocol)}
	}
	best := a.cost(g, op, p, bytes)
	cost := best.cost(a, p, g)
	if g.domains > 1 {
		cost.crosses = a.crosses(op)
	}
	return c.Free.of(cost), nil
}

// of returns a cost without what takes no time.
func (f Free) of(c Cost) Cost {
	if f.Latency {
		c.Start, c.Latency = 0, 0
	}
	if f.Bytes {
		c.Bubble, c.Transfer, c.Memory, c.Network = 0, 0, 0, 0
	}
	return c
}

// group returns the communicator, checked and laid out on its machine.
func (c *Communicator) group() (*group, error) {
	s, err := c.shape()
	m := c.Machine
	return &group{s, &m.Fit, m.GPU.Generation, &m.Node, c.Channels}, err
}

func picoseconds(seconds float64) sim.Time {
	if math.IsNaN(seconds) { // 0 divided by 0
		return sim.Forever
	}
	return sim.Seconds(seconds)
}

// cost returns the parts in whole picoseconds.
func (p *parts) cost(a *Algorithm, protocol *Protocol, g *group) Cost {
	ps := picoseconds
	return Cost{Start: ps(p.start), Latency: ps(p.latency), Bubble: ps(p.bubble), Transfer: ps(p.transfer), Algorithm: a, Protocol: protocol,
		Channels: p.channels, Rings: g.ways.count(), Egress: p.egress, Network: p.network, Memory: p.memory,
		Outside: p.outside}
}

// Domains returns the number of domains of the members, and the number of members in the fullest.
func (c *Communicator) Domains() (domains, members int) {
	count := map[int]int{}
	for _, g := range c.Members {
		d := g / c.Machine.Node.Domain
		count[d]++
		members = max(members, count[d])
	}
	return len(count), members
}

// NICs returns how many NICs the members of a domain have, and their bandwidth together. Over
// domains it takes the smallest number. With tensor parallelism 4 in a host of 8 GPUs and 8 NICs,
// a data-parallel group has two NICs of each host.
func (c *Communicator) NICs() (nics int, bandwidth float64) {
	node := &c.Machine.Node
	type place struct{ host, nic int }
	seen := map[place]bool{}
	count, sum := map[int]int{}, map[int]float64{}
	for _, g := range c.Members {
		p := place{g / node.GPUs, node.NICOf(g % node.GPUs)}
		d := g / node.Domain
		count[d] += 0
		if p.nic < 0 || seen[p] {
			continue
		}
		seen[p] = true
		count[d]++
		sum[d] += node.NICs[p.nic].Bandwidth
	}
	nics = -1
	for d, n := range count {
		if nics < 0 || sum[d] < bandwidth {
			nics, bandwidth = n, sum[d]
		}
	}
	return max(nics, 0), bandwidth
}
