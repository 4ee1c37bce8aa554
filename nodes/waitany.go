package nodes

import (
	"slices"

	"overlapsim/nodes/programs"
	"overlapsim/sim"
)

// waitAny waits for the first of the requests of the rank's choice.
func (c *cluster) waitAny(r int32, now sim.Time) {
	k := &c.ranks[r]
	requests, wait := k.choice.Requests, k.choice.Before == never
	k.least.chosen = k.least.chosen || !wait || len(requests) > 1
	over := c.firstOver(r, now)
	if wait && len(requests) == 1 {
		over = requests[0]
	}
	switch {
	case over != programs.NoRequest:
		k.choice.Ended = programs.Ended{Request: over, At: never} // endWait may replace this
		c.wait(r, over, now)
		return
	case !wait:
		k.in = inTest
		if k.worker != nil {
			c.calls(r, now)
		}
		k.done()
		return
	}
	k.state, k.waitsOn, k.awaited, k.any = waiting, programs.NoRequest, nobody, true
	c.waits(r, now)
	for _, request := range requests {
		c.prefer(r, request)
	}
	c.expect(r)
}

// firstOver returns the request of the rank's choice that was over first, provided that it is
// over by now and was early enough.
func (c *cluster) firstOver(r int32, now sim.Time) int32 {
	k := &c.ranks[r]
	best, first := programs.NoRequest, now
	if k.choice.Before != never {
		first = min(now, k.choice.Before-1)
	}
	for _, request := range k.choice.Requests {
		at := never
		if k.inUse(request) {
			at = c.over(r, request)
		}
		if at < first || at == first && best == programs.NoRequest {
			best, first = request, at
		}
	}
	return best
}

// vain tells whether an operation is a TestOpen of requests that are all over. Where another program took over the
// operation without its choice, it is a Test.
func (c *cluster) vain(r int32, op *programs.Op, now sim.Time) bool {
	k := &c.ranks[r]
	if op.Kind != programs.OpTest || op.Request != programs.NoRequest || k.choice == nil {
		return false
	}
	return !slices.ContainsFunc(k.choice.Requests, func(request int32) bool { return c.over(r, request) > now })
}

// inUse tells whether the rank has a request that it has not waited for.
func (k *rank) inUse(request int32) bool {
	return int(request)+1 < len(k.requests) && k.requests[request+1] != noRequest
}

// prefer makes a rank wait for another request of its choice, if that is over before the one it
// waits for.
func (c *cluster) prefer(r, request int32) {
	k := &c.ranks[r]
	if c.over(r, request) < c.awaitedEnd(r) {
		k.waitsOn, k.awaited = request, messageOf(k.requests[request+1])
	}
}

// settledAny is called when the end of the operation in a request slot is known and the rank waits
// for any of several requests.
func (c *cluster) settledAny(r, slot int32) {
	k := &c.ranks[r]
	if c.awaitedEnd(r) <= c.kernel.Now() {
		return // the wait has ended, and the receive is being paid for
	}
	for _, request := range k.choice.Requests {
		if k.inUse(request) && k.requests[request+1] == slot {
			c.prefer(r, request)
			c.expect(r)
		}
	}
}
