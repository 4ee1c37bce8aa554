package traces

import (
	"slices"

	"overlapsim/nodes/programs"
	"overlapsim/sim"
	"overlapsim/workloads/collectives"
)

// round is a collective under way, with the present round.
type round struct {
	by     *collectives.Algorithm
	group  collectives.Group
	at     int
	left   []int32 // requests of the round that are not over
	place  int     // where its requests are among those of non-blocking collectives, or nowhere
	closed bool    // it could not be non-blocking: it makes a communicator
}

func (r *round) over() bool { return r.at == r.by.Rounds(&r.group) }

// begin posts the round, and the following ones as long as there is nothing to wait for.
func (r *round) begin(do *programs.Ops) {
	for !r.over() {
		r.by.Post(&r.group, r.at, do)
		for i := range r.by.Requests(&r.group, r.at) {
			r.left = append(r.left, int32(r.group.Request+i))
		}
		if len(r.left) > 0 {
			return
		}
		r.by.Finish(&r.group, r.at, do)
		r.at++
	}
}

// ended notes that a request is over. After the last one of a round it continues with the next
// round.
func (r *round) ended(request int32, do *programs.Ops) {
	if r.left = slices.DeleteFunc(r.left, func(one int32) bool { return one == request }); len(r.left) == 0 {
		r.finish(do)
	}
}

// finish waits for the round and begins the next one.
func (r *round) finish(do *programs.Ops) {
	r.by.Finish(&r.group, r.at, do)
	r.left = r.left[:0]
	r.at++
	r.begin(do)
}

// goOn does a round of the blocking collective.
func (x *player) goOn(do *programs.Ops) {
	b := x.blocking
	if b.over() {
		x.blocking = nil
		return
	}
	if b.closed {
		b.by.Post(&b.group, b.at, do)
		b.by.Finish(&b.group, b.at, do)
	} else {
		b.by.Do(&b.group, b.at, do)
	}
	b.at++
}

// wait waits for what is pending, one after the other. Non-blocking collectives make progress
// meanwhile.
func (x *player) wait(do *programs.Ops) {
	head := x.pending[0]
	switch {
	case head.collective != nil && head.collective.over():
		x.land(head.collective)
		x.pending = x.pending[1:]
	case len(x.flying) > 0 && x.live:
		requests := x.lefts()
		if head.collective == nil {
			requests = append(requests, head.number)
		}
		x.ask(programs.Never, requests, do)
	case head.collective != nil:
		head.collective.finish(do)
	default:
		do.Wait(int(head.number))
		x.arrived(head.number)
	}
}

// arrived notes that a message that is waited for is there.
func (x *player) arrived(number int32) {
	if number >= owned {
		x.free = append(x.free, number)
	}
	x.pending = x.pending[1:]
}

// test lets non-blocking collectives make as much progress as they can.
func (x *player) test(do *programs.Ops) {
	if requests := x.lefts(); len(requests) > 0 {
		x.ask(do.Now()+1, requests, do)
		return
	}
	x.testing = false
}

// lefts are the requests that the non-blocking collectives wait for.
func (x *player) lefts() (requests []int32) {
	for _, r := range x.flying {
		requests = append(requests, r.left...)
	}
	return requests
}

// ask waits or tests. The next step learns which request is over.
func (x *player) ask(before sim.Time, requests []int32, do *programs.Ops) {
	x.asked = true
	if before == programs.Never {
		do.WaitAny(requests...)
	} else {
		do.TestAny(before, requests...)
	}
}

// hear learns which request is over.
func (x *player) hear(do *programs.Ops) {
	if !x.asked {
		return
	}
	x.asked = false
	request := do.Ended().Request
	if request == programs.NoRequest {
		x.testing = false
		return
	}
	if len(x.pending) > 0 && x.pending[0].collective == nil && x.pending[0].number == request {
		x.arrived(request)
		return
	}
	for _, r := range x.flying {
		if slices.Contains(r.left, request) {
			r.ended(request, do)
			return
		}
	}
}

// land forgets a non-blocking collective that is over.
func (x *player) land(r *round) {
	if r.place != nowhere {
		x.places[r.place] = false
	}
	x.flying = slices.DeleteFunc(x.flying, func(one *round) bool { return one == r })
}
