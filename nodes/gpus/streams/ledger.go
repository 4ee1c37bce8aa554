package streams

import (
	"math/bits"

	"overlapsim/sim"
)

// stream is the ledger of a stream under way: all before the cursor is booked.
type stream struct {
	last   int32 // operation, while the graph is entered
	cursor sim.Time
	ledger []Ledger // by kind
	record bool
	spans  []Span
}

func (e *engine) stream(n int32) *stream {
	o := &e.Ops[n]
	return &e.devices[o.Device].streams[o.Stream]
}

// book books time of the stream of an operation, under its kind.
func (e *engine) book(n int32, term Term, time sim.Time) { e.stream(n).book(e.Ops[n].Kind, term, time) }

func (s *stream) book(kind uint8, term Term, time sim.Time) {
	s.ledger[kind][term] += time
	if s.record && time > 0 {
		s.span(kind, term, s.cursor+time)
	}
	s.cursor += time
}

// span records what goes on up to a moment.
func (s *stream) span(kind uint8, term Term, end sim.Time) {
	if n := len(s.spans) - 1; n >= 0 && s.spans[n].Kind == kind && s.spans[n].Term == term {
		s.spans[n].End = end
		return
	}
	s.spans = append(s.spans, Span{s.cursor, end, kind, term})
}

// bookTo books the time up to a moment.
func (e *engine) bookTo(n int32, term Term, to sim.Time) {
	e.book(n, term, max(0, to-e.stream(n).cursor))
}

// await books the wait of an operation that is ready now: under the kind of the one that its host waited
// for, until that ended; for its launch; then, under the kind of the one that ended last, for what it
// comes after.
func (e *engine) await(n int32, now sim.Time) {
	if by, ok := e.result.held[n]; ok {
		s := e.stream(n)
		s.book(e.Ops[by].Kind, EventWait, max(0, e.result.Ends[by]-s.cursor))
	}
	e.bookTo(n, LaunchWait, min(now, e.ops[n].launched))
	kind := e.Ops[n].Kind
	if by := e.result.causes[n].op; by >= 0 {
		kind = e.Ops[by].Kind
	}
	e.stream(n).book(kind, EventWait, now-e.stream(n).cursor)
}

// spend books the time of a kernel from when its state is known to now.
func (e *engine) spend(d *device, k *kernel, now sim.Time) {
	if k.group >= 0 {
		return // booked when it arrives and when it ends
	}
	time := now - e.stream(k.op).cursor
	if k.resident == 0 {
		e.book(k.op, Starved, time)
		return
	}
	moving := part(time, k.speed)
	e.book(k.op, Memory, time-moving)
	used := fraction(moving, k.resident, d.SMs)
	e.book(k.op, Compute, used)
	lacking := Tail
	if k.waiting > 0 {
		lacking = Starved
	}
	e.book(k.op, lacking, moving-used)
}

// part returns time * speed, rounded down.
func part(time sim.Time, speed uint64) sim.Time {
	hi, lo := bits.Mul64(uint64(time), speed)
	return sim.Time(hi<<32 | lo>>32)
}

// fraction returns time * of / all, rounded down, for of <= all.
func fraction(time sim.Time, of, all int32) sim.Time {
	hi, lo := bits.Mul64(uint64(time), uint64(of))
	q, _ := bits.Div64(hi, lo, uint64(all))
	return sim.Time(q)
}

// leaves books the time of a member of a collective from its arrival to now.
func (e *engine) leaves(n, number int32) {
	r, about := e.result, &e.Collectives[number]
	e.bookTo(n, Skew, r.Begun[number])
	e.bookTo(n, Latency, r.Begun[number]+about.Latency)
	now := e.kernel.Now()
	alone := min(about.Transfer, now-e.stream(n).cursor)
	e.book(n, Transfer, alone)
	e.bookTo(n, Contention, now)
}
