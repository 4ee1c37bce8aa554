package flow

import "math"

// precision is the relative difference below which two levels count as the same. It keeps
// rounding errors from spreading through the network as changes.
const precision = 1e-12

// solve makes all rates max-min fair again after flows have come and gone.
func (s *sharing[T]) solve() {
	if s.mixed {
		s.sweep()
	} else {
		s.solveAlone()
	}
	s.mixed, s.width = false, 0
}

// sweep does so for any flows. It raises the level of all links together. At each level it settles
// the links that are full there, if a change has reached them.
//
// The queue orders links by a bound on the level at which something happens to them. Most links
// that a change reaches turn out to have room for it. Therefore links first go to the list late, and
// move to the queue only when the level reaches the smallest bound in the list.
func (s *sharing[T]) sweep() {
	s.level, s.lateMin = 0, free
	s.begin()
	for {
		switch {
		case len(s.late) > 0 && (s.queue.empty() || s.lowest() > s.lateMin):
			s.admit()
		case s.queue.empty():
			return
		default:
			s.level = s.lowest()
			s.settle(s.queue.entries[0].link)
		}
	}
}

// wait puts a link into the queue until the level comes to its bound, or changes its bound there.
func (s *sharing[T]) wait(l int32, bound float64) {
	s.loads[l].queued = true
	s.queue.set(l, math.Float64bits(bound))
}

// leaveQueue takes a link out of the queue if it is there.
func (s *sharing[T]) leaveQueue(l int32) {
	if o := &s.loads[l]; o.queued {
		o.queued = false
		s.queue.remove(l)
	}
}

// lowest returns the lowest bound in the queue.
func (s *sharing[T]) lowest() float64 { return math.Float64frombits(s.queue.entries[0].key) }

// begin moves the lowered links that matter into the queue. The level is 0 and the queue is empty.
func (s *sharing[T]) begin() {
	for _, l := range s.lowered {
		o := &s.loads[l]
		o.lowered, o.stale = false, true
		switch {
		case o.resting():
		case s.hasRoom(l):
			s.idle(l)
		default:
			s.wait(l, o.bound(s.level))
		}
	}
	s.lowered = s.lowered[:0]
}

// admit moves the late links that matter into the queue.
func (s *sharing[T]) admit() {
	for _, l := range s.late {
		o := &s.loads[l]
		o.late = false
		if s.hasRoom(l) {
			s.idle(l)
		} else {
			s.wait(l, o.bound(s.level))
		}
	}
	s.late, s.lateMin = s.late[:0], free
}

// lower records a link whose level may have fallen.
func (s *sharing[T]) lower(l int32) {
	if o := &s.loads[l]; !o.lowered {
		o.lowered = true
		s.lowered = append(s.lowered, l)
	}
}

// enqueue moves all lowered links to where they will be settled.
func (s *sharing[T]) enqueue() {
	for _, l := range s.lowered {
		o := &s.loads[l]
		o.lowered, o.stale = false, true
		switch {
		case o.queued:
			s.wait(l, o.bound(s.level))
		case !o.resting():
			s.postpone(l)
		}
	}
	s.lowered = s.lowered[:0]
}

// postpone puts a link aside, to be settled later.
func (s *sharing[T]) postpone(l int32) {
	o := &s.loads[l]
	if !o.late {
		o.late = true
		s.late = append(s.late, l)
	}
	if bound := o.bound(s.level); bound < s.lateMin {
		s.lateMin = bound
	}
}

// resting tells whether a link holds no flow and no flow on it is free: nothing happens to it.
func (o *load) resting() bool { return o.n == 0 && o.level == free }

// bound returns a level, at least the present one, up to which nothing happens on a link. It is
// the level of the flows that the link holds, or the link's share of the capacity if the flows
// that others hold keep their rates. The true level is no lower, since some of those flows may
// get less.
func (o *load) bound(present float64) float64 {
	if o.n == 0 {
		return present
	}
	// max and min would cost more: they also tell zeros apart by sign.
	bound := o.rest / float64(o.n)
	if o.level < bound {
		bound = o.level
	}
	if bound > present {
		return bound
	}
	return present
}

// hasRoom reports whether other links hold all flows of a link and the link is not overloaded.
func (s *sharing[T]) hasRoom(l int32) bool {
	o := &s.loads[l]
	return o.n == 0 && (o.rest >= 0 || o.rest >= -precision*s.links[l].capacity)
}

