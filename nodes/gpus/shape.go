package gpus

import (
	"fmt"
	"slices"
)

// shape is how a group lies on its machine, which is all that the time of an operation depends
// on.
type shape struct {
	n, domains int         // members, and the domains that they are in
	per        int         // members of the fullest domain
	network    float64     // of the NICs of a domain together, bytes per second
	ways       paths       // without a switch
	local      map[int]int // members by their number in a host, without a switch
}

// shape returns how the group lies on its machine, or what is wrong with it.
func (c *Communicator) shape() (s shape, err error) {
	if err = c.check(); err != nil {
		return s, err
	}
	s.n = len(c.Members)
	s.domains, s.per = c.Domains()
	node := &c.Machine.Node
	if s.domains > 1 {
		var nics int
		if nics, s.network = c.NICs(); nics == 0 {
			return s, fmt.Errorf("the group is in %d domains, and the machine has no NICs (gpu.nics)", s.domains)
		}
	}
	if node.Switch == nil && s.per > 1 {
		s.ways, s.local = pathsOf(node.Links, c.inHost(0)), map[int]int{}
		for i, g := range c.Members {
			s.local[g%node.GPUs] = i
		}
	}
	return s, nil
}

// inHost returns the members that share a host with a member, by their numbers there.
func (c *Communicator) inHost(member int) (local []int) {
	host := c.Members[member] / c.Machine.Node.GPUs
	for _, g := range c.Members {
		if g/c.Machine.Node.GPUs == host {
			local = append(local, g%c.Machine.Node.GPUs)
		}
	}
	slices.Sort(local)
	return local
}

func (c *Communicator) check() error {
	if len(c.Members) == 0 {
		return fmt.Errorf("a group needs at least one GPU")
	}
	before := -1
	for _, g := range c.inOrder() {
		if g <= before {
			return fmt.Errorf("GPU %d is in the group twice, or negative", g)
		}
		before = g
	}
	return nil
}

// First returns the group of the first GPUs of each host: perHost of each, gpus in total.
func First(m *Machine, gpus, perHost int) *Communicator {
	c := &Communicator{Machine: m, Members: make([]int, gpus)}
	for i := range c.Members {
		c.Members[i] = i/perHost*m.Node.GPUs + i%perHost
	}
	return c
}
