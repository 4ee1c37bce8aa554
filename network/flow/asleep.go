package flow

import "math"

// A link is asleep while it has more capacity than its flows may take: it holds none of them and
// needs not be told of their rates. Each flow has a ceiling, a power of two above its rate. A link
// may sleep if it has room for the ceilings of its flows. It wakes up when ceilings rise beyond
// its capacity, after the sweep in which that happens: another sweep then finds what it holds.
//
// The links of a flow that are awake come first in its row.

// headroom is how many binary orders a rate may fall below its ceiling before that follows.
const headroom = 3

// order returns the number of the power of two that a positive number has reached.
func order(x float64) uint16 { return uint16(math.Float64bits(x) >> 52) }

// power returns the power of two of an order; 0 for order 0.
func power(order uint16) float64 { return math.Float64frombits(uint64(order) << 52) }

// awake returns the links on the route of a flow that are awake.
func (s *sharing[T]) awake(f int32) []int32 {
	return s.ways[int(f)*s.stride:][:s.flows[f].awake]
}

// limit moves the ceiling of a flow to its new rate, if that is above it or far below.
func (s *sharing[T]) limit(f int32, rate float64) {
	w, to := &s.flows[f], order(rate)+1
	if to <= w.ceiling && to+headroom > w.ceiling {
		return
	}
	more := power(to) - power(w.ceiling)
	w.ceiling = to
	for _, l := range s.route(f) {
		at := &s.links[l]
		if at.room -= more; at.room < 0 && s.loads[l].asleep {
			s.woken = append(s.woken, l)
		}
	}
}

// sleep lets a link sleep that holds no flow, if there is room for the ceilings of all.
func (s *sharing[T]) sleep(l int32) {
	o, at := &s.loads[l], &s.links[l]
	if o.asleep || at.room <= 0 || len(at.users) == 0 {
		return
	}
	o.asleep = true
	for _, u := range at.users {
		w := &s.flows[u.flow]
		w.awake--
		s.swap(u.flow, u.hop, w.awake)
	}
}

// wake lets a link take part again.
func (s *sharing[T]) wake(l int32) {
	o, at := &s.loads[l], &s.links[l]
	o.asleep, o.rest, o.n = false, at.capacity, 0
	s.looks += len(at.users)
	for _, u := range at.users {
		w := &s.flows[u.flow]
		if w.rate == free {
			o.n++
		} else {
			o.rest -= w.rate
		}
		s.swap(u.flow, u.hop, w.awake)
		w.awake++
	}
}

// wakeUp lets the links take part that the last sweep has woken.
func (s *sharing[T]) wakeUp() {
	for _, l := range s.woken {
		if s.loads[l].asleep {
			s.wake(l)
			s.loads[l].stale = true
			s.postpone(l)
		}
	}
	s.woken = s.woken[:0]
}

// swap exchanges two links in the row of a flow.
func (s *sharing[T]) swap(f, a, b int32) {
	if a == b {
		return
	}
	from := int(f) * s.stride
	way, place := s.ways[from:from+s.stride], s.places[from:from+s.stride]
	way[a], way[b] = way[b], way[a]
	place[a], place[b] = place[b], place[a]
	s.links[way[a]].users[place[a]].hop = a
	s.links[way[b]].users[place[b]].hop = b
}

// arrange puts the links of a new flow that are awake first. If all are asleep, they wake up: one
// of them will hold it.
func (s *sharing[T]) arrange(f int32) {
	w, way := &s.flows[f], s.route(f)
	w.ceiling, w.awake = 0, w.length
	for i := int32(0); i < w.awake; {
		if !s.loads[way[i]].asleep {
			i++
			continue
		}
		w.awake--
		way[i], way[w.awake] = way[w.awake], way[i]
	}
	if w.awake > 0 {
		return
	}
	for _, l := range way {
		s.wake(l)
	}
	w.awake = w.length
}
