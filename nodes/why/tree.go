package why

import (
	"cmp"
	"fmt"
	"slices"

	"overlapsim/sim"
)

// Tree holds the moments that may still lead to something, in the order in which they were added.
// Place 0 is the start of the run.
type Tree struct {
	kept    list    // those that were not forgotten; origins are places
	numbers []int64 // of those
	fresh   list    // those that were added since; origins are numbers
	first   int64   // number of the first one of those
	lost    error
}

// place is where a tree has a moment: the fresh ones come after those that were kept.
type place = int32

// Len returns how many moments there are.
func (t *Tree) Len() int { return t.kept.n + t.fresh.n }

// at returns the moment at a place, and the list that holds it.
func (t *Tree) at(m place) (*moment, *list) {
	if int(m) < t.kept.n {
		return t.kept.at(int(m)), &t.kept
	}
	return t.fresh.at(int(m) - t.kept.n), &t.fresh
}

// At returns when a moment was.
func (t *Tree) At(m place) sim.Time {
	k, _ := t.at(m)
	return k.at
}

// From returns the moment before another one.
func (t *Tree) From(m place) place {
	k, _ := t.at(m)
	return t.origin(m, k.origin.from())
}

// origin returns the place of something that led to a moment.
func (t *Tree) origin(m place, from int64) place {
	if int(m) < t.kept.n {
		return place(from)
	}
	return t.place(from)
}

// By returns the place of the moment that has an influence on another one.
func (t *Tree) By(m place, i Influence) place { return t.origin(m, i.From.number) }

// place returns the place of the moment with a number.
func (t *Tree) place(number int64) place {
	if number >= t.first {
		return place(number-t.first) + place(t.kept.n)
	}
	at, known := slices.BinarySearch(t.numbers, number)
	if !known {
		t.lost = cmp.Or(t.lost, fmt.Errorf("bug: critical path: moment %d is forgotten", number))
		return 0
	}
	return place(at)
}

// Place returns the place of a moment.
func (t *Tree) Place(m Moment) place { return t.place(m.number) }

// number returns the number of the moment at a place.
func (t *Tree) number(m place) int64 {
	if int(m) < t.kept.n {
		return t.numbers[m]
	}
	return t.first + int64(m) - int64(t.kept.n)
}

// What returns what passed before a moment.
func (t *Tree) What(m place) What {
	k, _ := t.at(m)
	w := What{k.amount, k.index, k.message, k.origin.part(), k.origin.resource()}
	if x := t.Mix(m); x != nil {
		w.Amount = x.Amount
	}
	return w
}

// Mix returns the mix of a moment; nil: the moment is not a mix.
func (t *Tree) Mix(m place) *Mix {
	if k, in := t.at(m); k.amount < 0 {
		return &in.mixes[^k.amount]
	}
	return nil
}
