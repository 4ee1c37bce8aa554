package nodes

import (
	"overlapsim/nodes/parts"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// place returns where a rank is in its program.
func (t *causes) place(r int32) cause {
	if t == nil {
		return cause{}
	}
	return t.at[r]
}

// numbers begins the causes of a message that a job has posted.
func (t *causes) numbers(c *cluster, id int32) {
	if t != nil {
		c.number(id)
	}
}

// inserts says when a message that a job hands over now is ready for the NIC. Readiness is the cause of how it leaves.
func (t *causes) inserts(c *cluster, r, id int32, ready sim.Time, leaves func()) {
	if t == nil {
		leaves()
		return
	}
	n := c.place.nic[r]
	nic, paid := &t.nics[n], t.now
	if ready > paid.At {
		t.now = t.add(nic.inserted, ready, parts.Gap, 1, where{results.NICInsert, n, t.message(id).number})
	}
	nic.inserted = t.now
	nic.insertions.Push(t.now)
	leaves()
	t.now = paid
}

// receivesInRound says that a job posts a receive now.
func (t *causes) receivesInRound(r, request int32) {
	if t != nil {
		t.receives(r, request, t.now)
	}
}

// comesTo says that a schedule has posted all of a round now.
func (t *causes) comesTo(id int32) {
	if t == nil {
		return
	}
	for int(id) >= len(t.schedules) {
		t.schedules = append(t.schedules, cause{})
	}
	t.schedules[id] = t.now
}

// alsoComesTo says that a job ends now without which a round is not over.
func (t *causes) alsoComesTo(id int32, now sim.Time) {
	if t != nil {
		t.schedules[id] = t.Latest(t.schedules[id], t.now, now)
	}
}

// receivesForRound says that a receive of a round has ended now.
func (t *causes) receivesForRound(c *cluster, id, message int32, now sim.Time) {
	if t != nil {
		t.now = t.Is(t.Latest(t.schedules[id], t.overFor(c, c.schedules.at(id).rank, message, now), now), now)
	}
}

// endsRound says that a round of a schedule is over now: with the last of what it waits for.
func (t *causes) endsRound(c *cluster, id int32, now sim.Time) {
	if t == nil {
		return
	}
	s, by := c.schedules.at(id), t.schedules[id]
	for _, op := range s.ops[s.next:s.stop] {
		if m := c.ranks[s.rank].held(op.Request); m != nobody {
			by = t.Latest(by, t.overFor(c, s.rank, m, now), now)
		}
	}
	t.now = t.Is(by, now)
	t.schedules[id] = t.now
}
