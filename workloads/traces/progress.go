package traces

import (
	"slices"

	"overlapsim/nodes/programs"
	"overlapsim/workloads/collectives"
)

// blocking is a blocking collective under way.
type blocking struct {
	by     *collectives.Algorithm
	group  collectives.Group
	round  int
	closed bool // it could not be non-blocking: it makes a communicator
}

// goOn does a round of the blocking collective.
func (x *player) goOn(do *programs.Ops) {
	b := x.blocking
	switch {
	case b.round == b.by.Rounds(&b.group):
		x.blocking = nil
		return
	case b.closed:
		b.by.Do(&b.group, b.round, struct{ collectives.Caller }{do}) // which is not noted as one that could be non-blocking
	default:
		b.by.Do(&b.group, b.round, do)
	}
	b.round++
}

// wait waits for the first of what is pending.
func (x *player) wait(do *programs.Ops) {
	number := x.pending[0]
	x.pending = x.pending[1:]
	do.Wait(int(number))
	if number >= owned {
		x.free = append(append(x.free, number), x.inner[number]...)
		delete(x.inner, number)
	}
	if at := slices.Index(x.places, number); at >= 0 {
		x.places[at] = noNumber
	}
}
