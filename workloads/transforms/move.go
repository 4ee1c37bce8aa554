package transforms

import (
	"slices"

	"overlapsim/nodes/programs"
)

// place is where an operation goes: before the operation with a number, so far into it if that
// computes.
type place struct {
	before int
	into   int64
}

// move is an operation on its way to a place.
type move struct {
	place
	item int
}

// computed returns the computation before each operation.
func (w *window) computed() []int64 {
	sums := make([]int64, len(w.items)+1)
	for i := range w.items {
		sums[i+1] = sums[i]
		if op := &w.items[i].op; op.Kind == programs.OpCompute {
			sums[i+1] += op.Amount
		}
	}
	return sums
}

// share returns the place at which a part of the computation from one operation to before another
// has been done: part of parts. Without computation it is the first place.
func share(sums []int64, from, to int, part, parts int64) place {
	all := sums[to] - sums[from]
	if all == 0 {
		return place{before: from}
	}
	// whole parts and the rest, so that no product wraps
	want := sums[from] + all/parts*part + all%parts*part/parts
	at, _ := slices.BinarySearch(sums[from:to+1], want)
	at += from
	if sums[at] == want {
		return place{before: at}
	}
	return place{at - 1, want - sums[at-1]}
}

// apply moves operations. Those with the same place keep their order.
func (w *window) apply(moves []move) {
	if len(moves) == 0 {
		return
	}
	gone := make([]bool, len(w.items))
	for _, m := range moves {
		gone[m.item] = true
	}
	slices.SortStableFunc(moves, func(a, b move) int {
		switch {
		case a.before != b.before:
			return a.before - b.before
		case a.into != b.into:
			return int(min(1, max(-1, a.into-b.into)))
		}
		return a.item - b.item
	})
	old := w.items
	w.items = make([]item, 0, len(old)+len(moves))
	number := make([]int32, len(old))
	for i := 0; i <= len(old); i++ {
		done := int64(0)
		for ; len(moves) > 0 && moves[0].before == i; moves = moves[1:] {
			w.compute(old, i, done, moves[0].into)
			done = max(done, moves[0].into)
			number[moves[0].item] = int32(len(w.items))
			w.items = append(w.items, old[moves[0].item])
		}
		if i < len(old) && !gone[i] {
			number[i] = int32(len(w.items))
			w.rest(&old[i], done)
		}
	}
	for i := range w.items {
		if mate := &w.items[i].mate; *mate != none {
			*mate = number[*mate]
		}
	}
}

// compute appends a part of a computation.
func (w *window) compute(old []item, i int, from, to int64) {
	if to <= from {
		return
	}
	part := old[i]
	part.op.Amount = to - from
	w.items = append(w.items, part)
}

// rest appends what is left of an operation.
func (w *window) rest(one *item, done int64) {
	left := *one
	if left.op.Kind == programs.OpCompute {
		left.op.Amount -= done
	}
	w.items = append(w.items, left)
}
