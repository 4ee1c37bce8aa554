package flow

import (
	"cmp"
	"math"
	"slices"

	"overlapsim/sim"
)

// This file lets the flows of a network share its links. They share on the links themselves, or
// as a remembered round says.

// join lets a flow share links from now on.
func (n *Network) join(i int32) {
	r, now := &n.rounds, n.kernel.Now()
	if r.mode == waiting {
		n.open(now)
	}
	r.length++
	r.active++
	if r.mode == plain {
		n.add(i, now)
	} else {
		n.joinRound(i, now)
	}
}

// joinRound lets a flow share links in a round that is remembered.
func (n *Network) joinRound(i int32, now sim.Time) {
	r, s, route := &n.rounds, &n.slots[i], n.sharing.route(i)
	x := step{kind: adding, limit: none, after: now - r.start, bytes: s.bytes}
	if last := len(route) - 1; route[last] == s.limit {
		x.limit, x.rate, route = r.number(&s.own), n.sharing.links[s.limit].capacity, route[:last]
	}
	if !n.follow(&x, route) {
		n.add(i, now)
		x.first = int32(len(r.routes))
		r.routes = append(r.routes, route...)
		x.last = int32(len(r.routes))
		r.record(x)
	}
	s.place = int32(len(r.flows))
	r.flows = append(r.flows, i)
}

func (n *Network) add(i int32, now sim.Time) {
	n.sharing.now = now
	n.sharing.add(i, float64(n.slots[i].bytes))
}

// open begins a round. Slopes and records need each step, so with them every round is simulated on
// the links.
func (n *Network) open(now sim.Time) {
	if n.rounds.full {
		n.account()
		n.rounds.forget()
	}
	n.rounds.open(now, n.sharing.slopes == nil && n.sharing.record == nil)
}

// number returns the number, in this round, of the limit of a slot.
func (r *rounds) number(o *own) int32 {
	if o.round != r.round {
		o.round, o.number = r.round, r.limits
		r.limits++
	}
	return o.number
}

// follow tells whether an earlier round contains this step next. If none does, it brings the
// links up to date.
func (n *Network) follow(s *step, route []int32) bool {
	r := &n.rounds
	if r.mode != following {
		return false
	}
	if next := r.find(s, route); next != 0 {
		r.at = next
		return true
	}
	n.catchUp()
	return false
}

// findRates finds the rates of all flows. It ends the round if there are no flows.
func (n *Network) findRates() {
	r, now := &n.rounds, n.kernel.Now()
	r.length++
	x := step{kind: solving, limit: none, after: now - r.start}
	if !n.follow(&x, nil) {
		n.sharing.now = now
		n.sharing.solve()
		n.charge()
		if r.mode == recording {
			x.next = r.since(n.next())
			r.record(x)
		}
	}
	if r.active == 0 {
		r.close()
	}
}

// looksOfEvent is how many looks at a flow or a link take as long as an event.
const looksOfEvent = 64

// charge counts what finding rates has taken.
func (n *Network) charge() {
	n.kernel.Charge(uint64(n.sharing.looks / looksOfEvent))
	n.sharing.looks %= looksOfEvent
}

// next returns when the next flow will be done.
func (n *Network) next() sim.Time {
	r := &n.rounds
	switch {
	case r.mode == following:
		return r.start + min(r.steps.at(r.at).next, sim.Forever-r.start)
	case n.sharing.next.empty():
		return sim.Forever
	}
	return n.sharing.next.entries[0].key
}

// leave takes out the flows that are done now and leaves them in done, in the order in which they
// started.
func (n *Network) leave(now sim.Time) {
	r := &n.rounds
	r.length++
	x := step{kind: ending, limit: none, after: now - r.start}
	if !n.ends(&x) {
		n.takeOut(&x, now)
	}
	r.active -= len(n.done)
	for _, i := range n.done {
		n.slots[i].place = none
	}
}

// takeOut removes flows that are done from the links.
func (n *Network) takeOut(x *step, now sim.Time) {
	r := &n.rounds
	n.sharing.now = now
	n.done = n.sharing.due(n.done[:0])
	n.sortByStart()
	for _, i := range n.done {
		n.sharing.remove(i, float64(n.slots[i].bytes))
	}
	if r.mode != recording {
		return
	}
	x.first = int32(len(r.ended))
	for _, i := range n.done {
		r.ended = append(r.ended, n.slots[i].place)
	}
	x.last, x.next = int32(len(r.ended)), r.since(n.next())
	r.record(*x)
}

