package flow

import (
	"slices"

	"overlapsim/sim"
)

// rounds remembers how the flows of earlier rounds went. A round begins when a flow comes to an
// idle network, and ends when the network is idle again. An idle network keeps nothing of what
// was before. Therefore all that happens in a round, to the last bit, follows from its flows: when each
// comes, in which order, with how many bytes, by which route. A round that begins like an earlier
// one is followed in memory, and no link is touched. If the two come to differ, the links catch
// up.
//
// The steps of all rounds form a tree: rounds that begin alike share their first steps. Step 0 is
// its root.
type rounds struct {
	mode  mode
	at    int32    // the last step of the present round
	start sim.Time // of the round
	round uint64   // its number

	flows  []int32 // slots of the flows of the round, in the order in which they began
	active int     // flows that share now
	limits int32   // limits of flows that have been in use in the round

	room   int  // number of steps that can be remembered
	full   bool // the room is used up
	length int  // steps of this round so far
	known  int  // how many of them belong to an earlier round
	steps  steps
	routes []int32 // of the flows of all steps, one after another
	ended  []int32 // the flows that ended in all steps, each as its place in its round

	uncounted bool // rounds were followed that the accounts of links do not contain yet

	path, due, ways []int32 // scratch of catchUp
	bytes           []int64
	rows            []row
}

// mode is how a round goes.
type mode uint8

const (
	waiting   mode = iota // for the first flow of a round
	following             // an earlier round in memory
	recording             // on the links, and noting it in memory
	plain                 // on the links only
)

// step is what happens at one instant of a round.
type step struct {
	kind   stepKind
	limit  int32    // number of the flow's own limit in the round; none if it has no limit
	after  sim.Time // since the beginning of the round
	bytes  int64
	rate   float64  // of the flow's own limit
	next   sim.Time // since the beginning of the round: when the next flow will be done, as far as known now
	first  int32    // first and last bound its route, or the flows that end
	last   int32
	times  int32 // how often rounds that ended here were followed
	parent int32

	child, sibling int32 // the latest step after this one; the one before it after the same step
}

// stepKind is what happens in a step.
type stepKind uint8

const (
	adding  stepKind = iota // a flow begins
	solving                 // rates are found
	ending                  // flows that are done end
)

// steps are numbered from 0. They never move, because there are many.
type steps struct {
	blocks []*[block]step
	length int
}

const block = 1 << 10

func (s *steps) at(i int32) *step { return &s.blocks[uint32(i)/block][uint32(i)%block] }

func (s *steps) add(x step) {
	if s.length == block*len(s.blocks) {
		s.blocks = append(s.blocks, new([block]step))
	}
	s.length++
	*s.at(int32(s.length - 1)) = x
}

// There is room for the steps of manyRounds rounds of the usual length, within these limits. When
// it is used up, all steps are forgotten. Rounds so long that only a few would fit are not
// remembered. mostWays is how many different steps may come after one step.
const (
	fewestSteps = 1 << 12
	mostSteps   = 1 << 19
	fewRounds   = 4
	manyRounds  = 16
	mostWays    = 64
)

// glimpse is how many steps are remembered of a round that begins unlike all before it. The next
// round that begins in the same way is remembered whole. Most rounds occur once, or very often.
const glimpse = 8

// open begins a round.
func (r *rounds) open(now sim.Time, remember bool) {
	r.mode, r.start, r.at, r.limits = following, now, 0, 0
	r.length, r.known = 0, 0
	r.round++
	r.flows = r.flows[:0]
	if !remember {
		r.mode = plain
	}
}

// find returns the remembered step after the present one in which the same happens; 0 if there is
// none.
func (r *rounds) find(s *step, route []int32) int32 {
	next := r.steps.at(r.at).child
	for next != 0 && !r.same(r.steps.at(next), s, route) {
		next = r.steps.at(next).sibling
	}
	return next
}

// same tells whether two steps are equal; route is the route of b.
func (r *rounds) same(a, b *step, route []int32) bool {
	return a.kind == b.kind && a.after == b.after && a.limit == b.limit && a.bytes == b.bytes && a.rate == b.rate &&
		(a.kind != adding || slices.Equal(r.routes[a.first:a.last], route))
}

// record remembers a step, unless memory is full or this round is not recorded.
func (r *rounds) record(s step) {
	if r.known < glimpse && r.length > glimpse {
		r.mode = plain
		return
	}
	ways := 0
	for next := r.steps.at(r.at).child; next != 0; next = r.steps.at(next).sibling {
		ways++
	}
	if ways == mostWays || r.steps.length >= r.room {
		r.mode, r.full = plain, true
		return
	}
	here := int32(r.steps.length)
	s.parent, s.sibling = r.at, r.steps.at(r.at).child
	r.steps.at(r.at).child, r.at = here, here
	r.steps.add(s)
}

// close ends a round.
func (r *rounds) close() {
	if r.mode == following {
		r.steps.at(r.at).times++
		r.uncounted = true
	}
	r.mode = waiting
	if fewRounds*r.length <= mostSteps {
		r.room = max(r.room, min(mostSteps, manyRounds*r.length))
	}
}

// since returns the time from the beginning of the round to another time.
func (r *rounds) since(now sim.Time) sim.Time {
	if now == sim.Forever {
		return now
	}
	return now - r.start
}

// soFar returns the steps that lead to a step, first to last.
func (r *rounds) soFar(to int32) []int32 {
	r.path = r.path[:0]
	for ; to != 0; to = r.steps.at(to).parent {
		r.path = append(r.path, to)
	}
	slices.Reverse(r.path)
	return r.path
}

// forget removes all steps, to make room for other rounds.
func (r *rounds) forget() {
	r.steps.length = 0
	r.steps.add(step{})
	r.routes, r.ended, r.full, r.room = r.routes[:0], r.ended[:0], false, max(r.room, fewestSteps)
}

// carried is what a link carries in a round. Its largest number of flows at a time is not in it:
// it was noted when the round was recorded.
type carried struct {
	users       int
	bytes       float64
	ended       int64
	busy, since sim.Time
}

// tally returns what each link carries in the round whose last step this is.
func (r *rounds) tally(last int32) map[int32]*carried {
	all := map[int32]*carried{}
	var flows []*step
	for _, at := range r.soFar(last) {
		switch s := r.steps.at(at); s.kind {
		case adding:
			flows = append(flows, s)
			for _, l := range r.routes[s.first:s.last] {
				carries(all, l, s.after)
			}
		case ending:
			for _, place := range r.ended[s.first:s.last] {
				f := flows[place]
				for _, l := range r.routes[f.first:f.last] {
					all[l].end(f.bytes, s.after)
				}
			}
		}
	}
	return all
}

func carries(all map[int32]*carried, l int32, now sim.Time) {
	c := all[l]
	if c == nil {
		c = &carried{}
		all[l] = c
	}
	if c.users == 0 {
		c.since = now
	}
	c.users++
}

func (c *carried) end(bytes int64, now sim.Time) {
	c.bytes += float64(bytes)
	c.ended++
	if c.users--; c.users == 0 {
		c.busy += now - c.since
	}
}
