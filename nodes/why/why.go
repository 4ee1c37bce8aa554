// Package why remembers why the times of a run are what they are.
//
// A [History] holds moments. Each is a time, the moment before it, and what passed in between. If
// something needs several things to have happened, only the last of them counts. So moments form
// a tree, and the path from the end of a run to the root is its critical path. Where things slow
// each other down, several moments move one moment (a [Mix]). Then a sum over all paths says what
// moves the end.
//
// The package knows times and their order. The user says what the moments mean.
package why

import (
	"fmt"
	"unsafe"

	"overlapsim/sim"
)

// Moment is a time at which something happened, by its number. 0 is the start of the run.
type Moment = int32

// What describes what passed before a moment. The user of a history gives its numbers their
// meaning.
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
	amount   int64  // less than 0: the moment is the mix with the number ^amount
	from     Moment // what passed began there
	index    int32
	message  int32
	part     uint8
	resource uint8
}

// MomentBytes is the memory of a moment.
const MomentBytes = int64(unsafe.Sizeof(moment{}))

// History is what is known about the moments of a run. A moment that nothing explains is
// an error, never a guess.
type History struct {
	tie        What // what passed before a moment at which two others came at the same time
	moments    []moment
	mixes      []Mix
	lost       error
	least      int      // number of moments at which it is Full for the first time
	most       int      // number of moments at which it is Full next
	renumbered []Moment // memory for their new numbers
}

// leastForgotten is the number of moments at which a history is Full for the first time.
const leastForgotten = 1 << 16

// New returns a history that holds the start of a run. The tie describes a moment at which two
// things happened at the same time.
func New(tie What) History {
	return History{tie: tie, moments: make([]moment, 1, 64), least: leastForgotten, most: leastForgotten}
}

// Len returns how many moments there are.
func (h *History) Len() int { return len(h.moments) }

// At returns when a moment was.
func (h *History) At(m Moment) sim.Time { return h.moments[m].at }

// From returns the moment before another one.
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

// Is returns the moment m, after checking that it is at this time.
func (h *History) Is(m Moment, at sim.Time) Moment {
	if h.moments[m].at != at {
		h.Lose("something happens at %v, its cause was at %v", at, h.moments[m].at)
	}
	return m
}

// Last returns the later one of two moments, which must be at this time. If both are, it returns
// a tie of the two.
func (h *History) Last(a, b Moment, at sim.Time) Moment { return h.Is(h.Latest(a, b, at), at) }

// Latest does the same if a third moment may be the last one, so that neither of the two need be
// at this time.
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

// Lose records that something is not explained. Only the first call counts.
func (h *History) Lose(format string, values ...any) {
	if h.lost == nil {
		h.lost = fmt.Errorf("bug: critical path: "+format, values...)
	}
}

// Refuse records that a run cannot be explained.
func (h *History) Refuse(why error) {
	if h.lost == nil {
		h.lost = why
	}
}

// Lost returns what is not explained, or nil if everything is.
func (h *History) Lost() error { return h.lost }
