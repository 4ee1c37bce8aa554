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
	if c.ranks[peer].meets != r+1 {
		c.ranks[r].meets = peer + 1
		return
	}
	c.ranks[peer].meets = 0
	exit := now + c.machine.Barrier.Threads
	leastMeet(c.machine.Barrier.Threads, &c.ranks[r].least, &c.ranks[peer].least)
	c.causes.meet(r, peer, now, exit)
	c.resume(r, exit)
	c.resume(peer, exit)
}
