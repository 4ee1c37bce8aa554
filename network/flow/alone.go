package flow

// solveAlone does what sweep would do if each flow that came is alone on its links, and all these
// have the same capacity. It reports whether that is so; otherwise nothing has changed.
//
// All entries of the queue would then have the same key. Such a queue gives out its first entry
// and then the others, from the last to the second. So a flow is held by the last of its links;
// the flow of the first entry by that one.
func (s *sharing[T]) solveAlone() bool {
	first, ok := s.alone()
	if !ok {
		return false
	}
	all := s.lowered
	if len(all) > 0 {
		all[0], all[first] = all[first], all[0]
		s.settleAlone(all[0])
	}
	for i := len(all) - 1; i > 0; i-- {
		s.settleAlone(all[i])
	}
	s.lowered = all[:0]
	return true
}

// alone reports whether solveAlone may be used, and which of the lowered links is the first with a
// flow; the first of all if none has one.
func (s *sharing[T]) alone() (first int, ok bool) {
	capacity := 0.0
	for i, l := range s.lowered {
		o, at := &s.loads[l], &s.links[l]
		switch {
		case o.empty:
		case len(at.users) != 1 || o.n != 1 || o.rest != at.capacity:
			return 0, false
		case at.level != free && (at.level != at.capacity || s.flows[at.users[0].flow].rate != free):
			return 0, false
		case capacity == 0:
			first, capacity = i, at.capacity
		case at.capacity != capacity:
			return 0, false
		}
	}
	return first, true
}

// settleAlone lets a lowered link hold its flow if that is free. Otherwise the link is idle.
func (s *sharing[T]) settleAlone(l int32) {
	o, at := &s.loads[l], &s.links[l]
	o.lowered, o.stale = false, true
	if o.empty {
		return
	}
	f := at.users[0].flow
	if s.flows[f].rate != free {
		o.rest, o.n, at.level, at.clock = 0, 0, free, 0
		return
	}
	s.advance(l)
	s.take(f, l, at.capacity)
	at.level, at.found, o.stale = at.capacity, at.capacity, false
	s.next.set(l, s.when(at, s.flows[f].mark))
	if s.slopes != nil {
		s.tell(l, at.level)
	}
}
