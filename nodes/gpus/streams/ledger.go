package streams

import (
	"math/bits"

	"overlapsim/sim"
)

// stream is the ledger of a stream during a run. Everything before the cursor is booked.
type stream struct {
	last     uint8 // kind of the last operation that has ended
	launched int   // operations that have not ended
	cursor   sim.Time
	ledger   []Ledger // by kind
	record   bool
	spans    []Span
}

func (e *engine) stream(n int32) *stream {
	d := &e.devices[e.laid.devices[n]]
	return &d.streams[e.Ops[n-e.behind[d.index]].Stream]
}

// book books time of the stream of an operation, under its kind.
func (e *engine) book(n int32, term Term, time sim.Time) { e.stream(n).book(e.op(n).Kind, term, time) }

func (s *stream) book(kind uint8, term Term, time sim.Time) {
	s.ledger[kind][term] += time
	if s.record && time > 0 {
		s.span(kind, term, s.cursor+time)
	}
	s.cursor += time
}

// span records what happens up to a moment.
func (s *stream) span(kind uint8, term Term, end sim.Time) {
	if n := len(s.spans) - 1; n >= 0 && s.spans[n].Kind == kind && s.spans[n].Term == term {
		s.spans[n].End = end
		return
	}
	s.spans = append(s.spans, Span{s.cursor, end, kind, term})
}

// bookTo books the time of the stream of an operation up to a moment.
func (e *engine) bookTo(n int32, term Term, to sim.Time) { e.stream(n).bookTo(e.op(n).Kind, term, to) }

// bookTo books the time up to a moment.
func (s *stream) bookTo(kind uint8, term Term, to sim.Time) { s.book(kind, term, max(0, to-s.cursor)) }

// await books the wait of an operation that is ready now. First it waited for the operation that
// its host waited for, then for its launch, then for the last operation to end of those that it
// comes after.
func (e *engine) await(n int32, now sim.Time) {
	s := e.stream(n)
	if by, ok := e.result.held[n]; ok {
		e.awaits(s, by, e.result.Ends[by])
	}
	e.bookTo(n, LaunchWait, min(now, e.result.launched[n]))
	if by := e.result.causes[n].op; by >= 0 {
		e.awaits(s, by, now)
	}
	e.bookTo(n, EventWait, now)
}

// awaits books a wait for an operation up to a moment, under its kind. If that operation is a
// member of a collective, its own waits are booked first: for an earlier collective, under the
// kind of that one. Then comes what the member books itself.
func (e *engine) awaits(s *stream, by int32, to sim.Time) {
	o := e.op(by)
	if o.Collective > 0 {
		before := e.result.causes[by].op
		if before >= 0 && e.joins[before] > 0 && e.result.Ends[before] > s.cursor {
			e.awaits(s, before, min(to, e.result.Ends[before]))
		}
		s.bookTo(o.Kind, EventWait, min(to, e.result.Starts[by]))
		e.communicates(s, o.Kind, e.joins[by]-1, to)
	}
	s.bookTo(o.Kind, EventWait, to)
}

// communicates books what a member of a collective does up to a moment.
func (e *engine) communicates(s *stream, kind uint8, number int32, to sim.Time) {
	begun, about := e.result.Begun[number], &e.Collectives[number]
	s.bookTo(kind, Skew, min(to, begun))
	s.bookTo(kind, Latency, min(to, begun+about.Latency))
	s.bookTo(kind, Transfer, min(to, begun+about.Latency+about.Transfer))
	s.bookTo(kind, Contention, to)
}

// spend books the time of a kernel from the moment of its last known state to now.
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
	e.communicates(e.stream(n), e.op(n).Kind, number, e.kernel.Now())
}
