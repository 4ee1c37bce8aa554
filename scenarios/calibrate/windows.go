package calibrate

import (
	"math"
	"slices"
	"sort"
)

// steady is the time from message to message by size, once a window is in flight: a window ends with the
// way of its last message and the way of the answer. A library that was given spends a part of it to match messages, except where bytes
// take as long in the NIC.
func (s *fitting) steady() []Point {
	q := s.streaming()
	points := slices.Clone(s.points[q])
	if q != Stream || len(s.points[OneWay]) == 0 {
		return points
	}
	for i, p := range points {
		ways := s.Curves[OneWay].At(p.Bytes) + s.Curves[OneWay].At(answer)
		if less := (window*p.Seconds - ways) / (window - 1); less > p.Seconds/2 {
			points[i].Seconds = less
		}
	}
	if n := len(points); n > 0 && points[n-1].Bytes > 0 && s.inWindow > 0 {
		rate := points[n-1].Seconds / float64(points[n-1].Bytes)
		for i, p := range points {
			points[i].Seconds = min(p.Seconds, max(p.Seconds-s.inWindow, rate*float64(p.Bytes)))
		}
	}
	return points
}

// together is the time from message to message of all pairs of processes at once, by size.
func (s *fitting) together() []Point {
	fastest := Samples{}
	for _, t := range s.data.Together {
		for _, r := range t.Rows {
			each := r.Seconds / float64(t.Pairs)
			if before := fastest[r.Bytes]; before == nil || each < before[0] {
				fastest[r.Bytes] = []float64{each}
			}
		}
	}
	return fastest.Medians()
}

// byWindows finds the network where both one-way times and windows were measured. Windows say how long
// a message occupies the NIC. What it takes beyond that, latency and overheads is its delivery, which
// occupies nothing: messages of a window pass it side by side.
func (s *fitting) byWindows(below, above, each []Point) error {
	s.transfer = curve{kind: derived, source: s.data.says(s.streaming()) + ", less the ways of the last message and of the answer"}
	s.delivery = curve{kind: derived, source: join(s.data.says(OneWay), s.data.says(s.streaming())+", which leave this of the way")}
	few, _ := s.split(each)
	s.held(few)
	s.bothWays(few)
	pieces, busy := s.occupied(few)
	s.transfer.Pieces = pieces
	s.transfer.measure(busy)
	rest, err := s.left(OneWay, inBetween(below))
	if err != nil {
		return err
	}
	s.share(rest)
	s.deliver(0, rest)
	return s.beyond(above)
}

// held makes the overhead of a send that no call was timed for grow with the size where several pairs at once are
// faster than one: it is the process that holds its messages up, and not the NIC.
func (s *fitting) held(each []Point) {
	rate := segment(s.together())
	if rate == nil || s.send.kind != assumed {
		return
	}
	points, last := make([]Point, len(each)), s.send.At(0)
	for i, p := range each {
		if p.Seconds > (1+off)*rate.At(p.Bytes) {
			last = max(last, p.Seconds)
		}
		points[i] = Point{p.Bytes, last, p.Seconds}
	}
	s.AtOnce = last > s.send.At(0)
	s.send.Pieces = s.andRequests(segment(points), s.send.At(0))
	s.send.source += "; where several pairs at once are faster, the time of one"
}

// shared is how much longer messages of both directions must take than messages of one direction to share something.
const shared = 1.25

// bothWays finds overheads that no call was timed for where messages of both directions take longer than messages of
// one direction: the
// process, which sends and receives, is taken to be what the directions share. Then a message of one direction takes it an
// overhead of a send, and a message of each takes it both overheads, as far as they fit into the one-way time. At sizes at which
// the directions share nothing, overheads stay as they are.
func (s *fitting) bothWays(each []Point) {
	longer := map[int64]float64{}
	for _, p := range s.points[BothStreams] {
		longer[p.Bytes] = p.Seconds
	}
	var send, receive []Point
	sharing, o, r := 0, s.send.At(0), s.receive.At(0)
	for _, p := range each {
		both, known := longer[p.Bytes]
		if !known {
			continue
		}
		if both >= shared*p.Seconds {
			room := fullest * s.Curves[OneWay].At(p.Bytes)
			sharing++
			o = min(p.Seconds, room)
			r = max(0, min(both-p.Seconds, room-o))
		}
		send, receive = append(send, Point{p.Bytes, o, p.Seconds}), append(receive, Point{p.Bytes, r, both})
	}
	if 2*sharing <= len(send) || s.send.kind != assumed || s.receive.kind != assumed {
		return
	}
	s.AtOnce = true
	source := join(s.data.says(s.streaming()), s.data.says(BothStreams)) + "; the process is taken to be what both directions share"
	s.send = curve{Pieces: s.andRequests(segment(send), s.send.At(0)), kind: derived, source: source}
	s.receive = curve{Pieces: s.andRequests(segment(receive), s.receive.At(0)), kind: derived, source: source}
}

