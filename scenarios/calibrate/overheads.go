package calibrate

import (
	"cmp"
	"math"
	"slices"

	"overlapsim/scenarios/calibrate/outputs"
)

// overheads finds what sends and receives cost the CPU, and the gap.
func (s *fitting) overheads() {
	s.gapOf()
	switch {
	case len(s.points[SendCPU]) > 0:
		s.send = curve{Pieces: s.regimes(s.points[SendCPU]), kind: measured, source: s.data.says(SendCPU)}
		s.send.measure(s.points[SendCPU])
		s.Curves[SendCPU] = s.send.Pieces
	case s.free(SendCPU):
		s.send = s.none(SendCPU)
	default:
		s.send = s.assumedOverhead()
	}
	s.receiving()
	if s.gap.kind == 0 {
		o := least(s.send.Pieces)
		s.gap = value{value: o, high: s.mostOverhead(0), bounds: true, kind: assumed, source: "nothing found; equal to the smallest overhead " +
			"of a send"}
	}
}

// assumedOverhead is an overhead of messages of any size that no call was timed for. It is
// the time from message to message, if that is known, but at most half of a one-way time.
func (s *fitting) assumedOverhead() curve {
	most, each := (smallest(s.points[OneWay])-s.matching)/2, s.between()
	switch {
	case math.IsNaN(each):
		return curve{Pieces: Pieces{{Base: most / 2}}, kind: assumed,
			source: "between 0 and half of the one-way time at 0 B; half of that. MPI_Isend alone, or netgauge, tells"}
	case math.IsNaN(most) || each < most:
		return curve{Pieces: Pieces{{Base: each}}, kind: assumed,
			source: s.data.says(s.streaming()) + ": no overhead is larger, and all of it is taken as one. MPI_Isend alone, or netgauge, tells"}
	}
	return curve{Pieces: Pieces{{Base: most}}, kind: assumed,
		source: join(s.data.says(OneWay), "half of that at 0 B, as messages follow each other no faster. MPI_Isend alone, or netgauge, tells")}
}

// streaming is the quantity that tells the time from message to message.
func (s *fitting) streaming() Quantity {
	if len(s.points[Stream]) > 0 {
		return Stream
	}
	return Successive
}

// between is the shortest time from one message to the next, the largest of gap and overheads: the median
// of the sizes that are about as fast as the fastest; not a number if it was not measured.
func (s *fitting) between() float64 {
	each := s.steady()
	if len(each) == 0 {
		return math.NaN()
	}
	least := slices.MinFunc(each, func(a, b Point) int { return cmp.Compare(a.Seconds, b.Seconds) }).Seconds
	var near []float64
	for _, p := range each {
		if p.Seconds <= (1+off)*least {
			near = append(near, p.Seconds)
		}
	}
	return median(near)
}

// gapOf finds the gap: from several pairs of processes at once, which share a NIC, or from one.
func (s *fitting) gapOf() {
	each := s.between()
	if !math.IsNaN(each) {
		s.gap = value{value: each, high: each, bounds: true, kind: measured, source: s.data.says(s.streaming()) + ", the largest of gap and " +
			"overheads"}
	}
	for _, t := range s.data.Together {
		r := slices.MinFunc(t.Rows, func(a, b outputs.Row) int { return int(a.Bytes - b.Bytes) })
		if all := r.Seconds / float64(t.Pairs); math.IsNaN(each) || all < s.gap.value {
			s.gap = value{value: all, high: all, bounds: true, kind: measured, source: t.Where() + ": time from message to message of all pairs"}
		}
	}
}

// receiving finds the overhead of a receive: the time of a late receive, as far as the
// one-way time leaves room for it.
func (s *fitting) receiving() {
	below, above := s.split(s.points[LateReceive])
	if len(below) == 0 && s.base == "" && s.free(LateReceive) { // of a library that was given, something else has received them
		s.receive = s.none(LateReceive)
		return
	}
	if len(below) == 0 {
		s.receive = curve{Pieces: s.beside(s.points[OneWay]), kind: assumed, source: "no late receive was measured; the overhead of a send, or what " +
			"that leaves of the one-way time"}
		return
	}
	if s.Late = s.overfull(below); s.Late {
		s.receive = curve{Pieces: s.beside(below), kind: assumed,
			source: s.data.says(LateReceive) + " exceed what the one-way time leaves, and nothing found says which part is overhead; equal " +
				"to that of a send"}
	} else {
		s.receive = curve{kind: measured, source: s.data.says(LateReceive)}
		if s.matching > 0 {
			s.receive.kind, s.receive.source = derived, s.receive.source+", less the matching of "+s.base
		}
		overheads := slices.Clone(below)
		for i := range overheads {
			overheads[i].Seconds = max(0, overheads[i].Seconds-s.matching)
		}
		s.receive.Pieces = segment(overheads)
		s.receive.measure(overheads)
	}
	if s.Above > 0 {
		s.receive.Pieces = append(s.receive.Pieces, Piece{From: s.Eager + 1, Base: s.receive.At(0)})
	}
	if s.Above > 0 && len(above) > 0 {
		s.Curves[LateReceive] = append(segment(below), from(s.Eager+1, segment(above))...)
	}
}

