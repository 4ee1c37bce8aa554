package sim

import "slices"

// scheduler is the part of a kernel that a program needs.
type scheduler interface {
	Register(h Handler) HandlerID
	Schedule(at Time, to HandlerID, kind uint32, arg uint64)
	Now() Time
	Peek() (Time, bool)
	Step() bool
	Run()
	RunUntil(t Time)
	Pending() int
	Processed() uint64
}

// reference is the slow, obvious kernel: a slice kept in order of (time,
// order of scheduling).
type reference struct {
	now       Time
	pending   []Event
	handlers  []Handler
	processed uint64
}

func (r *reference) Register(h Handler) HandlerID {
	r.handlers = append(r.handlers, h)
	return HandlerID(len(r.handlers) - 1)
}

func (r *reference) Schedule(at Time, to HandlerID, kind uint32, arg uint64) {
	i := len(r.pending)
	for i > 0 && r.pending[i-1].At > at {
		i--
	}
	r.pending = slices.Insert(r.pending, i, Event{at, to, kind, arg})
}

func (r *reference) Now() Time         { return r.now }
func (r *reference) Pending() int      { return len(r.pending) }
func (r *reference) Processed() uint64 { return r.processed }

func (r *reference) Peek() (Time, bool) {
	if len(r.pending) == 0 {
		return 0, false
	}
	return r.pending[0].At, true
}

func (r *reference) Step() bool {
	if len(r.pending) == 0 {
		return false
	}
	e := r.pending[0]
	r.pending = slices.Delete(r.pending, 0, 1)
	r.now = e.At
	r.processed++
	r.handlers[e.To].Handle(e)
	return true
}

func (r *reference) Run() {
	for r.Step() {
	}
}

func (r *reference) RunUntil(t Time) {
	for len(r.pending) > 0 && r.pending[0].At <= t {
		r.Step()
	}
	r.now = t
}
