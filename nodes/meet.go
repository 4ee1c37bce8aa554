package nodes

import (
	"overlapsim/sim"
)

// Meet waits until the peer, a thread of the same process, meets this one.
func (p *Process) Meet(peer int) { p.do.Meet(peer); p.until() }

// meet brings a rank to a barrier of two threads.
func (c *cluster) meet(r, peer int32, now sim.Time) {
	c.ranks[r].state = inBarrier
	if peer < 0 || int(peer) >= len(c.ranks) || peer == r || c.place.home[peer] != c.place.home[r] {
		c.fail(mistake("processes_per_node", "rank %d cannot meet rank %d: only ranks of one node are threads of a process", r, peer))
		return
	}
	if c.meeting == nil {
		c.meeting = make([]int32, len(c.ranks))
	}
	if c.meeting[peer] != r+1 {
		c.meeting[r] = peer + 1
		return
	}
	c.meeting[peer] = 0
	exit := now + c.machine.Barrier.Threads
	leastMeet(c.machine.Barrier.Threads, &c.ranks[r].least, &c.ranks[peer].least)
	c.causes.meet(r, peer, now, exit)
	c.resume(r, exit)
	c.resume(peer, exit)
}

// meets returns the rank that a rank waits to meet.
func (c *cluster) meets(r int32) (peer int32, waits bool) {
	if c.meeting == nil || c.meeting[r] == 0 {
		return nobody, false
	}
	return c.meeting[r] - 1, true
}
