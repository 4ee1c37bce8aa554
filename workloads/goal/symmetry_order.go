package goal

import (
	"errors"

	"overlapsim/sim"
)

// order follows the order in which the host that stands for all serves what it has to do at one
// time, and ends the run if nothing shows that the order is the same on all hosts.
//
// What a step of a host does depends on the state of this host alone. So all hosts stay in the same
// state, each seen from its own place, as long as each takes the same steps in the same order. A
// step is an event, or the turn of a lane, of one element at one time. Steps of one time go by the
// numbers of their elements, and elements are numbered as they are made.
//
//   - Elements without requirements come first. They are of round 0. The other elements are of the
//     round of the step that made them. Two steps are of the same round if they have the same time
//     and elements of the same round. Steps of one time go by the rounds of their elements: that is
//     how the elements are numbered, by the same argument for the steps that made them. So the order
//     of rounds depends on times alone. It is the same on all hosts.
//
//   - Steps of one host in one round whose elements were made by one host, seen from there, go in
//     the order in which that host made them. It is the same on all hosts, by the same argument.
//
//   - If different hosts made them, their order depends on the numbers of the hosts. Then the run is
//     refused. So all steps of a host in one round have elements of one maker. Messages through
//     different channels count as from different hosts.
//
//   - The order within a lane never depends on the numbers of hosts. Calcs, sends and the overhead
//     of rule 7 are made by the host itself. Clearances of one round arrive at one time, and so do
//     eager messages of one round, and data of one round: such a run has been refused already. An
//     eager message and the data of another one are made by a step whose element is of the host
//     itself and by one whose element is a clearance, of another host. All hosts take both steps;
//     in one round they would have been refused.
//
// A message that a host sends to itself counts as that of another host too. Only the account of what is
// hidden changes at another host too, at the sender of a message that lands. What it holds does not
// depend on the order of changes at one time.
type order struct {
	*alike
	made []origin // of each element, by its number

	at    sim.Time // of the current step
	of    origin   // of its element
	round uint32   // of it
}

// origin tells in which round an element was made, and by whom: by the host itself, or by the peer of
// its slot by-1.
type origin struct{ round, by uint32 }

const itself = 0

// newOrder returns the order before the first step. All operations without requirements are elements
// of the host itself, and they are served in round 1.
func newOrder(a *alike) *order {
	roots := 0
	for _, waits := range a.one.openCounts() {
		if waits == 0 {
			roots++
		}
	}
	return &order{alike: a, made: make([]origin, roots), round: 1}
}

var errNotAlike = errors.New("nothing shows that all hosts do the same")

// makes notes the element of an event. It returns the rank of the event: 0, or for a message the
// slot that it comes from.
func (o *order) makes(kind, op uint32) (rank uint32) {
	by, slot := uint32(itself), o.slots[op]
	switch kind {
	case evArrive:
		rank, by = o.back[slot], o.back[slot]+1
	case evData:
		by = o.back[slot] + 1
	case evClear:
		by = slot + 1
	}
	o.made = append(o.made, origin{o.round, by})
	return rank
}

// follow begins the step of an element.
func (e *engine) follow(now sim.Time, seq uint32) {
	o := e.order
	of := o.made[seq]
	switch {
	case now != o.at || of.round != o.of.round:
		o.round++
	case of.by != o.of.by && e.err == nil:
		e.err = errNotAlike
	}
	o.at, o.of = now, of
}