// free tells whether all times of a quantity up to the threshold were too short for the clock.
func (s *fitting) free(q Quantity) bool {
	some := false
	for bytes, times := range s.data.Samples[q] {
		if s.Above == 0 || bytes <= s.Eager {
			if median(times) > 0 {
				return false
			}
			some = true
		}
	}
	return some
}

// none is the cost of such a quantity.
func (s *fitting) none(q Quantity) curve {
	return curve{Pieces: Pieces{{}}, kind: measured, source: s.data.says(q) + ", which take no time"}
}

// The most that overheads may take of a one-way time, and the part of the sizes that may exceed it.
const (
	fullest = 0.95
	mostOf  = 0.1
)

// overfull tells whether the overhead of a send and a late receive do not fit into the one-way time.
func (s *fitting) overfull(late []Point) bool {
	oneWay := s.Curves[OneWay]
	if len(oneWay) == 0 {
		return false
	}
	over := 0
	for _, p := range late {
		if p.Seconds+s.send.At(p.Bytes) > fullest*oneWay.At(p.Bytes) {
			over++
		}
	}
	return float64(over) > mostOf*float64(len(late))
}

// beside is the assumed overhead of a receive: the overhead of a send, but at most half of what the
// send leaves of the one-way time.
func (s *fitting) beside(at []Point) Pieces {
	oneWay := s.Curves[OneWay]
	if len(oneWay) == 0 || len(at) == 0 {
		return slices.Clone(s.send.Pieces)
	}
	at, _ = s.split(at)
	points := make([]Point, len(at))
	for i, p := range at {
		way, o := oneWay.At(p.Bytes)-s.matching, s.send.At(p.Bytes)
		points[i] = Point{p.Bytes, max(0, min(o, (way-o)/2)), way}
		if len(s.points[SendCPU]) == 0 {
			points[i].Seconds = max(0, min(o, way-o))
		}
	}
	if len(points) == 0 {
		return slices.Clone(s.send.Pieces)
	}
	return segment(points)
}

// unexpectedCost finds the time of a late receive beyond what it takes on the machine so
// far.
func (s *fitting) unexpectedCost() error {
	below, _ := s.split(s.points[LateReceive])
	if len(below) == 0 || !s.Late && s.base == "" {
		return nil
	}
	m, err := s.machine()
	if err != nil {
		return err
	}
	rest := make([]Point, len(below))
	largest := 0.0
	for i, p := range below {
		without, err := simulate(m.Machine, LateReceive, p.Bytes)
		if err != nil {
			return err
		}
		more := max(0, p.Seconds-without.Seconds())
		rest[i] = Point{p.Bytes, more, p.Seconds}
		largest = max(largest, more/p.Seconds)
	}
	if largest < negligible {
		return nil
	}
	s.unexpected = curve{Pieces: segment(rest), kind: derived, source: s.data.says(LateReceive) + ", less the overhead of a receive"}
	s.unexpected.measure(rest)
	if s.Above > 0 { // a request has few bytes
		s.unexpected.Pieces = append(s.unexpected.Pieces, Piece{From: s.Eager + 1, Base: s.unexpected.At(0)})
	}
	return nil
}

// negligible is the part of a late receive that is not a separate cost.
const negligible = 0.02

// least is the smallest overhead of a curve.
func least(c Pieces) float64 {
	smallest := math.Inf(1)
	for _, piece := range c {
		smallest = min(smallest, piece.time(piece.From))
	}
	return smallest
}

// latencyBounds are the latencies that overheads within their bounds leave.
func (s *fitting) latencyBounds(found float64) (low, high float64) {
	o, p := s.send.At(0), s.receive.At(0)
	low, high = found, found
	if s.send.kind != measured {
		high += o
	}
	if s.receive.kind != measured {
		high += p
	}
	if s.send.kind != measured && math.IsNaN(s.between()) {
		low = 0
	}
	return max(0, low), high
}
