// Package why remembers why the times of a run are what they are.
//
// A [History] holds moments. Each is a time, the moment before it, and what passed in between. If
// something needs several things to have happened, only the last of them counts. Therefore moments form
// a tree, and the path from the end of a run to the root is its critical path. Where things slow
// each other down, several moments move one moment (a [Mix]). Then a sum over all paths says what
// moves the end.
//
// The run itself only writes down moments, and carries the time of each that it still needs.
// Meanwhile a second processor forgets those that can lead to nothing any more (Forget).
//
// The package knows times and their order. The user says what the moments mean.
package why

import (
	"cmp"
	"fmt"
	"math"

	"overlapsim/sim"
)

// Moment is a time at which something happened. The zero Moment is the start of the run.
type Moment struct {
	At     sim.Time
	number int64 // of all moments in the order in which they were added
}

// What describes what passed before a moment. The user of a history gives its numbers their
// meaning.
type What struct {
	Amount   int64 // at least 0
	Index    int32
	Message  int32
	Part     uint8
	Resource uint8
}

// History is what is known about the moments of a run. A moment that nothing explains is
// an error, never a guess.
type History struct {
	tie    What  // what passed before a moment at which two others came at the same time
	before int64 // number of the moment before the fresh ones
	fresh  list  // the moments since Forget was last called
	page   *page // the last one of them
	full   int   // number of fresh moments at which it is Full
	most   int   // the largest such number
	lost   error
	*forgetting
}

// leastFull is the number of fresh moments at which a history is Full, if it keeps few others.
const leastFull = 1 << 16

// New returns a history that holds the start of a run. The tie describes a moment at which two
// things happened at the same time.
func New(tie What) History {
	h := History{tie: tie, before: -1, full: leastFull, most: math.MaxInt, forgetting: newForgetting()}
	h.Add(Moment{}, 0, What{})
	return h
}

// Add adds a moment that comes after another one.
func (h *History) Add(from Moment, at sim.Time, w What) Moment {
	if at < from.At {
		h.Lose("part %d would end at %v, before it begins at %v", w.Part, at, from.At)
	}
	i := h.fresh.n % pageSize
	if i == 0 {
		h.page = h.fresh.grow(&h.free)
	}
	m := &h.page[i]
	m.at, m.amount, m.index, m.message = at, w.Amount, w.Index, w.Message
	m.origin = originOf(from.number, w.Part, w.Resource)
	h.fresh.n++
	return Moment{at, h.before + int64(h.fresh.n)}
}

// Is returns the moment m, after checking that it is at this time.
func (h *History) Is(m Moment, at sim.Time) Moment {
	if m.At != at {
		h.Lose("something happens at %v, its cause was at %v", at, m.At)
	}
	return m
}

// Last returns the later one of two moments, which must be at this time. If both are, it returns
// a tie of the two.
func (h *History) Last(a, b Moment, at sim.Time) Moment {
	if a.At == at && b.At != at { // most often; the compiler inlines it
		return a
	}
	return h.lastOf(a, b, at)
}

func (h *History) lastOf(a, b Moment, at sim.Time) Moment { return h.Is(h.Latest(a, b, at), at) }

// Latest does the same if a third moment may be the last one, so that neither of the two need be
// at this time.
func (h *History) Latest(a, b Moment, at sim.Time) Moment {
	switch {
	case b.At < a.At || b.At > at:
		return a
	case b.At > a.At:
		return b
	case a.At == at && a != b:
		return h.Add(a, at, h.tie)
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
func (h *History) Lost() error { return cmp.Or(h.lost, h.Tree().lost) }
