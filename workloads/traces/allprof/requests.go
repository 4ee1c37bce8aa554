package allprof

import "overlapsim/workloads/traces"

// requests are the open requests of a rank, and its persistent ones, by where they are kept.
type requests struct {
	open       map[uint64]int32
	tested     map[uint64]bool // of those that are open
	persistent map[uint64]traces.Call
	numbers    traces.Requests
	lost       bool // a wait has found nothing that it could wait for
}

// moved is what a trace of addresses cannot follow.
const moved = "a request that the program moved to another place"

// begins starts the request that is kept in a place. If one is open there, a test has completed it.
func (c *converter) begins(place uint64) {
	q := &c.requests
	if number, open := q.open[place]; open {
		if q.tested[place] {
			found := traces.Call{Kind: traces.Test, Before: c.to.Before, Among: 1, Requests: []int32{number}, Request: traces.NoRequest}
			c.to.Before = 0
			c.more = append(c.more, found)
			q.numbers.Return(number)
		} else {
			c.missing[moved]++
		}
	}
	c.to.Request = q.numbers.Take()
	q.open[place], q.tested[place] = c.to.Request, false
}

// places are the places of the requests of a call.
func (c *converter) places() (all []uint64) {
	at, n := c.args.address("request"), int64(1)
	if c.args.has("n") {
		n = c.args.whole("n")
	}
	if n < 0 || n > maxRequests {
		c.args.fail("%d requests are not possible", n)
		return nil
	}
	for i := range uint64(n) {
		all = append(all, at+i*c.t.apart)
	}
	return all
}

// maxRequests is the largest number of requests of a call.
const maxRequests = 1 << 24

func (c *converter) wait() {
	c.to.Kind = traces.Wait
	c.complete()
}

func (c *converter) free() {
	place := c.args.address("request")
	delete(c.requests.persistent, place)
	if _, open := c.requests.open[place]; open {
		c.to.Kind = traces.Free
		c.complete()
	}
}

// complete completes the requests of the call that are open. The others are MPI_REQUEST_NULL.
func (c *converter) complete() {
	q := &c.requests
	places := c.places()
	for _, place := range places {
		if number, open := q.open[place]; open {
			c.to.Requests = append(c.to.Requests, number)
			q.numbers.Return(number)
			delete(q.open, place)
		}
	}
	if len(c.to.Requests) == 0 && len(places) > 0 {
		q.lost = true
	}
}

// ends counts requests that nothing completed, if a wait found none where it looked: then the program moved them.
func (c *converter) ends() {
	if q := &c.requests; q.lost && len(q.open) > 0 {
		c.missing[moved] += int64(len(q.open))
	}
}

// test is a test, or a probe, whose result is not in the trace.
func (c *converter) test() {
	c.to.Kind, c.to.Tries = traces.Test, 1
	if !c.args.has("request") {
		return
	}
	places := c.places()
	c.to.Among = int32(len(places))
	for _, place := range places {
		c.requests.tested[place] = true
	}
}

// waitSome is a wait for some of the requests; the trace does not say which.
func (c *converter) waitSome() {
	c.missing[c.name]++
	c.test()
}

// persistent makes a request that can be started several times.
func persistent(do func(c *converter)) func(c *converter) {
	return func(c *converter) {
		of := c.requests
		c.requests = requests{open: map[uint64]int32{}, tested: map[uint64]bool{}}
		do(c)
		c.requests = of
		c.requests.persistent[c.args.address("request")] = *c.to
		*c.to = traces.Call{}
	}
}

// start starts persistent requests; each is a call.
func (c *converter) start() {
	first := *c.to
	for _, place := range c.places() {
		template, ok := c.requests.persistent[place]
		if !ok {
			c.args.fail("a request is started that none of the calls made that are followed")
			return
		}
		template.Before, template.Took, template.Requests = first.Before, first.Took, nil
		first.Before, first.Took = 0, 0
		c.to = &template
		c.begins(place)
		c.more = append(c.more, template)
	}
}
