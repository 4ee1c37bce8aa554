package flow

import (
	"slices"

	"overlapsim/sim"
)

// rounds remembers what the flows of a network have come to. A round begins when a flow
// comes to an idle network, and ends when the network is idle again. An idle network keeps
// nothing of what was before, so all that happens in a round, to the last bit, follows from
// its flows: when each comes, in which order, with how many bytes, by which route. A round
// that begins like an earlier one is followed in memory, and no link is touched. If it goes
// another way, the links catch up.
//
// The steps of all rounds are a tree: rounds that begin alike share their first steps. Step
// 0 is its root.
type rounds struct {
	mode  mode
	at    int32    // the last step of the present round
	start sim.Time // of the round
	round uint64   // its number

	flows  []int32 // slots of the flows of the round, in the order in which they began
	active int     // flows that share now
	limits int32   // limits of flows that have been in use in the round

	room   int  // steps that are remembered
	full   bool // it is used up
	length int  // steps of this round
	known  int  // how many of them were those of an earlier round
	steps  []step
	routes []int32 // of the flows of all steps, one after another
	ended  []int32 // the flows that have ended in all steps, by their places in their round

	uncounted bool // rounds were followed that the links have not counted yet

	path, due, ways []int32 // scratch of catchUp
	bytes           []int64
	rows            []row
}

// mode is how a round goes.
type mode uint8

const (
	waiting   mode = iota // for the first flow of a round
	following             // an earlier round
	recording             // on the links, and into memory
	plain                 // on the links only
)

// step is what happens at a time of a round.
type step struct {
	kind   stepKind
	limit  int32    // number in the round of the flow's own limit; none: it has none
	after  sim.Time // since the beginning of the round
	bytes  int64
	rate   float64  // of the flow's own limit
	next   sim.Time // since the beginning of the round: when a flow is done, as far as known now
	first  int32    // its route, or the flows that end, are those from first to last
	last   int32
	times  int32 // how often a round was followed that ended here
	parent int32

	child, sibling int32 // the latest step that came after this one; the one before it after the same
}

// stepKind is what happens in a step.
type stepKind uint8

const (
	adding  stepKind = iota // a flow begins
	solving                 // rates are found
	ending                  // flows that are done end
)

// Room is made for the steps of manyRounds rounds of the length that rounds have, within
// these limits; if it is used up, all steps are forgotten. Rounds that do not fit a few times
// are not remembered. mostWays is how many different steps may come after a step.
const (
	fewestSteps = 1 << 12
	mostSteps   = 1 << 17
	fewRounds   = 4
	manyRounds  = 16
	mostWays    = 64
)

// glimpse is how many steps are remembered of a round that begins like none before it. The
// next one that begins so is remembered whole: most rounds come never or often again.
const glimpse = 8

// open lets a round begin.
func (r *rounds) open(now sim.Time, remember bool) {
	r.mode, r.start, r.at, r.limits = following, now, 0, 0
	r.length, r.known = 0, 0
	r.round++
	r.flows = r.flows[:0]
	if !remember {
		r.mode = plain
	}
}

// find returns the step that comes after the present one if this happens; 0: there is none.
func (r *rounds) find(s *step, route []int32) int32 {
	next := r.steps[r.at].child
	for next != 0 && !r.same(&r.steps[next], s, route) {
		next = r.steps[next].sibling
	}
	return next
}

// same tells whether a step is one that has this route.
func (r *rounds) same(a, b *step, route []int32) bool {
	return a.kind == b.kind && a.after == b.after && a.limit == b.limit && a.bytes == b.bytes && a.rate == b.rate &&
		(a.kind != adding || slices.Equal(r.routes[a.first:a.last], route))
}

// record remembers a step, unless the round is to go on without.
func (r *rounds) record(s step) {
	if r.known < glimpse && r.length > glimpse {
		r.mode = plain
		return
	}
	ways := 0
	for next := r.steps[r.at].child; next != 0; next = r.steps[next].sibling {
		ways++
	}
	if ways == mostWays || len(r.steps) >= r.room {
		r.mode, r.full = plain, true
		return
	}
	here := int32(len(r.steps))
	s.parent, s.sibling = r.at, r.steps[r.at].child
	r.steps[r.at].child, r.at = here, here
	r.steps = append(r.steps, s)
}

// close ends the round.
func (r *rounds) close() {
	if r.mode == following {
		r.steps[r.at].times++
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

// soFar returns the steps that lead to one, in their order.
func (r *rounds) soFar(to int32) []int32 {
	r.path = r.path[:0]
	for ; to != 0; to = r.steps[to].parent {
		r.path = append(r.path, to)
	}
	slices.Reverse(r.path)
	return r.path
}

// forget makes room for other rounds.
func (r *rounds) forget() {
	r.steps = append(r.steps[:0], step{})
	r.routes, r.ended, r.full, r.room = r.routes[:0], r.ended[:0], false, max(r.room, fewestSteps)
}

// carried is what a link carries in a round. The most flows that it has at a time it had
// when the round was recorded.
type carried struct {
	users       int
	bytes       float64
	ended       int64
	busy, since sim.Time
}

// tally returns what each link carries in the round that ends in a step.
func (r *rounds) tally(last int32) map[int32]*carried {
	all := map[int32]*carried{}
	var flows []*step
	for _, at := range r.soFar(last) {
		switch s := &r.steps[at]; s.kind {
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
