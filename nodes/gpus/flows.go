package gpus

import "math"

// Flow is what a NIC sends to another one in an operation of a group that is in several domains.
type Flow struct {
	From, To Port
	Bytes    int64 // on the wire, flags included
}

// Port is a NIC of a host.
type Port struct{ Host, NIC int }

// crossing is how an operation's bytes go from domain to domain. It gives the bytes of flows between the ports of a
// group in which each domain sends the same amount: all.
type crossing func(p *ports, all float64)

// Flows returns what the NICs of the group send each other in an operation with this cost; none within a domain. Each
// flow has the whole time of the transfer for its bytes.
func (c *Communicator) Flows(cost *Cost) []Flow {
	if cost.crosses == nil || cost.Network == 0 {
		return nil
	}
	p := newPorts(c)
	all := cost.Network
	if cost.Protocol != nil {
		all *= cost.Protocol.wire
	}
	(*cost.crosses)(p, all)
	return p.flows
}

// Passing returns the cost of a message, when each member of a group sends one to the next member.
func (c Cost) Passing() Cost {
	c.crosses = &passing
	return c
}

// ports are the NICs of a group by domain.
type ports struct {
	domains [][]Port // in the order in which the group comes to them
	members []Port   // the port of each member
	domain  []int    // the domain of each member
	flows   []Flow
	of      map[[2]Port]int // the flow between two ports
}

func newPorts(c *Communicator) *ports {
	p := &ports{of: map[[2]Port]int{}}
	node, number, seen := &c.Machine.Node, map[int]int{}, map[Port]bool{}
	for _, g := range c.Members {
		at := Port{g / node.GPUs, node.NICOf(g % node.GPUs)}
		d, known := number[g/node.Domain]
		if !known {
			d = len(p.domains)
			number[g/node.Domain] = d
			p.domains = append(p.domains, nil)
		}
		p.members, p.domain = append(p.members, at), append(p.domain, d)
		if !seen[at] {
			seen[at] = true
			p.domains[d] = append(p.domains[d], at)
		}
	}
	return p
}

// send adds bytes from one port to another one.
func (p *ports) send(from, to Port, bytes float64) {
	pair := [2]Port{from, to}
	i, ok := p.of[pair]
	if !ok {
		i = len(p.flows)
		p.of[pair] = i
		p.flows = append(p.flows, Flow{From: from, To: to})
	}
	// Rounded down, so that a link as fast as the NIC of the formula never makes it longer.
	p.flows[i].Bytes += int64(math.Floor(bytes))
}

// along sends bytes from one domain to another one, evenly on all rails that both have.
func (p *ports) along(from, to int, bytes float64) {
	a, b := p.domains[from], p.domains[to]
	rails := min(len(a), len(b))
	for i := range rails {
		p.send(a[i], b[i], bytes/float64(rails))
	}
}

// The ways from domain to domain.
var (
	// round: each domain to the next one, the last one to the first.
	round crossing = func(p *ports, all float64) {
		for d := range p.domains {
			p.along(d, (d+1)%len(p.domains), all)
		}
	}
	// down: each domain to the next one.
	down crossing = func(p *ports, all float64) {
		for d := range len(p.domains) - 1 {
			p.along(d, d+1, all)
		}
	}
	// trees: up and down two binary trees, each with half of the bytes. An inner node of one is a leaf of the other.
	trees crossing = func(p *ports, all float64) {
		n := len(p.domains)
		half := all / 2
		if n > 2 {
			half = all / 4
		}
		for d := 1; d < n; d++ {
			up := above(d, n)
			for _, edge := range [][2]int{{d, up}, mirrored(d, up, n)} {
				p.along(edge[0], edge[1], half)
				p.along(edge[1], edge[0], half)
			}
		}
	}
	// among: each member to all members of other domains. The next domain is first, and in it the member with the same place, as the
	// members of a domain then send to different ones.
	among crossing = func(p *ports, all float64) {
		n := len(p.domains)
		inside := make([][]int, n) // members by domain
		for i, d := range p.domain {
			inside[d] = append(inside[d], i)
		}
		far := float64(len(inside[0]) * (len(p.members) - len(inside[0]))) // messages of the first domain
		for d, mine := range inside {
			for place, i := range mine {
				for e := 1; e < n; e++ {
					theirs := inside[(d+e)%n]
					for off := range theirs {
						p.send(p.members[i], p.members[theirs[(place+off)%len(theirs)]], all/far)
					}
				}
			}
		}
	}
	// rails: each domain to all others, on the rails.
	rails crossing = func(p *ports, all float64) {
		n := len(p.domains)
		for d := range n {
			for e := 1; e < n; e++ {
				p.along(d, (d+e)%n, all/float64(n-1))
			}
		}
	}
	// message: the first member to the second.
	message crossing = func(p *ports, all float64) { p.send(p.members[0], p.members[1], all) }
	// passing: each member to the next one, the last one to the first.
	passing crossing = func(p *ports, all float64) {
		for i, a := range p.members {
			if j := (i + 1) % len(p.members); p.domain[i] != p.domain[j] {
				p.send(a, p.members[j], all)
			}
		}
	}
)

// above is the parent of node d > 0 of n in the tree in which odd numbers are leaves, as NCCL builds it (src/graph/trees.cc,
// ncclGetBtree): the root 0 has one child.
func above(d, n int) int {
	bit := d & -d
	up := d ^ bit | bit<<1
	if up >= n {
		up = d ^ bit
	}
	return up
}

// mirrored is the edge of the second tree: mirrored for even n, shifted by one for odd n, so that inner nodes are leaves.
func mirrored(d, up, n int) [2]int {
	if n%2 == 0 {
		return [2]int{n - 1 - d, n - 1 - up}
	}
	return [2]int{(d + 1) % n, (up + 1) % n}
}

// always is the way of an algorithm that has one.
func always(way *crossing) func(*Operation) *crossing {
	return func(*Operation) *crossing { return way }
}

// ringCrosses is the way of a ring. What one GPU has for all, or gets from all, does not come back to it.
func ringCrosses(op *Operation) *crossing {
	if op == Broadcast || op == Reduce {
		return &down
	}
	return &round
}

func pairsCrosses(op *Operation) *crossing {
	if op == SendReceive {
		return &message
	}
	return &among
}
