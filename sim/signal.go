package sim

import (
	"container/list"
	"runtime"
	"slices"

	"github.com/fschuetz04/simgo"
)

// Signal is a simgo event for live processes: something that happens once.
// Trigger makes it happen at this instant; processes wait for it with Await,
// alone or in AnyOf and AllOf. A kernel handler that calls Trigger must end
// with Env.Drain; TriggerAfter may be called anywhere.
//
// A Signal may outlive many processes that wait for it: those that give up leave nothing
// behind. It has no finalizer. (simgo's finalizers abort an event when the garbage
// collector finds it unreachable. The time of that depends on the collector, and it runs
// in its own goroutine.)
type Signal struct {
	*simgo.Event
	env      *Env
	watchers list.List // of func(), called in this order
	armed    bool      // the event calls the watchers
}

// Signal returns a new signal.
func (v *Env) Signal() *Signal { return v.signal(v.simulation.Event()) }

func (v *Env) signal(ev *simgo.Event) *Signal {
	runtime.SetFinalizer(ev, nil)
	return &Signal{Event: ev, env: v}
}

// TriggerAfter triggers the signal at Now + d.
func (s *Signal) TriggerAfter(d Time) {
	s.env.After(d, func() { s.Trigger() })
}

// Timeout returns a signal that happens at Now + d. To wait with a time limit,
// Process.AwaitFor is cheaper.
func (v *Env) Timeout(d Time) *Signal {
	s := v.Signal()
	s.TriggerAfter(d)
	return s
}

// watch calls f when the event has happened or is aborted, unless unwatch is called
// before. On a Signal, unwatch leaves nothing behind.
func watch(ev simgo.Awaitable, f func()) (unwatch func()) {
	switch ev := ev.(type) {
	case *Signal:
		return ev.watch(f)
	case *Process:
		return ev.returned().watch(f)
	}
	clearFinalizer(ev)
	watching := true
	handler := func(*simgo.Event) {
		if watching {
			f()
		}
	}
	ev.AddHandler(handler)
	ev.AddAbortHandler(handler)
	return func() { watching = false }
}

func (s *Signal) watch(f func()) (unwatch func()) {
	if s.Processed() || s.Aborted() {
		return func() {} // too late, as in simgo
	}
	if !s.armed {
		s.armed = true
		s.Event.AddHandler(s.notify)
		s.Event.AddAbortHandler(s.notify)
	}
	place := s.watchers.PushBack(f)
	return func() { s.watchers.Remove(place) }
}

// AddHandler calls h when the signal has happened, in its turn among the processes that
// wait for the signal.
func (s *Signal) AddHandler(h simgo.Handler) {
	s.watch(func() {
		if s.Processed() {
			h(s.Event)
		}
	})
}

// AddAbortHandler calls h when the signal is aborted.
func (s *Signal) AddAbortHandler(h simgo.Handler) {
	s.watch(func() {
		if s.Aborted() {
			h(s.Event)
		}
	})
}

// notify calls the watchers; each may remove any.
func (s *Signal) notify(*simgo.Event) {
	for place := s.watchers.Front(); place != nil; place = s.watchers.Front() {
		s.watchers.Remove(place).(func())()
	}
}

// clearFinalizer removes the finalizer from an event that simgo made.
func clearFinalizer(ev simgo.Awaitable) {
	if ev, ok := ev.(*simgo.Event); ok {
		runtime.SetFinalizer(ev, nil)
	}
}

// AnyOf returns a signal that happens when the first of the events does; at
// once if one has happened, or if there are none. Unlike simgo's AnyOf it
// leaves nothing behind in the events that did not happen.
func (v *Env) AnyOf(events ...simgo.Awaitable) *Signal {
	first := v.Signal()
	if len(events) == 0 || slices.ContainsFunc(events, simgo.Awaitable.Processed) {
		first.Trigger()
		return first
	}
	var unwatch []func()
	for _, ev := range events {
		unwatch = append(unwatch, watch(ev, func() {
			if ev.Aborted() || !first.Trigger() {
				return
			}
			for _, f := range unwatch {
				f()
			}
		}))
	}
	return first
}

// AllOf returns a signal that happens when the last of the events does; at
// once if all have happened. It is aborted when one of them is.
func (v *Env) AllOf(events ...simgo.Awaitable) *Signal {
	for _, ev := range events {
		clearFinalizer(ev)
	}
	return v.signal(v.simulation.AllOf(events...))
}
