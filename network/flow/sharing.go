package flow

import (
	"math"
	"slices"
)

// instant is a time: whole picoseconds in a run, seconds in a case.
type instant interface{ ~int64 | ~float64 }

// sharing keeps the max-min fair rates of flows over links, and the progress of each flow. It is
// told which flows come and go, and finds the rates when asked. Rates are in bytes per unit of
// time.
//
// Invariants after solve: each flow is held by one link on its route, its bottleneck. The flows
// that a link holds all have the link's level as their rate. Such a link is full, and no flow on
// it is faster. A link that holds no flow has the level free, and its clock stands at 0; a link that
// all flows have left gets there when the next one comes. For every link
//
//	rest = capacity - rates of its flows that others hold
//	n    = flows that it holds
//	rest = n·level, if it holds any
//
// During solve, flows may be free. They count in n on all their links.
type sharing[T instant] struct {
	loads    []load
	links    []link[T]
	accounts []account[T]
	flows    []flow

	ways   []int32 // links on the route of each flow, stride apart
	places []int32 // for each link of a route, the flow's index among the users of that link
	stride int

	slopes *slopes  // nil: not computed
	record pacer[T] // nil: not recorded

	forever T    // no flow ends at this time
	whole   bool // times are whole numbers
	now     T
	next    heap[T] // links that hold flows, by when the first of these is done

	// What has happened since the last solve.
	mixed bool    // flows must be solved by sweep
	width float64 // capacity of all links to which flows have come; 0: none has

	// The state of solve.
	level   float64
	queue   heap[uint64] // keys are the bits of levels, which are in the order of the levels
	late    []int32
	lateMin float64
	lowered []int32
	above   []float64
	looks   int // flows on a link, and links of a flow, that were looked at
}

// load holds the fields of a link that are read or written when the rate of any flow on it
// changes. They fill half a cache line.
type load struct {
	rest    float64
	level   float64 // rate of the flows that it holds
	n       int32
	stale   bool // something changed since the level was found
	queued  bool // in sharing.queue
	late    bool // in sharing.late
	lowered bool // in sharing.lowered
	empty   bool // no flow has come since the last one left
}

// link is a directed link, an injection, an ejection, or the limit of one flow.
type link[T instant] struct {
	capacity float64
	found    float64 // level found by the last look at all its flows
	clock    float64 // bytes that a flow held here has sent, at time since
	since    T
	users    []user
}

// account is what a link has carried. It is separate from link, whose fields fit a cache line.
type account[T instant] struct {
	carried float64 // bytes of the flows that have ended
	ended   int64
	busy    T   // total; if it is busy now, less the time at which that began
	peak    int // most users at a time
}

// user is a flow on a link, and the index of the link on the flow's route.
type user struct{ flow, hop int32 }

// flow is a flow that shares links.
type flow struct {
	rate   float64
	mark   float64 // what the holder's clock shows when the flow is done; its bytes, if it has no holder
	holder int32   // the link that holds it, or held it last; none at first
	length int32   // links on its route
}

// free is the rate of a flow that no link holds yet.
var free = math.Inf(1)

const none = -1

// reserve makes room for n links.
func (s *sharing[T]) reserve(links int) {
	s.links = slices.Grow(s.links, links)
	s.loads = slices.Grow(s.loads, links)
	s.accounts = slices.Grow(s.accounts, links)
	s.queue.place, s.next.place = slices.Grow(s.queue.place, links), slices.Grow(s.next.place, links)
}

// addLink appends a link with a capacity in bytes per unit of time.
func (s *sharing[T]) addLink(capacity float64) int32 {
	s.links = append(s.links, link[T]{capacity: capacity})
	s.loads = append(s.loads, load{rest: capacity, level: free})
	s.accounts = append(s.accounts, account[T]{})
	s.queue.grow(len(s.links))
	s.next.grow(len(s.links))
	return int32(len(s.links) - 1)
}

// setCapacity changes a link that no flow uses.
func (s *sharing[T]) setCapacity(l int32, capacity float64) {
	s.links[l].capacity, s.loads[l].rest = capacity, capacity
}

// route returns the links on the route of a flow.
func (s *sharing[T]) route(f int32) []int32 {
	return s.ways[int(f)*s.stride:][:s.flows[f].length]
}

// place returns the address of the index of a flow among the users of a link.
func (s *sharing[T]) place(u user) *int32 { return &s.places[int(u.flow)*s.stride+int(u.hop)] }

// setRoute records the links of a flow, with its own limit if it has one.
func (s *sharing[T]) setRoute(f int32, route []int32, limit int32) {
	length := len(route)
	if limit != none {
		length++
	}
	s.room(length)
	s.flows[f].length = int32(length)
	way := s.route(f)
	copy(way, route)
	if limit != none {
		way[length-1] = limit
	}
}

// room makes room for routes of a length.
func (s *sharing[T]) room(length int) {
	if length > s.stride {
		s.ways = respace(s.ways, s.stride, length)
		s.places = respace(s.places, s.stride, length)
		s.stride = length
	}
	if need := len(s.flows) * s.stride; len(s.ways) < need {
		s.ways = append(s.ways, make([]int32, need-len(s.ways))...)
		s.places = append(s.places, make([]int32, need-len(s.places))...)
	}
}

// respace copies rows so that they are farther apart.
func respace(rows []int32, from, to int) []int32 {
	if from == 0 {
		return nil
	}
	wide := make([]int32, len(rows)/from*to)
	for i := 0; i < len(rows)/from; i++ {
		copy(wide[i*to:], rows[i*from:][:from])
	}
	return wide
}

// add lets a flow begin to share links.
func (s *sharing[T]) add(f int32, bytes float64) {
	w := &s.flows[f]
	w.rate, w.holder, w.mark = free, none, bytes
	for i, l := range s.route(f) {
		at, o, book, u := &s.links[l], &s.loads[l], &s.accounts[l], user{f, int32(i)}
		if len(at.users) == 0 {
			book.busy -= s.now
			s.occupy(l)
		} else {
			s.mixed = true
		}
		*s.place(u) = int32(len(at.users))
		at.users = append(at.users, u)
		book.peak = max(book.peak, len(at.users))
		o.n++
		s.lower(l)
	}
}

// occupy lets a first flow come to a link. If rates have been found since the last one left, the
// link forgets that one.
func (s *sharing[T]) occupy(l int32) {
	o, at := &s.loads[l], &s.links[l]
	if !o.lowered {
		o.level, at.clock = free, 0
	}
	if s.width == 0 {
		s.width = at.capacity
	}
	s.mixed = s.mixed || at.capacity != s.width || o.level != free && o.level != at.capacity
	o.empty = false
}

// remove takes out a flow that has sent these bytes.
func (s *sharing[T]) remove(f int32, bytes float64) {
	w := &s.flows[f]
	if s.record != nil {
		s.record.ends(f, s.now)
	}
	for i, l := range s.route(f) {
		at, o, book := &s.links[l], &s.loads[l], &s.accounts[l]
		end := len(at.users) - 1
		if end > 0 {
			s.mixed = true
			last, index := at.users[end], *s.place(user{f, int32(i)})
			at.users[index] = last
			*s.place(last) = index
		}
		at.users = at.users[:end]
		book.carried += bytes
		book.ended++
		if w.holder == l {
			o.n--
		} else {
			o.rest += w.rate
		}
		if end == 0 {
			book.busy += s.now
			o.rest, o.empty = at.capacity, true // removes accumulated rounding errors
		}
		s.lower(l)
	}
}
