package collectives

import (
	"iter"
	"slices"
	"sync"
)

// Round collects what a member does in a round. Copies are done and messages are posted in
// the order in which they are named. Then the member waits for its messages, receives
// first, and combines what it received into its memory: each message when it has come, or,
// if the round also sends, all of them when the sends are over.
type Round struct {
	steps []step
	spans []Span

	describe      bool // spans of sets are wanted
	still         bool // copies are not: they take no time
	apart         bool // the spans of a set are their own messages
	sends, adds   bool
	base, hold    int // of requests: the first one of this round; whether the round ends without waiting for them
	settle        [2]int
	first, stride int   // numbers of members: of a part of the group
	shift         int64 // of the memory of that part
	kids          []int
}

// doing is what a step does.
type doing uint8

const (
	sends doing = iota
	receives
	copies
	combines // gives data to the switches, and gets the result
)

// step is a message or a copy.
type step struct {
	doing          doing
	add            bool // receives: combine the bytes with those that are there
	bare           bool // a message without data: it only says that its sender is there
	peer           int  // member; combines: the next one
	bytes          int64
	first, members int // combines: the first member of those that take part, and how many these are

	spans [2]int // part of Round.spans; of a copy: the source, then the target
}

var rounds = sync.Pool{New: func() any { return new(Round) }}

// reset empties a round for a member of the whole group.
func (r *Round) reset() {
	*r = Round{steps: r.steps[:0], spans: r.spans[:0], kids: r.kids[:0], stride: 1}
}

// Send sends spans to a member.
func (r *Round) Send(to int, spans ...Span) {
	r.sends = true
	r.message(step{doing: sends, peer: to}, spans)
}

// Recv receives spans from a member.
func (r *Round) Recv(from int, spans ...Span) { r.message(step{doing: receives, peer: from}, spans) }

// Add receives spans from a member, and combines them with those that are there.
func (r *Round) Add(from int, spans ...Span) {
	r.adds = true
	r.message(step{doing: receives, add: true, peer: from}, spans)
}

func (r *Round) message(s step, spans []Span) {
	s.peer = r.first + r.stride*s.peer
	s.spans[0] = len(r.spans)
	for _, one := range spans {
		s.bytes += one.Bytes
		r.spans = append(r.spans, Span{one.From + r.shift, one.Bytes})
	}
	s.spans[1] = len(r.spans)
	r.steps = append(r.steps, s)
}

// set is some spans of a known size.
type set struct {
	bytes int64
	spans iter.Seq[Span] // nil: the round does not look at them
}

// list returns the spans of a set.
func (r *Round) list(s set) []Span {
	if !r.describe {
		return nil
	}
	return slices.Collect(s.spans)
}

// looks tells whether the round looks at the spans of sets.
func (r *Round) looks() bool { return r.describe || r.apart }

// sendSet, recvSet and addSet are Send, Recv and Add of a set.
func (r *Round) sendSet(to int, s set) {
	r.sends = true
	r.set(step{doing: sends, peer: to}, s)
}

func (r *Round) recvSet(from int, s set) { r.set(step{doing: receives, peer: from}, s) }

func (r *Round) addSet(from int, s set) {
	r.adds = true
	r.set(step{doing: receives, add: true, peer: from}, s)
}

func (r *Round) set(as step, s set) {
	if r.apart {
		for one := range s.spans {
			r.message(as, []Span{one})
		}
		return
	}
	r.message(as, r.list(s))
	r.steps[len(r.steps)-1].bytes = s.bytes
}

// byBlock makes each block of a set its own message.
func byBlock(s Schedule) Schedule {
	return Schedule{s.Rounds, func(g *Group, round int, r *Round) {
		r.apart = true
		s.Round(g, round, r)
	}}
}

// Notify and Expect are messages without data.
func (r *Round) Notify(to int, bytes int64) {
	r.sends = true
	r.steps = append(r.steps, step{doing: sends, bare: true, peer: r.first + r.stride*to, bytes: bytes})
}

// Expect receives what Notify sends.
func (r *Round) Expect(from int, bytes int64) {
	r.steps = append(r.steps, step{doing: receives, bare: true, peer: r.first + r.stride*from, bytes: bytes})
}

// Copy copies a span to another place of the memory.
func (r *Round) Copy(from, to Span) {
	if r.still {
		return
	}
	at := len(r.spans)
	r.spans = append(r.spans, Span{from.From + r.shift, from.Bytes}, Span{to.From + r.shift, to.Bytes})
	r.steps = append(r.steps, step{doing: copies, bytes: to.Bytes, spans: [2]int{at, at + 2}})
}

// Hold says that the messages of this round, whose requests are numbered from base on, stay
// under way when the round is over.
func (r *Round) Hold(base int) { r.base, r.hold = base, 1 }

// Settle says that the round waits for requests, from first to before end, of earlier rounds.
// It does so before anything else.
func (r *Round) Settle(first, end int) { r.settle = [2]int{first, end} }
