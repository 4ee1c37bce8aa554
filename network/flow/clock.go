package flow

import "math"

// A link's clock counts the bytes that each flow held by it has sent. A flow is done when
// the clock of its holder shows the flow's mark. A new level therefore moves the ends of
// all flows that a link holds without touching them, and keeps their order.

// take lets link l hold a flow. The flow's bytes then count on the link's clock, which
// must be at the present.
func (s *sharing[T]) take(f, l int32, rate float64) {
	w := &s.flows[f]
	if w.holder != l {
		if w.holder != none {
			s.advance(w.holder)
			w.mark -= s.links[w.holder].clock
		}
		w.mark += s.links[l].clock
		w.holder = l
	}
	w.rate = rate
	if s.record != nil {
		s.record.paces(f, rate, s.now)
	}
}

// advance brings a link's clock up to the present.
func (s *sharing[T]) advance(l int32) {
	at := &s.links[l]
	if level := s.loads[l].level; level < free {
		at.clock += float64(level * float64(s.now-at.since))
	}
	at.since = s.now
}

// when returns the time at which a link's clock shows a mark. In a run it is rounded to the
// nearest picosecond.
func (s *sharing[T]) when(l *link[T], level, mark float64) T {
	left := max(0, (mark-l.clock)/level)
	if left >= float64(s.forever-l.since) {
		return s.forever
	}
	after := T(left)
	if s.whole {
		after += T(one(left-float64(after) >= 0.5))
	}
	return l.since + after
}

// due appends the flows that are done now to done. The caller must remove them.
func (s *sharing[T]) due(done []int32) []int32 {
	for !s.next.empty() && s.next.entries[0].key <= s.now {
		l := s.next.entries[0].link
		if users := s.links[l].users; len(users) == 1 {
			done = append(done, users[0].flow)
		} else {
			done = s.dueOf(l, done)
		}
		s.next.remove(l)
	}
	return done
}

// dueOf appends the flows of a link that are done now. Many have the same mark.
func (s *sharing[T]) dueOf(l int32, done []int32) []int32 {
	at, level, mark, is := &s.links[l], s.loads[l].level, math.NaN(), false
	for _, u := range at.users {
		f := &s.flows[u.flow]
		if f.holder != l {
			continue
		}
		if f.mark != mark {
			mark, is = f.mark, s.when(at, level, f.mark) <= s.now
		}
		if is {
			done = append(done, u.flow)
		}
	}
	return done
}