// settle handles a link that the level has reached.
func (s *sharing[T]) settle(l int32) {
	if s.hasRoom(l) {
		s.idle(l)
		return
	}
	share, held := s.share(l), s.loads[l].level
	if held < free && math.Abs(share-held) <= precision*held {
		share = held
	}
	switch {
	case share == free:
		s.idle(l)
	case share > held && s.level >= held:
		s.release(l)
		s.wait(l, share)
	case min(share, held) > s.level:
		s.wait(l, min(share, held))
	default:
		s.hold(l, share)
	}
}

// share returns the level of a link; free if the link has room. It may return a lower bound
// instead if that is enough to find the next step.
func (s *sharing[T]) share(l int32) float64 {
	o := &s.loads[l]
	if !o.stale {
		return s.links[l].found
	}
	if o.n > 0 {
		least := o.rest / float64(o.n)
		if least > o.level*(1+2*precision) || least > s.level && o.level > s.level {
			return least
		}
	}
	found := s.find(l)
	s.links[l].found, o.stale = found, false
	return found
}

// find returns the level of a link, at which its flows add up to its capacity. Each flow that
// another link holds counts with its rate, at most the level. Each other flow counts with the
// level.
func (s *sharing[T]) find(l int32) float64 {
	rest, n := s.links[l].capacity, 0
	above, flows, level := s.above[:0], s.flows, s.level
	s.looks += len(s.links[l].users)
	for _, u := range s.links[l].users {
		f := &flows[u.flow]
		switch {
		case f.rate == free || f.holder == l:
			n++
		case f.rate <= level:
			rest -= f.rate
		default:
			above = append(above, f.rate)
		}
	}
	s.above = above
	for {
		if n+len(above) == 0 {
			s.loads[l].rest = rest
			return free
		}
		share := max(s.level, rest/float64(n+len(above)))
		kept := above[:0]
		for _, rate := range above {
			if rate < share {
				rest -= rate
			} else {
				kept = append(kept, rate)
			}
		}
		if len(kept) == len(above) {
			return share
		}
		above = kept
	}
}

// idle resets a link whose flows are all held by other links.
func (s *sharing[T]) idle(l int32) {
	s.loads[l].level, s.links[l].clock = free, 0
	s.leaveQueue(l)
	if s.next.contains(l) {
		s.next.remove(l)
	}
}

// release frees all flows that a link holds: they may get more.
func (s *sharing[T]) release(l int32) {
	s.advance(l)
	loads, level := s.loads, s.loads[l].level
	s.looks += len(s.links[l].users)
	for _, u := range s.links[l].users {
		f := &s.flows[u.flow]
		if f.holder != l || f.rate == free {
			continue
		}
		f.rate = free
		s.looks += int(f.length)
		for _, other := range s.route(u.flow) {
			if other != l {
				o := &loads[other]
				o.rest += level
				o.n++
				s.lower(other)
			}
		}
	}
	s.loads[l].level = free
	s.enqueue()
}

// hold makes a link the bottleneck of all its flows that are not slower.
func (s *sharing[T]) hold(l int32, level float64) {
	s.advance(l)
	at := &s.links[l]
	rest, n, first := at.capacity, int32(0), free
	s.looks += len(at.users)
	for _, u := range at.users {
		f := &s.flows[u.flow]
		switch {
		case f.rate == free:
			s.fix(u.flow, l, level)
		case f.holder == l && f.rate != level || f.rate > level*(1+precision):
			s.cut(u.flow, l, level)
		case f.holder != l:
			rest -= f.rate
			continue
		}
		n++
		first = min(first, f.mark)
	}
	o := &s.loads[l]
	o.rest, o.n = rest, n
	if n == 0 {
		s.idle(l)
		return
	}
	o.level = level
	s.leaveQueue(l)
	s.next.set(l, s.when(at, level, first))
	if s.slopes != nil {
		s.tell(l, level)
	}
}

// fix gives a free flow a rate. All its links will be settled.
func (s *sharing[T]) fix(f, l int32, rate float64) {
	loads, route := s.loads, s.route(f)
	s.looks += len(route)
	for _, other := range route {
		if other != l {
			o := &loads[other]
			o.rest -= rate
			o.n--
			o.stale = true
		}
	}
	s.take(f, l, rate)
}

// cut gives a held flow a lower rate. The levels of its other links can only rise: their bounds
// still hold.
func (s *sharing[T]) cut(f, l int32, rate float64) {
	w, loads, route := s.flows[f], s.loads, s.route(f)
	s.looks += len(route)
	for _, other := range route {
		if other == l {
			continue
		}
		o := &loads[other]
		if other == w.holder {
			o.rest -= rate
			o.n--
		} else {
			o.rest += w.rate - rate
		}
		o.stale = true
		if !o.queued && !o.late && !o.resting() {
			s.postpone(other)
		}
	}
	s.take(f, l, rate)
}
