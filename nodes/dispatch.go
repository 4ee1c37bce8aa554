package nodes

import (
	"overlapsim/nodes/parts"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// signalled makes the handler of a delivered signal possible. It may run now, or when the thread
// of handlers next runs, together with all other handlers that wait by then (rule 18).
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
	c.ranks[r].worker.handlers = fifo[int32]{} // signals from now on wait for the next run
	for !batch.empty() {
		c.offer(r, job{step: handle, message: batch.pop()}, now)
	}
}

// ownWorker returns the worker of a rank, which it makes if there is none.
func (k *rank) ownWorker() *worker {
	if k.worker == nil {
		k.worker = new(worker)
	}
	return k.worker
}

// dispatches says that the thread of handlers of a rank will run, because a signal has arrived
// now.
func (t *causes) dispatches(c *cluster, r int32, now sim.Time) {
	if t == nil {
		return
	}
	t.dispatch[r] = t.add(t.Is(t.now, now), now+c.machine.Runtime.Dispatch, parts.Dispatch, 1, where{results.Helper, r, -1})
}

// dispatched says that the thread runs now.
func (t *causes) dispatched(r int32, now sim.Time) {
	if t == nil {
		return
	}
	t.now = t.Is(t.dispatch[r], now)
}
