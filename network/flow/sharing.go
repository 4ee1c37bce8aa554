package flow

import (
	"math"

	"overlapsim/sim"
)

// sharing keeps the max-min fair rates of flows over links, and how far each
// flow is. It is told which flows come and go, and solves when asked. Rates are
// in bytes per picosecond.
//
// Invariants, when solved: each flow is held by one link on its route, its
// bottleneck. The flows that a link holds all have the link's level as their
// rate; the link is full, and no flow on it is faster. A link that holds none
// has the level free. For every link
//
//	rest = capacity - rates of its flows that others hold
//	n    = flows that it holds
//	rest = n·level, if it holds any
//
// While it solves, flows may be free; they count in n on all their links.
type sharing struct {
	loads []load
	links []link
	flows []flow

	hops   []hop // stride of them for each flow
	stride int

	now  sim.Time
	next heap[sim.Time] // links that hold flows, by when the first of these is done

	// The state of solve, see there.
	level   float64
	queue   heap[float64]
	late    []int32
	lateMin float64
	lowered []int32
	above   []float64
}

// load is the part of a link that every change of a flow's rate on it touches.
type load struct {
	rest    float64
	n       int32
	stale   bool // changed since the level was found
	late    bool // in sharing.late
	lowered bool // in sharing.lowered
}

// link is a directed link, an injection, an ejection, or the limit of one flow.
type link struct {
	capacity float64
	level    float64 // rate of the flows it holds
	found    float64 // level that the last look at all its flows found
	clock    float64 // bytes that a flow it holds has sent, at time since
	since    sim.Time
	users    []user

	traffic   Load
	busySince sim.Time
}

// user is a flow on a link, and the index of the link among the flow's hops.
type user struct{ flow, hop int32 }

// hop is a link on a flow's route, and the flow's index among the link's users.
type hop struct{ link, index int32 }

// flow is a message under way.
type flow struct {
	rate   float64
	mark   float64 // what the holder's clock shows when the flow is done; bytes, if it has none
	holder int32   // the link that holds it, or held it until it became free; none at first
	length int32   // links on its route
}

// free is the rate of a flow that no link holds yet.
var free = math.Inf(1)

const none = -1

// addLink appends a link of so many bytes per picosecond.
func (s *sharing) addLink(capacity float64) int32 {
	s.links = append(s.links, link{capacity: capacity, level: free})
	s.loads = append(s.loads, load{rest: capacity})
	s.queue.grow(len(s.links))
	s.next.grow(len(s.links))
	return int32(len(s.links) - 1)
}

// setCapacity changes a link that no flow uses.
func (s *sharing) setCapacity(l int32, capacity float64) {
	s.links[l].capacity, s.loads[l].rest = capacity, capacity
}

// route returns the hops of a flow.
func (s *sharing) route(f int32) []hop {
	return s.hops[int(f)*s.stride:][:s.flows[f].length]
}

// setRoute notes the links of a flow, and its own limit if it has one.
func (s *sharing) setRoute(f int32, route []int32, limit int32) {
	length := len(route)
	if limit != none {
		length++
	}
	s.room(length)
	s.flows[f].length = int32(length)
	hops := s.route(f)
	for i, l := range route {
		hops[i].link = l
	}
	if limit != none {
		hops[length-1].link = limit
	}
}

// room makes room for routes of so many links.
func (s *sharing) room(length int) {
	if length > s.stride {
		wide := make([]hop, len(s.flows)*length)
		for f := range s.flows {
			copy(wide[f*length:], s.route(int32(f)))
		}
		s.hops, s.stride = wide, length
	}
	if need := len(s.flows) * s.stride; len(s.hops) < need {
		s.hops = append(s.hops, make([]hop, need-len(s.hops))...)
	}
}

// add lets a flow begin to share.
func (s *sharing) add(f int32, bytes float64) {
	w := &s.flows[f]
	w.rate, w.holder, w.mark = free, none, bytes
	hops := s.route(f)
	for i := range hops {
		h := &hops[i]
		l := &s.links[h.link]
		if len(l.users) == 0 {
			l.busySince = s.now
		}
		h.index = int32(len(l.users))
		l.users = append(l.users, user{f, int32(i)})
		l.traffic.Peak = max(l.traffic.Peak, len(l.users))
		s.loads[h.link].n++
		s.lower(h.link)
	}
}

// remove takes a flow out that has sent so many bytes.
func (s *sharing) remove(f int32, bytes float64) {
	w := &s.flows[f]
	for _, h := range s.route(f) {
		l := &s.links[h.link]
		last := l.users[len(l.users)-1]
		l.users[h.index] = last
		s.hops[int(last.flow)*s.stride+int(last.hop)].index = h.index
		l.users = l.users[:len(l.users)-1]
		l.traffic.Bytes += bytes
		o := &s.loads[h.link]
		if w.holder == h.link {
			o.n--
		} else {
			o.rest += w.rate
		}
		if len(l.users) == 0 {
			l.traffic.Busy += s.now - l.busySince
			o.rest = l.capacity // free of rounding errors
		}
		s.lower(h.link)
	}
}
