package nodes

import (
	"overlapsim/network"
	"overlapsim/network/calibrated"
	"overlapsim/sim"
)

// pattern is the communication that a rank's messages are part of.
type pattern struct {
	distance     int32 // 0: that of the message's ranks
	processes    int32 // whom it synchronises; 0: all ranks
	synchronised bool
}

// On a calibrated fabric each rank has a NIC of its own, which the others use
// as well, all as one: what they take of it is what sharing adds.
const (
	own = iota
	others
	users
)

// ownNICs gives every rank a NIC.
func (p *placement) ownNICs() {
	n := len(p.home)
	p.nic, p.user, p.users = make([]int32, n), make([]int32, n), make([]int32, n)
	for r := range n {
		p.nic[r], p.user[r], p.users[r] = int32(r), own, users
	}
}

// factor is how many times as long a message takes as it would alone.
func (c *cluster) factor(from, to int32) float64 {
	if c.crowd == nil || from == to {
		return 1
	}
	p := c.ranks[from].pattern
	d := int(p.distance)
	if d < 1 {
		d = int(max(to-from, from-to))
	}
	if p.synchronised && p.processes > 0 {
		return c.crowd.Among(int(p.processes), d)
	}
	return c.crowd.Factor(min(d, len(c.ranks)-1), p.synchronised)
}

// depart books bytes of a message, ready then, that occupy an idle NIC so long,
// with the NIC of a rank. On a calibrated fabric they take C (length + L) until
// they are there: what is above C = 1 passes before them.
func (c *cluster) depart(m *message, from int32, now, ready, length sim.Time) (start, sent sim.Time, through network.Served) {
	nic, user := c.nic(from)
	if c.crowd == nil {
		return nic.Send(now, ready, user, length)
	}
	added := calibrated.Added(m.factor, length+c.latency(m.from, m.to))
	if added <= 0 {
		return nic.Send(now, ready, own, max(0, length+added))
	}
	start, _, _ = nic.Send(now, ready, others, added)
	_, sent, through = nic.Send(now, ready, own, length)
	return start, sent, through
}

// begun is when the first byte of a message leaves on a calibrated fabric, after
// what passes before it; elsewhere it is when its NIC begins with it, and what
// sharing the way adds is booked as if it came first.
func (c *cluster) begun(m *message) sim.Time {
	if c.crowd == nil {
		return m.start + m.shared
	}
	return m.sent - c.length(m.bytes)
}
