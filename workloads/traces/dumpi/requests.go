package dumpi

import "overlapsim/workloads/traces"

// requests are the open requests of a rank, and its persistent ones.
type requests struct {
	open       map[int64]int32 // numbers in the trace, by the rank's own
	numbers    traces.Requests
	persistent map[int64]traces.Call
	started    []int64 // by the MPI_Startall that is being read
}

// persists are the calls that make a persistent request, with the call that starting it is.
var persists = map[string]func(c *converter){
	"MPI_Send_init": message(traces.Send), "MPI_Rsend_init": message(traces.Send), "MPI_Bsend_init": message(traces.Send),
	"MPI_Ssend_init": message(traces.Send), "MPI_Recv_init": message(traces.Recv),
}

// unblocked are the non-blocking kinds for blocking ones.
var unblocked = map[traces.CallKind]traces.CallKind{traces.Send: traces.Isend, traces.Recv: traces.Irecv}

// prepare notes a persistent request, if the record makes one.
func (q *requests) prepare(c *converter) {
	do := persists[c.r.Function.Name]
	if do == nil {
		return
	}
	var template traces.Call
	c.to = &template
	do(c)
	template.Kind = unblocked[template.Kind]
	q.persistent[c.r.number("request")] = template
}

// start returns the number of a request that begins.
func (q *requests) start(c *converter, name int64) (number int32) {
	if name == noRequest { // of a message to or from no rank
		return traces.NoRequest
	}
	if number, ok := q.open[name]; ok {
		c.wrong("request %d is started and has not ended", name)
		return number
	}
	number = q.numbers.Take()
	q.open[name] = number
	return number
}

// ends completes a request.
func (q *requests) ends(c *converter, name int64) {
	number, ok := q.open[name]
	_, persistent := q.persistent[name]
	switch {
	case ok:
		delete(q.open, name)
		q.numbers.Return(number)
		c.to.Requests = append(c.to.Requests, number)
	case name != noRequest && !persistent:
		c.wrong("request %d is waited for and has not begun", name)
	}
}

// asked returns the requests that a record asks for.
func (c *converter) asked() (names []int64) {
	if v := c.r.value("request"); v != nil {
		return []int64{v.Number}
	}
	for _, name := range c.r.list("requests") {
		names = append(names, int64(name))
	}
	return names
}

// completes completes requests by their places among those that were asked for.
func (c *converter) completes(kind traces.CallKind, names []int64, places ...int32) {
	c.to.Kind, c.to.Among = kind, int32(len(names))
	for _, at := range places {
		if at < 0 || int(at) >= len(names) {
			c.wrong("place %d is not one of %d requests", at, len(names))
			return
		}
		c.requests.ends(c, names[at])
	}
}

// all are the places of all requests.
func all(names []int64) (places []int32) {
	for i := range names {
		places = append(places, int32(i))
	}
	return places
}

func (c *converter) wait() {
	names := c.asked()
	c.completes(traces.Wait, names, all(names)...)
	c.to.Among = 0
}

func (c *converter) waitAny() {
	if names, at := c.asked(), c.r.number("index"); at >= 0 && at < int64(len(names)) { // else no request was active
		c.completes(traces.WaitAny, names, int32(at))
	}
}

func (c *converter) waitSome() { c.some(traces.WaitSome) }
func (c *converter) testSome() { c.some(traces.Test) }

func (c *converter) some(kind traces.CallKind) {
	switch places := c.r.list("indices"); {
	case len(places) > 0:
		c.completes(kind, c.asked(), places...)
	case kind == traces.Test:
		c.nothing()
	}
}

// nothing is a test that found nothing.
func (c *converter) nothing() {
	c.to.Kind, c.to.Tries, c.to.Among = traces.Test, 1, int32(len(c.asked()))
}

func (c *converter) test() {
	if c.r.number("flag") == 0 {
		c.nothing()
		return
	}
	names := c.asked()
	c.completes(traces.Test, names, all(names)...)
}

func (c *converter) testAny() {
	switch names, at := c.asked(), c.r.number("index"); {
	case c.r.number("flag") == 0:
		c.nothing()
	case at >= 0 && at < int64(len(names)):
		c.completes(traces.Test, names, int32(at))
	}
}

// free releases requests. A persistent request that is not under way is removed.
func (c *converter) free() {
	name := c.r.number("request")
	if _, open := c.requests.open[name]; open {
		c.to.Kind = traces.Free
		c.requests.ends(c, name)
	}
	delete(c.requests.persistent, name)
}

// restart starts a persistent request.
func (c *converter) restart() { c.begins(c.r.number("request")) }

// restartAll starts the first of several requests. The others become their own calls.
func (c *converter) restartAll() {
	if names := c.asked(); len(names) > 0 {
		c.requests.started = names[1:]
		c.begins(names[0])
	}
}

// another fills in the start of the next request of an MPI_Startall; !ok: there is none.
func (c *converter) another(to *traces.Call) (ok bool, err error) {
	if len(c.requests.started) == 0 {
		return false, nil
	}
	name := c.requests.started[0]
	c.requests.started = c.requests.started[1:]
	*to = traces.Call{Requests: to.Requests[:0]}
	c.to, c.err = to, nil
	c.begins(name)
	return true, c.err
}

func (c *converter) begins(name int64) {
	template, ok := c.requests.persistent[name]
	if !ok {
		c.wrong("request %d is started and not persistent", name)
		return
	}
	template.Before, template.Took, template.Requests = c.to.Before, c.to.Took, c.to.Requests
	*c.to = template
	c.to.Request = c.requests.start(c, name)
}
