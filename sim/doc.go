// Package sim is the event kernel: simulated time, pending events, seeded
// random streams and live processes. It knows nothing of machines.
//
// # Order
//
// Events are dispatched in order of (time, order of scheduling), always. An event that is
// scheduled for Now during dispatch runs at Now, after all events that were scheduled for
// Now before it. Time is an integer. Nothing depends on the machine, the garbage
// collector or the wall clock: the same input gives the same run.
//
// # The queue
//
// The queue is monotone: nothing is scheduled in the past. It makes use of that: it is a
// lazy variant of the radix heap of Ahuja, Mehlhorn, Orlin and Tarjan ("Faster algorithms
// for the shortest path problem", J. ACM 37(2), 1990). With a reference time last <= now,
// and times written in base 64, an event lies in bucket (l, d) where
//
//	l = the highest digit in which its time differs from last,
//	d = that digit of its time.
//
// Therefore the lowest bucket that is not empty, by level and then by digit, holds
// the earliest events, and events of equal time share a bucket. Buckets are
// lists in order of arrival, moved only as a whole or from front to back;
// hence ties keep their order and need no sequence number. When the next event
// is wanted,
//
//   - a lowest bucket of few events is sorted into the front, a small array
//     that covers all of the bucket's range: events that arrive later in that
//     range go there directly;
//   - a larger one is split: its earliest time becomes last and now, events
//     at that time become due, the others move to lower levels.
//
// An event moves at most once per level, in practice once or twice in its life. (A front that overflows
// returns its events to the buckets, relative to now. That is rare, and the next front is narrower.) The
// invariants, with B the events in buckets:
//
//	now <= At for every pending event
//	last <= At for every event of B, and last <= now
//	front.base <= At <= front.limit < At' for every event At of the front, At' of B
//	due holds events at now only, scheduled later than the front's events at now
//
// Peek changes none of this: if it advanced last to the next event, the queue could no
// longer take an event before that one.
//
// Deviations from the paper: buckets are split only when they are large, the small ones
// are sorted; there is no decrease-key (the handler of an event cancels it by a
// generation number in its argument); ties keep their order.
//
// Cost: Schedule and Step are O(1) amortised for a bounded number of levels (11), with
// small constants regardless of the distribution of times. Peek is O(1), except after the
// front has run empty: then it reads the lowest bucket once. Memory: 24 bytes per event
// in chunks of 128, which are recycled, plus at most one partly filled chunk per bucket
// in use; it does not shrink.
//
// # Programs as Go functions
//
// An Env runs ordinary Go functions as processes: coroutines woken straight from the
// kernel by an event, with a vocabulary after SimPy's (Sleep, Await, AnyOf, AllOf,
// Resource). Composition uses simgo's events, for which no time passes. At one instant of
// an Env, the kernel dispatches an event of the Env, and the process that it wakes runs
// until it waits. The signals that were triggered are delivered in order of triggering,
// each to its waiting processes in the order in which they began to wait. Each of these
// runs until it waits again, and may trigger more. The kernel's next event comes when
// nothing is left to deliver.
//
// A process that gives up a wait (AwaitFor, AnyOf) leaves nothing behind. Wakes carry the
// number of the process's turn, so that a wake that comes too late does nothing.
package sim
