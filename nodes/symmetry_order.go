package nodes

import (
	"errors"

	"overlapsim/nodes/machines"
	"overlapsim/sim"
)

// order follows what determines the order in which a node of a symmetric run sees events of one
// time. Events that were scheduled earlier come first. Events that one node scheduled at one time
// come in the order in which that node scheduled them, which is the same for all. If different
// nodes scheduled them at one time, the numbers of these nodes decide, and those differ from rank
// to rank. Such a run is refused.
type order struct {
	c         *cluster
	scheduled map[sim.Time][]origin // of pending events, by their time, in order
	handling  int32                 // the node, one of the two, whose event is being handled; nobody: none
	together  bool                  // the last rank to arrive at a barrier resumes all ranks
	settler   int32                 // who settles a message of another node now
	loading   int32                 // the message whose bytes load the memories of two nodes
	nodes     [halves]seen
}

// origin says when an event was scheduled, and by whom: by a node, as seen from the node of the
// event, or by one of those below.
type origin struct {
	at sim.Time
	by int32
}

const (
	itself   int32 = 0
	everyone int32 = -1
)

// seen is the latest that a node has seen.
type seen struct {
	events  uint64
	at      sim.Time // of the last event
	last    origin   // of that event
	settled sim.Time // when another node settled a message of this node
	acted   sim.Time // when an event did more to the ranks of the node than settle a message
}

var errNotSymmetric = errors.New("nothing shows that the run is symmetric")

// refuse ends a run in which nothing shows that all nodes do the same.
func (f *symmetricProgram) refuse() {
	if f == nil {
		return
	}
	f.refused = true
	f.c.fail(errNotSymmetric)
}

// follow follows the events of a cluster.
func (f *symmetricProgram) follow(c *cluster) {
	f.c, c.symmetry = c, f
	c.self = c.kernel.Register(f)
	f.scheduled = map[sim.Time][]origin{}
	f.handling = nobody
	for i := range f.nodes {
		f.nodes[i] = seen{at: never, settled: never, acted: never}
	}
}

// schedules follows an event that is being scheduled.
func (f *symmetricProgram) schedules(at sim.Time, kind uint32, arg uint64) {
	o := origin{f.c.kernel.Now(), itself}
	switch owner := f.owner(kind, arg); {
	case f.together:
		o.by = everyone
	case f.handling == nobody: // before the run
		o.at = never
	case owner != f.handling:
		o.by = f.sender(owner, kind, arg)
	}
	f.scheduled[at] = append(f.scheduled[at], o)
}

// sender returns who schedules an event of a node, if that is not the node itself.
func (f *symmetricProgram) sender(owner int32, kind uint32, arg uint64) int32 {
	switch kind {
	case evResume:
		return f.settler
	case evStream, evStreamEnd:
		return f.other(owner, f.loading)
	}
	return f.other(owner, int32(uint32(arg)))
}

// other returns the other node of a message, seen from a node.
func (f *symmetricProgram) other(from, id int32) int32 {
	m := f.c.messages.at(id)
	poster := f.labels[m.tag].source / int32(f.perNode)
	if f.c.place.home[m.poster()] == from {
		return int32(f.grid.Back(int(poster)))
	}
	return poster
}

// owner returns the node, one of the two, on whose ranks an event acts.
func (f *symmetricProgram) owner(kind uint32, arg uint64) int32 {
	c, id := f.c, int32(uint32(arg))
	switch kind {
	case evResume, evJobDone, evTest, evDispatched, evNoticed:
		return c.place.home[id]
	case evStream, evStreamEnd:
		return int32(c.moving.at(id).context / c.sharers.contexts.PerNode())
	}
	m := c.messages.at(id)
	switch kind {
	case evChunkSent, evRead:
		return c.place.home[m.from]
	case evChunkArrived, evChunkPassed:
		return c.place.home[m.to]
	}
	_, to := m.endpoints(leg(arg >> 32))
	return c.place.home[to]
}

// Handle implements sim.Handler.
func (f *symmetricProgram) Handle(e sim.Event) {
	waiting := f.scheduled[e.At]
	o := waiting[0]
	if len(waiting) > 1 {
		f.scheduled[e.At] = waiting[1:]
	} else {
		delete(f.scheduled, e.At)
	}
	f.handling = f.owner(e.Kind, e.Arg)
	n := &f.nodes[f.handling]
	if n.at == e.At && n.last.at == o.at && n.last.by != o.by && !f.free {
		f.refuse()
		return
	}
	n.events++
	n.at, n.last = e.At, o
	if !f.onlySettles(e) {
		n.acted = e.At
		if n.settled == e.At && !f.free {
			f.refuse()
			return
		}
	}
	f.c.Handle(e)
}

// onlySettles tells whether the only effect of an event on the ranks of its node is that a
// wait of theirs may end. If so, it does not matter whether a message of theirs is settled before
// or after the event.
func (f *symmetricProgram) onlySettles(e sim.Event) bool {
	if e.Kind != evArrive && e.Kind != evPassed {
		return false
	}
	m, l, rt := f.c.messages.at(int32(uint32(e.Arg))), leg(e.Arg>>32), f.c.machine.Runtime
	switch {
	case l == load && m.protocol == rendezvous:
		return rt == nil || m.way == machines.Write
	case l == request && m.protocol == got:
		return f.c.machine.Copying == nil
	}
	return false
}

// loads says which message loads the memories of two nodes now.
func (f *symmetricProgram) loads(id int32) {
	if f != nil {
		f.loading = id
	}
}

// leaves says that all ranks leave a barrier from now on, or that they have left it.
func (f *symmetricProgram) leaves(together bool) {
	if f != nil {
		f.together = together
	}
}

// settles is called when the end of a message is known for one of its ranks. An event of the
// other node may cause this, at the same time as events of the rank's own node.
func (f *symmetricProgram) settles(r, id int32) {
	if f != nil {
		f.follows(r, id)
	}
}

func (f *symmetricProgram) follows(r, id int32) {
	owner := f.c.place.home[r]
	if owner == f.handling {
		return
	}
	f.settler = f.other(owner, id)
	n := &f.nodes[owner]
	n.settled = f.c.kernel.Now()
	if n.acted == n.settled && !f.free {
		f.refuse()
	}
}
