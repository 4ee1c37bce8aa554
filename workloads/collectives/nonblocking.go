package collectives

// Tester is a live rank: *nodes.Process.
type Tester interface {
	Caller
	Test(request int) bool
}

// Running is a non-blocking collective of a live rank. Its first round is posted by the call
// that starts it. A later round begins only where the library makes progress: in Progress and
// in Wait.
type Running struct {
	by    *Algorithm
	group Group
	round int
}

// Start posts the first round and returns at once.
func Start(by *Algorithm, g Group, do Caller) *Running {
	c := &Running{by: by, group: g}
	c.post(do)
	return c
}

// Progress is a call of MPI_Test: it ends rounds whose messages are over and begins the next
// ones. It tells whether the collective is over.
func (c *Running) Progress(do Tester) bool {
	for c.round < c.by.Rounds(&c.group) {
		for request := range c.by.Requests(&c.group, c.round) {
			if !do.Test(c.group.Request + request) {
				return false
			}
		}
		c.next(do)
	}
	return true
}

// Wait does all rounds that are left.
func (c *Running) Wait(do Caller) {
	for c.round < c.by.Rounds(&c.group) {
		c.next(do)
	}
}

// next ends the round and posts the one after it.
func (c *Running) next(do Caller) {
	c.by.Finish(&c.group, c.round, do)
	c.round++
	c.post(do)
}

// post posts a round. If the caller has no messages to wait for, the round is over at once, and
// the next one begins in the same call: the schedule of a library has no empty rounds.
func (c *Running) post(do Caller) {
	for ; c.round < c.by.Rounds(&c.group); c.round++ {
		c.by.Post(&c.group, c.round, do)
		if c.by.Requests(&c.group, c.round) > 0 {
			return
		}
		c.by.Finish(&c.group, c.round, do)
	}
}