// sortByStart sorts the flows that are done by when they started. Flows that end together have
// often started together too: then their starts are consecutive numbers, and a bucket for each
// number is faster than comparisons.
func (n *Network) sortByStart() {
	first, last := uint64(math.MaxUint64), uint64(0)
	for _, i := range n.done {
		first, last = min(first, n.slots[i].order), max(last, n.slots[i].order)
	}
	if few := len(n.done) < 16; few || last-first > uint64(4*len(n.done)) {
		slices.SortFunc(n.done, n.byStart)
		return
	}
	n.dealt = slices.Grow(n.dealt[:0], int(last-first)+1)[:last-first+1]
	for at := range n.dealt {
		n.dealt[at] = none
	}
	for _, i := range n.done {
		n.dealt[n.slots[i].order-first] = i
	}
	n.done = n.done[:0]
	for _, i := range n.dealt {
		if i != none {
			n.done = append(n.done, i)
		}
	}
}

func (n *Network) byStart(a, b int32) int { return cmp.Compare(n.slots[a].order, n.slots[b].order) }

// ends tells whether an earlier round says which flows are done, and puts them into done. If no
// round does, or if they started in another order, it brings the links up to date.
func (n *Network) ends(x *step) bool {
	r, before := &n.rounds, n.rounds.at
	if !n.follow(x, nil) {
		return false
	}
	n.done = n.done[:0]
	for _, place := range r.ended[r.steps.at(r.at).first:r.steps.at(r.at).last] {
		n.done = append(n.done, r.flows[place])
	}
	if slices.IsSortedFunc(n.done, n.byStart) {
		return true
	}
	r.at = before
	n.catchUp()
	return false
}

// catchUp brings the links to the state that the followed round has reached.
func (n *Network) catchUp() {
	r := &n.rounds
	n.keepRows()
	r.bytes = r.bytes[:0]
	for _, at := range r.soFar(r.at) {
		x := r.steps.at(at)
		n.sharing.now = r.start + x.after
		switch x.kind {
		case adding:
			n.addAgain(r.flows[len(r.bytes)], x)
			r.bytes = append(r.bytes, x.bytes)
		case solving:
			n.sharing.solve()
		case ending:
			r.due = n.sharing.due(r.due[:0])
			for _, place := range r.ended[x.first:x.last] {
				n.sharing.remove(r.flows[place], float64(r.bytes[place]))
			}
		}
	}
	n.restoreRows()
	n.charge()
	r.mode, r.known = recording, r.length-1
}

// addAgain adds a flow of the round that was in this slot to the links.
func (n *Network) addAgain(i int32, x *step) {
	limit := int32(none)
	if x.limit != none {
		limit = n.slots[i].limit
		n.sharing.setCapacity(limit, x.rate)
	}
	n.sharing.setRoute(i, n.rounds.routes[x.first:x.last], limit)
	n.sharing.add(i, float64(x.bytes))
}

// row is the route of a slot that the round used earlier and does not use now. catchUp overwrites
// it.
type row struct {
	slot, first, last int32   // the route's links are ways[first:last]
	limit             float64 // capacity of the slot's limit, if there is one
}

// keepRows saves these routes.
func (n *Network) keepRows() {
	r := &n.rounds
	r.rows, r.ways = r.rows[:0], r.ways[:0]
	for _, i := range r.flows {
		s := &n.slots[i]
		if s.place != none {
			continue
		}
		k := row{slot: i, first: int32(len(r.ways))}
		r.ways = append(r.ways, n.sharing.route(i)...)
		k.last = int32(len(r.ways))
		if s.limit != none {
			k.limit = n.sharing.links[s.limit].capacity
		}
		r.rows = append(r.rows, k)
	}
}

// restoreRows gives the slots their routes back.
func (n *Network) restoreRows() {
	r := &n.rounds
	for _, k := range r.rows {
		n.sharing.setRoute(k.slot, r.ways[k.first:k.last], none)
		if limit := n.slots[k.slot].limit; limit != none {
			n.sharing.setCapacity(limit, k.limit)
		}
	}
}

// account adds to each link what it carried in the rounds that were followed. Sums of bytes are
// exact, so their order does not matter.
func (n *Network) account() {
	r := &n.rounds
	if r.mode == following {
		n.catchUp()
	}
	if !r.uncounted {
		return
	}
	r.uncounted = false
	for at := range int32(r.steps.length) {
		times := r.steps.at(at).times
		if times == 0 {
			continue
		}
		r.steps.at(at).times = 0
		for l, c := range r.tally(at) {
			to := &n.sharing.accounts[l]
			to.carried += float64(times) * c.bytes
			to.ended += int64(times) * c.ended
			to.busy += sim.Time(times) * c.busy
		}
	}
}
