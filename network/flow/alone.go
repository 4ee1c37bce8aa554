package flow

// solveAlone does what sweep would do, if no flows are mixed: each one that came is alone on its
// links, these all have the same capacity, and each one that ended was alone on its own.
//
// All entries of the queue would then have the same key. Such a queue gives out its first entry
// and then the others, from the last to the second. Therefore a flow is held by the last of its links;
// the flow of the first entry by that one.
func (s *sharing[T]) solveAlone() {
	all, first := s.lowered, 0
	for first < len(all)-1 && s.loads[all[first]].empty {
		first++
	}
	if len(all) > 0 {
		all[0], all[first] = all[first], all[0]
		s.settleAlone(all[0])
	}
	for i := len(all) - 1; i > 0; i-- {
		s.settleAlone(all[i])
	}
	s.lowered = all[:0]
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
		o.rest, o.n, o.level, at.clock = 0, 0, free, 0
		return
	}
	s.advance(l)
	s.take(f, l, at.capacity)
	o.level, at.found, o.stale = at.capacity, at.capacity, false
	s.next.set(l, s.when(at, o.level, s.flows[f].mark))
	if s.slopes != nil {
		s.tell(l, o.level)
	}
}
