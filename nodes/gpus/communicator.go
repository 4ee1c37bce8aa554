package gpus

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"overlapsim/sim"
)

// Communicator is a group of GPUs, and how its operations are carried out.
type Communicator struct {
	Machine *Machine
	Members []int // GPUs of the machine: the GPUs of host h are h*GPUs to h*GPUs+GPUs-1

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
		Outside: p.outside, Beyond: cmp.Or(g.fit.unfitted(), p.beyond)}
}

// inOrder returns the members in the order of their numbers, so that members of a domain and of a host are
// neighbours.
func (c *Communicator) inOrder() []int {
	if slices.IsSorted(c.Members) {
		return c.Members
	}
	return slices.Sorted(slices.Values(c.Members))
}

// byDomain gives the members domain by domain.
func (c *Communicator) byDomain(do func(members []int)) {
	for all := c.inOrder(); len(all) > 0; {
		domain, n := all[0]/c.Machine.Node.Domain, 1
		for n < len(all) && all[n]/c.Machine.Node.Domain == domain {
			n++
		}
		do(all[:n])
		all = all[n:]
	}
}

// Domains returns the number of domains of the members, and the number of members in the fullest.
func (c *Communicator) Domains() (domains, members int) {
	c.byDomain(func(in []int) {
		domains++
		members = max(members, len(in))
	})
	return domains, members
}

// NICs returns how many NICs the members of a domain have, and their bandwidth together. Over
// domains it takes the smallest number. With tensor parallelism 4 in a host of 8 GPUs and 8 NICs,
// a data-parallel group has two NICs of each host.
func (c *Communicator) NICs() (nics int, bandwidth float64) {
	node := &c.Machine.Node
	seen := make([]int, len(node.NICs)) // one more than the newest host with a member at this NIC
	nics = -1
	c.byDomain(func(members []int) {
		count, sum := 0, 0.0
		for _, g := range members {
			host := g/node.GPUs + 1
			if nic := node.NICOf(g % node.GPUs); nic >= 0 && seen[nic] != host {
				seen[nic] = host
				count++
				sum += node.NICs[nic].Bandwidth
			}
		}
		if nics < 0 || sum < bandwidth {
			nics, bandwidth = count, sum
		}
	})
	return max(nics, 0), bandwidth
}