// andRequests lets the request of a rendezvous cost what an empty message does.
func (s *fitting) andRequests(eager Pieces, empty float64) Pieces {
	if s.Above == 0 {
		return eager
	}
	return append(eager, Piece{From: s.Eager + 1, Base: empty})
}

// occupied is how long a message occupies the NIC. Small messages follow each other about as fast as the CPU and the gap allow, several
// pairs as fast as the gap: what their bytes take does not show, and is the line of the larger sizes, as far as it is not longer. Larger ones are returned, too: their
// times are those of the NIC.
func (s *fitting) occupied(each []Point) (curve Pieces, busy []Point) {
	all, least := slices.Clone(each), (1+off)*s.between()
	if rate := segment(s.together()); rate != nil {
		least = (1 + off) * s.gap.value
		for i, p := range all {
			all[i].Seconds = min(p.Seconds, rate.At(p.Bytes))
		}
	}
	first := slices.IndexFunc(all, func(p Point) bool { return p.Seconds > least })
	if first < 0 {
		return Pieces{{}}, nil
	}
	for i := range all {
		all[i].whole = each[i].Seconds
	}
	busy = all[first:]
	curve = segment(busy)
	for first > 0 && curve[0].time(all[first-1].Bytes) <= (1+off)*all[first-1].Seconds {
		first--
	}
	if first == 0 {
		return from(0, curve), busy
	}
	return append(Pieces{{}}, from(all[first].Bytes, curve)...), busy
}

// share divides what is left of one-way times: the latency is what all sizes leave. An overhead of a
// receive that nothing measured is no more than that. Of sizes that take ten times as long as an empty
// message, neither is a part that shows.
func (s *fitting) share(rest []Point) {
	room := math.Inf(1)
	for _, p := range rest {
		if p.whole*off <= rest[0].whole {
			room = min(room, p.Seconds)
		}
	}
	if s.receive.kind == assumed && len(s.points[LateReceive]) == 0 {
		p := s.receive.At(0)
		receive := max(0, min(p, room+p))
		s.receive.Pieces = Pieces{{Base: receive}}
		room += p - receive
		s.take(rest, receive-p)
	}
	latency := max(0, room)
	s.take(rest, latency)
	s.latency = value{value: latency, kind: derived, bounds: true,
		source: s.data.says(OneWay) + ", the least of all sizes, less overheads and the time in the NIC"}
	empty := max(0, rest[0].Seconds) // what is left at 0 B may be latency too
	s.latency.low, s.latency.high = s.latencyBounds(latency + empty)
	s.latency.low = max(0, s.latency.low-empty)
}

// take takes a time out of what is left.
func (s *fitting) take(rest []Point, seconds float64) {
	for i := range rest {
		rest[i].Seconds -= seconds
	}
}

// deliver makes what is left of one-way times, from a size on, the delivery. Where nothing is left,
// messages occupy the NIC for less than windows say.
func (s *fitting) deliver(size int64, rest []Point) {
	shorter := false
	occupied := make([]Point, len(rest))
	for i, p := range rest {
		occupied[i] = Point{p.Bytes, max(0, s.transfer.At(p.Bytes)+min(0, p.Seconds)), p.whole}
		shorter = shorter || p.Seconds < -negligible*p.whole
		rest[i].Seconds = max(0, p.Seconds)
	}
	through := segment
	if len(rest) <= 2*few { // of few sizes, and those between them
		through = joined
	}
	if shorter {
		first := sort.Search(len(s.transfer.Pieces), func(i int) bool { return s.transfer.Pieces[i].From >= size })
		s.transfer.Pieces = append(s.transfer.Pieces[:first:first], from(size, through(occupied))...)
		s.transfer.bands = s.transfer.bands[:min(first, len(s.transfer.bands))]
	}
	s.delivery.Pieces = append(s.delivery.Pieces, from(size, through(rest))...)
}

// inBetween are the points of a curve at few sizes and in the middle of any two: the sum of a NIC's curve and
// of the delivery is then near that curve at other sizes too. Of many sizes they are the points themselves.
func inBetween(points []Point) []Point {
	if len(points) > few {
		return points
	}
	curve := segment(points)
	var all []Point
	for i, p := range points {
		if i > 0 {
			if m := middle(points[i-1].Bytes, p.Bytes); m > points[i-1].Bytes {
				all = append(all, Point{Bytes: m, Seconds: curve.At(m)})
			}
		}
		all = append(all, p)
	}
	return all
}
