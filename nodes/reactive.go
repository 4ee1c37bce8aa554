package nodes

import "overlapsim/sim"

// Reactive is a program whose ranks go on with what comes first. Step says what its ranks
// do in some order; in a run they do it in the order that the program from Begin decides
// on.
type Reactive interface {
	Program
	// Begin returns the program of one run. It is asked for the steps of a rank one after
	// the other, as time goes on, and may use what Ops says about the run so far.
	Begin() Program
}

// inRun returns the program of a run.
func inRun(p Program) Program {
	if r, ok := p.(Reactive); ok {
		return r.Begin()
	}
	return p
}

// alternatives are the requests of which a rank waits for any one, and how that wait ended.
type alternatives struct {
	requests []int32
	before   sim.Time // accept only what was over before this time; never: wait
	ended    Ended
}

// Ended tells how a WaitAny or TestAny ended.
type Ended struct {
	Request int32    // the one that is over; NoRequest: none is
	At      sim.Time // when the wait ended, and paying for a receive began; negative: the request was not in use
}

// NoRequest is what a TestAny returns if it found nothing.
const NoRequest int32 = -2

// Now is the time at which the step is asked for.
func (o *Ops) Now() sim.Time { return o.now }

// WaitAny waits until the first of the requests is over, as Wait does for one request. It
// is the last operation of a step; in the next step Ended says which request it was.
func (o *Ops) WaitAny(requests ...int32) { o.any(never, requests) }

// TestAny does the same if a request was over before that time. Otherwise it goes on at once.
func (o *Ops) TestAny(before sim.Time, requests ...int32) { o.any(before, requests) }

func (o *Ops) any(before sim.Time, requests []int32) {
	if o.choice == nil {
		o.choice = new(alternatives)
	}
	o.choice.requests = append(o.choice.requests[:0], requests...)
	o.choice.before, o.choice.ended.Request = before, NoRequest
	o.list = append(o.list, Op{Kind: OpWaitAny, Request: NoRequest})
}

// Ended returns how the WaitAny or TestAny of the previous step ended.
func (o *Ops) Ended() Ended { return o.choice.ended }

// waitAny waits for the first of the requests of the rank's choice.
func (c *cluster) waitAny(r int32, now sim.Time) {
	k := &c.ranks[r]
	requests, wait := k.choice.requests, k.choice.before == never
	k.least.chosen = k.least.chosen || !wait || len(requests) > 1
	over := c.firstOver(r, now)
	if wait && len(requests) == 1 {
		over = requests[0]
	}
	switch {
	case over != NoRequest:
		k.choice.ended = Ended{over, never} // unless endWait knows better
		c.wait(r, over, now)
		return
	case !wait:
		k.done()
		return
	}
	k.state, k.waitsOn, k.awaited, k.any = waiting, NoRequest, nobody, true
	c.waits(r, now)
	for _, request := range requests {
		c.prefer(r, request)
	}
	c.expect(r)
}

// firstOver returns the request of the rank's choice that was over first, if it is over
// by now and was early enough.
func (c *cluster) firstOver(r int32, now sim.Time) int32 {
	k := &c.ranks[r]
	best, first := NoRequest, now
	if k.choice.before != never {
		first = min(now, k.choice.before-1)
	}
	for _, request := range k.choice.requests {
		at := never
		if c.inUse(r, request) {
			at = c.over(r, request)
		}
		if at < first || at == first && best == NoRequest {
			best, first = request, at
		}
	}
	return best
}

// inUse tells whether a rank has a request that it has not waited for.
func (c *cluster) inUse(r, request int32) bool {
	k := &c.ranks[r]
	return int(request)+1 < len(k.requests) && k.requests[request+1] != noRequest
}

// prefer makes a rank wait for a request of its choice, if that is over before the one
// that it waits for.
func (c *cluster) prefer(r, request int32) {
	k := &c.ranks[r]
	over := c.over(r, request)
	if over < sim.Forever && (k.awaited == nobody || over < c.ended(r, k.awaited)) {
		k.waitsOn, k.awaited = request, k.requests[request+1]-1
	}
}

// settledAny is told that the end of a message is known. The rank waits for any of
// several requests.
func (c *cluster) settledAny(r, id int32) {
	k := &c.ranks[r]
	if k.awaited != nobody && c.ended(r, k.awaited) <= c.kernel.Now() {
		return // the wait has ended, and the receive is being paid for
	}
	for _, request := range k.choice.requests {
		if c.inUse(r, request) && k.requests[request+1] == id+1 {
			c.prefer(r, request)
			c.expect(r)
		}
	}
}
