package flow

import (
	"math"

	"overlapsim/sim"
)

// sharing keeps the max-min fair rates of flows over links, and how far each
// flow is. It is told which flows come and go, and solves when asked. Rates are
// bytes per picosecond.
//
// A flow is held by one of the links on its route, its bottleneck. A link that
// holds flows is full; they all have its level as their rate, and no flow on it
// has a higher one. A link's clock counts the bytes that each flow held by it
// has sent. A flow is done when the clock of the link that holds it reaches the
// flow's mark; so a new level moves all of a link's flows without a look at
// them.
type sharing struct {
	loads []load
	links []link
	flows []flow

	hops   []hop // stride hops for each flow
	stride int

	now     sim.Time
	fill    heap[float64]  // links to settle, by a bound on their level
	next    heap[sim.Time] // links that hold flows, by when the first is done
	lowered []int32
	above   []float64
}

// load is what the other links leave to a link. It is apart from link because
// every change of a flow's rate passes through all of its loads.
type load struct {
	rest   float64 // capacity less the rates of flows that another link holds
	n      int32   // all other flows: held here, or free
	stale  bool    // changed since the level was found
	queued bool    // in lowered
}

// link is a directed link, an injection, an ejection, or the limit of one flow.
type link struct {
	capacity float64
	level    float64 // rate of the flows it holds, free if it holds none
	found    float64 // level found by the last look at all flows
	clock    float64 // bytes, at time since
	since    sim.Time
	users    []user

	Load
	busySince sim.Time
}

// user is a flow on a link, and the index of the link among the flow's hops.
type user struct{ flow, hop int32 }

// hop is a link on a flow's route, and the flow's index among the link's users.
type hop struct{ link, index int32 }

// flow is a message under way.
type flow struct {
	rate   float64 // free while it is not known
	mark   float64 // clock of the holder when the flow is done; bytes if none
	holder int32   // none while it has never been solved
	length int32   // links on its route
}

// free is the rate of a flow that no link holds yet, and the level of a link
// that holds none.
var free = math.Inf(1)

const none = -1

// precision is the relative difference up to which two levels are the same.
// It keeps rounding from travelling through the network as if it were news.
const precision = 1e-12

func (s *sharing) route(f int32) []hop {
	return s.hops[int(f)*s.stride:][:s.flows[f].length]
}

// addLink appends a link of so many bytes per picosecond.
func (s *sharing) addLink(capacity float64) int32 {
	s.links = append(s.links, link{capacity: capacity, level: free})
	s.loads = append(s.loads, load{rest: capacity})
	s.fill.grow(len(s.links))
	s.next.grow(len(s.links))
	return int32(len(s.links) - 1)
}

// add lets a flow of slot f begin.
func (s *sharing) add(f int32, bytes float64) {
	s.flows[f].rate, s.flows[f].holder, s.flows[f].mark = free, none, bytes
	for i, h := range s.route(f) {
		l := &s.links[h.link]
		if len(l.users) == 0 {
			l.busySince = s.now
		}
		s.hops[int(f)*s.stride+i].index = int32(len(l.users))
		l.users = append(l.users, user{f, int32(i)})
		l.Peak = max(l.Peak, len(l.users))
		s.loads[h.link].n++
		s.lower(h.link)
	}
}

// remove takes a flow out.
func (s *sharing) remove(f int32, bytes float64) {
	for _, h := range s.route(f) {
		l := &s.links[h.link]
		last := l.users[len(l.users)-1]
		l.users[h.index] = last
		s.hops[int(last.flow)*s.stride+int(last.hop)].index = h.index
		l.users = l.users[:len(l.users)-1]
		if len(l.users) == 0 {
			l.Busy += s.now - l.busySince
		}
		l.Bytes += bytes
		if o := &s.loads[h.link]; s.flows[f].holder == h.link || s.flows[f].rate == free {
			o.n--
		} else {
			o.rest += s.flows[f].rate
		}
		s.lower(h.link)
	}
}

