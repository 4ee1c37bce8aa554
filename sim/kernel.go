package sim

import (
	"fmt"
	"sync"
)

// HandlerID names a registered Handler.
type HandlerID uint32

// Event is something that happens to one handler at one time. Its meaning is agreed
// between the code that schedules it and the handler. It is a value of 24 bytes without
// pointers, so that the garbage collector never scans pending events.
type Event struct {
	At   Time
	To   HandlerID
	Kind uint32
	Arg  uint64
}

// Handler reacts to events. Handle runs at simulated time e.At and may
// schedule further events.
type Handler interface{ Handle(e Event) }

// Kernel owns simulated time and the pending events. It dispatches them in
// order of (time, order of scheduling). It is not safe for concurrent use.
type Kernel struct {
	handlers  []Handler
	scheduled uint64
	processed uint64
	charged   uint64
	stopped   bool
	queue     queue
}

// NewKernel returns a kernel at time 0 with nothing pending.
func NewKernel() *Kernel {
	k := released.Get().(*Kernel)
	k.scheduled, k.processed, k.charged, k.stopped = 0, 0, 0, false
	k.queue.reset()
	return k
}

// released holds kernels whose memory new ones reuse. A kernel takes 30 KiB or more, which is
// most of what a run of a few events needs.
var released = sync.Pool{New: func() any { return new(Kernel) }}

// Release ends the use of a kernel. It must not be used afterwards.
func (k *Kernel) Release() {
	if k.Pending() > 0 {
		return // its queue is not empty
	}
	clear(k.handlers)
	k.handlers = k.handlers[:0]
	released.Put(k)
}

// Register gives h an ID, so that events can be scheduled for it.
func (k *Kernel) Register(h Handler) HandlerID {
	k.handlers = append(k.handlers, h)
	return HandlerID(len(k.handlers) - 1)
}

// Schedule makes an event pending. An event at Now runs after all events that are already
// scheduled for Now. It panics if at is before Now. O(1) amortised; it allocates only
// when more events are pending than ever before.
func (k *Kernel) Schedule(at Time, to HandlerID, kind uint32, arg uint64) {
	e, q := Event{at, to, kind, arg}, &k.queue
	k.scheduled++
	switch {
	case at < q.now:
		panic(fmt.Sprintf("sim: event %+v scheduled %v before now %v", e, q.now-at, q.now))
	case at == q.now:
		q.pool.push(&q.due, e)
	case at > q.front.limit:
		q.near = min(q.near, at)
		q.place(e)
	default:
		q.insert(e)
	}
}

// Now returns the simulated time: the time of the last event dispatched, or the end of the
// last RunUntil.
func (k *Kernel) Now() Time { return k.queue.now }

// Peek returns the time of the next event, and whether there is one.
func (k *Kernel) Peek() (Time, bool) { return k.queue.peek() }

// Next removes and returns the next event if it is before the given time, for a caller that
// itself does what the handler would do.
func (k *Kernel) Next(before Time) (e Event, ok bool) {
	if at, ok := k.Peek(); !ok || at >= before {
		return e, false
	}
	k.processed++
	return k.queue.pop()
}

// Step dispatches the next event. It reports whether there was one.
func (k *Kernel) Step() bool {
	e, ok := k.queue.pop()
	if ok {
		k.dispatch(e)
	}
	return ok
}

func (k *Kernel) dispatch(e Event) {
	k.processed++
	k.handlers[e.To].Handle(e)
}

// Run dispatches events until none is pending or a handler called Stop.
func (k *Kernel) Run() {
	k.stopped = false
	for !k.stopped && k.Step() {
	}
}

// RunUntil dispatches the events with At <= t, then makes t the time. If a
// handler called Stop, the time stays at the last event. It panics if t
// is before Now.
func (k *Kernel) RunUntil(t Time) {
	if t < k.queue.now {
		panic(fmt.Sprintf("sim: RunUntil(%v) is before now %v", t, k.queue.now))
	}
	k.stopped = false
	for at, ok := k.Peek(); ok && at <= t; at, ok = k.Peek() {
		k.Step()
		if k.stopped {
			return
		}
	}
	k.queue.now = t
}

// Stop makes Run or RunUntil return once the current event is handled.
func (k *Kernel) Stop() { k.stopped = true }

// Pending returns the number of events scheduled but not yet dispatched.
func (k *Kernel) Pending() int { return int(k.scheduled - k.processed) }

// Processed returns the number of events dispatched.
func (k *Kernel) Processed() uint64 { return k.processed }

// Charge counts work of a handler that takes as long as this number of events.
func (k *Kernel) Charge(events uint64) { k.charged += events }

// Charged returns the sum of such work.
func (k *Kernel) Charged() uint64 { return k.charged }
