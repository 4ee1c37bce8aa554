// Package why remembers why the times of a run are what they are.
//
// A [History] holds moments. Each is a time, the moment before it, and what passed in
// between. Of the things that must all have happened before another one only the last
// leads on, so moments form a tree, and the way from the end of a run to the root is
// its critical path. Where things slow each other down several moments move one (a
// [Mix]); then the sum over all ways says what moves the end.
//
// The package knows times and their order. What the moments are of is the user's.
package why

import (
	"fmt"

	"overlapsim/sim"
)

// Moment is a time at which something happened, by its number. 0 is the begin of the
// run.
type Moment = int32

// What says what passed before a moment. Its numbers mean what the user of a history
// wants them to mean.
type What struct {
	Amount   int64 // at least 0
	Index    int32
	Message  int32
	Part     uint8
	Resource uint8
}

// moment is a time and what led to it.
type moment struct {
	at       sim.Time
	amount   int64  // less than 0: the moment is a mix, the one of number ^amount
	from     Moment // what passed began there
	index    int32
	message  int32
	part     uint8
	resource uint8
}

// History is what is known of the moments of a run. One that nothing explains is an
// error, never a guess.
type History struct {
	tie        What // of a moment at which two others have come
	moments    []moment
	mixes      []Mix
	lost       error
	least      int      // moments before any are forgotten
	most       int      // moments before the next time
	renumbered []Moment // room for that
}

// leastForgotten is how many moments there are before those are forgotten from which
// nothing follows any more.
const leastForgotten = 1 << 16

// New returns a history that holds the begin of a run. A tie says what two things are
// that happened at the same time.
func New(tie What) History {
	return History{tie: tie, moments: make([]moment, 1, 1024), least: leastForgotten, most: leastForgotten}
}

// Len is how many moments there are.
func (h *History) Len() int { return len(h.moments) }

// At returns when a moment was.
func (h *History) At(m Moment) sim.Time { return h.moments[m].at }

// From returns the moment before one.
func (h *History) From(m Moment) Moment { return h.moments[m].from }

// What returns what passed before a moment.
func (h *History) What(m Moment) What {
	k := &h.moments[m]
	w := What{k.amount, k.index, k.message, k.part, k.resource}
	if x := h.Mix(m); x != nil {
		w.Amount = x.Amount
	}
	return w
}

// Add adds a moment that comes after another one.
func (h *History) Add(from Moment, at sim.Time, w What) Moment {
	if at < h.moments[from].at {
		h.Lose("part %d would end at %v, before it begins at %v", w.Part, at, h.moments[from].at)
	}
	h.moments = append(h.moments, moment{at, w.Amount, from, w.Index, w.Message, w.Part, w.Resource})
	return Moment(len(h.moments) - 1)
}

// Is returns the moment, which must be at that time.
func (h *History) Is(m Moment, at sim.Time) Moment {
	if h.moments[m].at != at {
		h.Lose("something happens at %v, its cause was at %v", at, h.moments[m].at)
	}
	return m
}

// Last returns that one of two moments which is the later one, at that time; if both
// are, a tie of them.
func (h *History) Last(a, b Moment, at sim.Time) Moment { return h.Is(h.Latest(a, b, at), at) }

// Latest does so when a third moment may be the last one.
func (h *History) Latest(a, b Moment, at sim.Time) Moment {
	atA, atB := h.moments[a].at, h.moments[b].at
	switch {
	case atA == at && atB == at && a != b:
		return h.Add(a, at, h.tie)
	case atB > atA && atB <= at:
		return b
	}
	return a
}

// Lose says that something is not explained. The first time counts.
func (h *History) Lose(format string, values ...any) {
	if h.lost == nil {
		h.lost = fmt.Errorf("bug: critical path: "+format, values...)
	}
}

// Refuse says that a run cannot be explained.
func (h *History) Refuse(why error) {
	if h.lost == nil {
		h.lost = why
	}
}

// Lost returns what is not explained; nil: all is.
func (h *History) Lost() error { return h.lost }