// lower notes a link of which the level may have fallen.
func (s *sharing) lower(l int32) {
	if o := &s.loads[l]; !o.queued {
		o.queued = true
		s.lowered = append(s.lowered, l)
	}
}

// solve makes all rates max-min fair again: it fills the links, from the lowest
// level up.
func (s *sharing) solve() {
	s.enqueue(0)
	for len(s.fill.entries) > 0 {
		e := s.fill.entries[0]
		s.settle(e.link, e.key)
	}
}

// enqueue puts all lowered links into the queue, at the present level or above.
func (s *sharing) enqueue(level float64) {
	for _, l := range s.lowered {
		o := &s.loads[l]
		o.queued, o.stale = false, true
		if o.n > 0 {
			s.fill.set(l, max(level, s.bound(l)))
		} else if s.links[l].level < free {
			s.idle(l)
		}
	}
	s.lowered = s.lowered[:0]
}

// bound returns the level up to which nothing happens on a link: its present
// one, or what its capacity yields if the flows that others hold keep their
// rates. That is never above its true level, because some may yet get less.
func (s *sharing) bound(l int32) float64 {
	o := &s.loads[l]
	if o.n == 0 {
		return 0
	}
	return min(s.links[l].level, o.rest/float64(o.n))
}

// settle looks at the link with the lowest bound, which is where all others are
// filled to.
func (s *sharing) settle(l int32, level float64) {
	o, at := &s.loads[l], &s.links[l]
	if o.n == 0 && o.rest >= -precision*at.capacity {
		s.idle(l)
		return
	}
	if o.stale {
		if b := s.bound(l); b > level {
			s.fill.set(l, b)
			return
		}
		if share := o.rest / float64(o.n); o.n > 0 && share > at.level*(1+precision) {
			s.release(l, level)
			s.fill.set(l, share)
			return
		}
		at.found = s.find(l, level)
		o.stale = false
	}
	share := at.found
	if math.Abs(share-at.level) <= precision*share {
		share = at.level
	}
	switch {
	case share > at.level && level < at.level:
		s.fill.set(l, at.level)
	case share > at.level:
		s.release(l, level)
		s.fill.set(l, share)
	case share > level:
		s.fill.set(l, share)
	default:
		s.hold(l, share)
	}
}

// idle lets a link be that has no flow of its own.
func (s *sharing) idle(l int32) {
	at := &s.links[l]
	at.level, at.clock = free, 0
	s.fill.remove(l)
	s.next.remove(l)
}

// find returns the level of a link: that at which min(level, rate) of the flows
// that others hold and the level of all others add up to its capacity.
func (s *sharing) find(l int32, level float64) float64 {
	rest, n := s.links[l].capacity, 0
	s.above = s.above[:0]
	for _, u := range s.links[l].users {
		f := &s.flows[u.flow]
		switch {
		case f.rate == free || f.holder == l:
			n++
		case f.rate <= level:
			rest -= f.rate
		default:
			s.above = append(s.above, f.rate)
		}
	}
	share := rest / float64(n+len(s.above))
	for {
		kept := s.above[:0]
		for _, r := range s.above {
			if r < share {
				rest -= r
			} else {
				kept = append(kept, r)
			}
		}
		if len(kept) == len(s.above) {
			return max(share, level)
		}
		s.above = kept
		if n+len(kept) == 0 {
			return free
		}
		share = rest / float64(n+len(kept))
	}
}

// release frees all flows that a link holds: they may have more.
func (s *sharing) release(l int32, level float64) {
	s.advance(l)
	at := &s.links[l]
	for _, u := range at.users {
		f := &s.flows[u.flow]
		if f.holder != l || f.rate == free {
			continue
		}
		f.rate = free
		for _, h := range s.route(u.flow) {
			if h.link != l {
				o := &s.loads[h.link]
				o.rest += at.level
				o.n++
				s.lower(h.link)
			}
		}
	}
	at.level = free
	s.enqueue(level)
}

