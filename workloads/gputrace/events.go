package gputrace

import (
	"cmp"
	"slices"
)

// eventCall is a call of the host that records an event of a stream, or makes a stream wait for
// one. A trace does not say which event.
type eventCall struct {
	at   int64
	wait bool
}

// findEvents finds what operations wait for by events. A collective for which a stream was told
// to wait needs what was launched last before it on another stream, because its data come from
// there. Another operation needs the collectives for which nothing has waited so far, one for
// each wait, in the order of their launches. An operation did not wait for what had not ended
// when it began.
func (r *rank) findEvents() {
	slices.SortStableFunc(r.eventCalls, func(a, b eventCall) int { return cmp.Compare(a.at, b.at) })
	slices.Sort(r.steps)
	rest := r.eventCalls
	var under []int // collectives for which nothing has waited
	before := -1    // the last operation that is not a collective
	for i := range r.ops {
		o := &r.ops[i]
		n, _ := slices.BinarySearchFunc(rest, o.launch, func(e eventCall, at int64) int { return cmp.Compare(e.at, at) })
		waits := waitsIn(rest[:n], i > 0 && r.ops[i-1].kind == collective)
		rest = rest[n:]
		if o.wait >= 0 {
			under = slices.DeleteFunc(under, func(c int) bool { return r.ops[c].end <= r.ops[o.wait].end })
		}
		if o.kind == collective {
			if waits > 0 && before >= 0 {
				r.needs(o, before)
			}
			under = append(under, i)
			continue
		}
		before = i
		for ; waits > 0 && len(under) > 0 && r.needs(o, under[0]); waits-- {
			under = under[1:]
		}
	}
}

// needs makes an operation wait for another one, if that had ended when it began.
func (r *rank) needs(o *operation, other int) bool {
	before := &r.ops[other]
	ok := before.end <= o.start
	if ok && before.stream != o.stream {
		o.events = append(o.events, other)
	}
	return ok
}

// waitsIn counts the waits among calls. After launching a collective, NCCL records an event and
// makes a separate stream wait for it; that wait does not count.
func waitsIn(calls []eventCall, afterCollective bool) (n int) {
	if afterCollective && len(calls) > 1 && !calls[0].wait && calls[1].wait {
		calls = calls[2:]
	}
	for _, c := range calls {
		if c.wait {
			n++
		}
	}
	return n
}

// needed are the operations that must end before an operation begins: the one that it seems to
// wait for, and those that it waits for by events.
func (o *operation) needed() []int {
	if o.after < 0 || slices.Contains(o.events, o.after) {
		return o.events
	}
	return append([]int{o.after}, o.events...)
}
