package nodes

import (
	"overlapsim/network"
	"overlapsim/network/calibrated"
	"overlapsim/sim"
)

// On a calibrated fabric each rank has its own NIC with two users: the rank itself, and all other
// ranks together. The part that the others use is the time that sharing adds.
const (
	own = iota
	others
	users
)

// ownNICs gives every rank its own NIC, on the same node.
func (p *placement) ownNICs() {
	p.extra, p.own, p.copied = nil, true, false
	n := len(p.home)
	p.nic, p.user, p.users = make([]int32, n), make([]int32, n), make([]int32, n)
	for r := range n {
		p.nic[r], p.user[r], p.users[r] = int32(r), own, users
	}
}

// calibration holds how much longer than alone the messages of a run take. Its zero value is for a
// fabric that is not calibrated: messages take as long as alone.
type calibration struct {
	*calibrated.Factors
	ranks   int       // of the program
	factors []float64 // by message
}

// on tells whether the fabric is calibrated.
func (k *calibration) on() bool { return k.Factors != nil }

// of returns how many times as long as alone a message takes.
func (k *calibration) of(id int32) float64 {
	if !k.on() {
		return 1
	}
	return k.factors[id]
}

// calibrate notes the factor of a new message.
func (c *cluster) calibrate(id, from, to int32) {
	if c.calibration.on() {
		c.slowDown(id, from, to)
	}
}

func (c *cluster) slowDown(id, from, to int32) {
	k := &c.calibration
	for int(id) >= len(k.factors) {
		k.factors = append(k.factors, 0)
	}
	k.factors[id] = c.factor(from, to)
}

// factor returns how many times as long as alone a message takes.
func (c *cluster) factor(from, to int32) float64 {
	if from == to {
		return 1
	}
	p := c.ranks[from].pattern
	d := int(p.Distance)
	if d < 1 {
		c.symmetry.refuse() // the factor differs from rank to rank
		d = int(max(to-from, from-to))
	}
	if p.Synchronised && p.Processes > 0 {
		return c.calibration.Among(int(p.Processes), d)
	}
	return c.calibration.Factor(min(d, c.calibration.ranks-1), p.Synchronised)
}

// depart books bytes of a message at the NIC of a rank. They occupy an idle NIC for length; messages that pass others
// occupy none. On a calibrated fabric they arrive after C (length + L); the time in excess of C = 1 occupies the
// NIC before them.
func (c *cluster) depart(id, from, to int32, passes bool, now, ready, length sim.Time) passage {
	nic, user := c.nic(from)
	if passes {
		start, sent := nic.Pass(ready, user, to, length)
		return passage{start: start, begun: start, sent: sent}
	}
	if !c.calibration.on() {
		start, sent, through := nic.Send(now, ready, user, to, length)
		return passage{start, start, sent, until(through, length, length)}
	}
	m := c.messages.at(id)
	added := calibrated.Added(c.calibration.factors[id], length+c.latency(m.from, m.to))
	if added <= 0 {
		length = max(0, length+added)
		start, sent, through := nic.Send(now, ready, user, to, length)
		return passage{start, start, sent, until(through, length, length)}
	}
	start, _, _ := nic.Send(now, ready, others, to, added)
	begun, sent, through := nic.Send(now, ready, own, to, length)
	return passage{start, begun, sent, until(through, length, added+length)}
}

// until returns what a NIC had served before it served these further amounts.
func until(s network.Served, own, all sim.Time) network.Served {
	return network.Served{Own: s.Own - own, All: s.All - all}
}