// hold makes a link the bottleneck of all its flows that have no lower rate.
func (s *sharing) hold(l int32, level float64) {
	s.advance(l)
	at := &s.links[l]
	rest, n, first := at.capacity, int32(0), free
	for _, u := range at.users {
		f := &s.flows[u.flow]
		switch {
		case f.holder == l && f.rate == level:
		case f.rate == free:
			s.fix(u.flow, l, level)
		case f.holder == l || f.rate > level*(1+precision):
			s.cut(u.flow, l, level)
		default:
			rest -= f.rate
			continue
		}
		n++
		first = min(first, f.mark)
	}
	s.loads[l].rest, s.loads[l].n = rest, n
	if n == 0 {
		s.idle(l)
		return
	}
	at.level = level
	s.fill.remove(l)
	s.next.set(l, at.when(first))
}

// fix gives a free flow its rate.
func (s *sharing) fix(f, l int32, rate float64) {
	for _, h := range s.route(f) {
		if h.link != l {
			o := &s.loads[h.link]
			o.rest -= rate
			o.n--
			o.stale = true
		}
	}
	s.take(f, l, rate)
}

// cut gives a flow a lower rate than it had.
func (s *sharing) cut(f, l int32, rate float64) {
	was := &s.flows[f]
	for _, h := range s.route(f) {
		if h.link == l {
			continue
		}
		o := &s.loads[h.link]
		if h.link == was.holder {
			o.rest -= rate
			o.n--
		} else {
			o.rest += was.rate - rate
		}
		s.raise(h.link, rate)
	}
	s.take(f, l, rate)
}

// raise notes a link of which the level can only have risen.
func (s *sharing) raise(l int32, level float64) {
	o := &s.loads[l]
	o.stale = true
	if !s.fill.contains(l) && (o.n > 0 || s.links[l].level < free) {
		s.fill.set(l, max(level, s.bound(l)))
	}
}

// take lets a link hold a flow, on whose clock its bytes then count.
func (s *sharing) take(f, l int32, rate float64) {
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
}

// advance brings a link's clock to the present.
func (s *sharing) advance(l int32) {
	at := &s.links[l]
	if at.level < free {
		at.clock += float64(at.level * float64(s.now-at.since))
	}
	at.since = s.now
}

// when returns the time at which a link's clock reaches a mark.
func (l *link) when(mark float64) sim.Time {
	left := math.Round((mark - l.clock) / l.level)
	if left >= float64(sim.Forever-l.since) {
		return sim.Forever
	}
	return l.since + max(sim.Time(left), 0)
}

// setRoute notes the links of a flow, and its own limit if it has one.
func (s *sharing) setRoute(f int32, route []int32, limit int32) {
	length := len(route)
	if limit != none {
		length++
	}
	if length > s.stride {
		s.widen(length)
	}
	if need := len(s.flows) * s.stride; len(s.hops) < need {
		s.hops = append(s.hops, make([]hop, need-len(s.hops))...)
	}
	s.flows[f].length = int32(length)
	hops := s.route(f)
	for i, l := range route {
		hops[i].link = l
	}
	if limit != none {
		hops[length-1].link = limit
	}
}

// widen makes room for routes of so many links.
func (s *sharing) widen(stride int) {
	wide := make([]hop, len(s.flows)*stride)
	for f := range s.flows {
		copy(wide[f*stride:], s.route(int32(f)))
	}
	s.hops, s.stride = wide, stride
}

// due appends the flows that are done now.
func (s *sharing) due(done []int32) []int32 {
	for len(s.next.entries) > 0 && s.next.entries[0].key <= s.now {
		l := s.next.entries[0].link
		for _, u := range s.links[l].users {
			f := &s.flows[u.flow]
			if f.holder == l && f.rate < free && s.links[l].when(f.mark) <= s.now {
				done = append(done, u.flow)
			}
		}
		s.next.remove(l)
	}
	return done
}
