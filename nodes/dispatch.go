package nodes

import (
	"overlapsim/nodes/parts"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// signalled makes the handler of a signal that has been delivered possible: now, or when
// the thread of handlers next runs, with all that wait for it by then (rule 18).
func (c *cluster) signalled(id int32, now sim.Time) {
	r := c.messages.at(id).to
	if c.machine.Runtime.Dispatch == 0 {
		c.offer(r, job{step: handle, message: id}, now)
		return
	}
	c.note(id, now, results.Progress)
	w := c.ranks[r].ownWorker()
	if w.handlers.empty() {
		c.causes.dispatches(c, r, now)
		c.schedule(now+c.machine.Runtime.Dispatch, evDispatched, uint64(r))
	}
	w.handlers.push(id)
}

// dispatched makes all handlers that wait for the thread of a process possible.
func (c *cluster) dispatched(r int32, now sim.Time) {
	c.causes.dispatched(r, now)
	batch := c.ranks[r].worker.handlers
	c.ranks[r].worker.handlers = fifo[int32]{} // what comes from now on waits anew
	for !batch.empty() {
		c.offer(r, job{step: handle, message: batch.pop()}, now)
	}
}

// ownWorker returns the worker of a rank, which from now on it has.
func (k *rank) ownWorker() *worker {
	if k.worker == nil {
		k.worker = new(worker)
	}
	return k.worker
}

// dispatches says that the thread of handlers of a rank will run, as a signal has come now.
func (t *causes) dispatches(c *cluster, r int32, now sim.Time) {
	if t == nil {
		return
	}
	t.dispatch[r] = t.add(t.Is(t.now, now), now+c.machine.Runtime.Dispatch, parts.Dispatch, 1, where{results.Helper, r, -1})
}

// dispatched says that it runs now.
func (t *causes) dispatched(r int32, now sim.Time) {
	if t == nil {
		return
	}
	t.now = t.Is(t.dispatch[r], now)
}
