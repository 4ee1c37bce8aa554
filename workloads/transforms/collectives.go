package transforms

import "overlapsim/nodes/programs"

// spreadCollectives lets blocking collectives go on alongside computation: rule 8. Those that
// follow each other with nothing in between are one.
func (w *window) spreadCollectives() {
	if w.c.Collectives == AsWritten {
		return
	}
	sums := w.outside()
	var moves []move
	for at, free := 0, 0; at < len(w.items); at++ {
		end := at
		for end < len(w.items) && w.items[end].op.InCollective() {
			end++
		}
		if end == at {
			continue
		}
		if w.whole(at, end) {
			from, to := w.behind(at, free), w.before(end)
			moves = append(moves, w.rounds(sums, at, end, from, to)...)
			free = to
		}
		at = end - 1
	}
	w.apply(moves)
}

// outside returns the computation before each operation, without the computation of collectives.
func (w *window) outside() []int64 {
	sums := make([]int64, len(w.items)+1)
	for i := range w.items {
		sums[i+1] = sums[i]
		if op := &w.items[i].op; op.Kind == programs.OpCompute && !op.InCollective() {
			sums[i+1] += op.Amount
		}
	}
	return sums
}

// whole tells whether all that a collective posts it also waits for.
func (w *window) whole(from, to int) bool {
	for i := from; i < to; i++ {
		switch op := &w.items[i].op; {
		case op.Kind == programs.OpCompute:
		case w.items[i].mate < int32(from) || w.items[i].mate >= int32(to):
			return false
		}
	}
	return true
}

// behind returns the first place at which a collective may begin, not before another one.
func (w *window) behind(at, first int) int {
	for ; at > first; at-- {
		one := &w.items[at-1]
		post, waits := w.post(one)
		if !w.passes(one, Best) && !(waits && post.Kind == programs.OpSend) {
			break
		}
	}
	return at
}

// before returns the last place at which a collective may end.
func (w *window) before(end int) int {
	for end < len(w.items) && w.passes(&w.items[end], Spread) {
		end++
	}
	return end
}

// passes tells whether a collective moves past an operation: past a computation from that way
// of moving on.
func (w *window) passes(one *item, from When) bool {
	switch op := &one.op; op.Kind {
	case programs.OpCompute:
		return w.c.Collectives >= from && !op.InCollective() && !w.uses(op)
	case programs.OpTest, programs.OpPhase:
		return true
	}
	return false
}

// rounds places the rounds of a collective evenly in the computation between two places. If
// there is none, its first round begins early, and the others stay.
func (w *window) rounds(sums []int64, at, end, from, to int) (moves []move) {
	groups := w.groups(at, end)
	last := groups[end-at-1]
	idle := sums[from] == sums[to]
	for i := at; i < end; i++ {
		switch g := groups[i-at]; {
		case g == 0:
			moves = append(moves, move{place{before: from}, i})
		case !idle:
			moves = append(moves, move{share(sums, from, to, g, last), i})
		}
	}
	return moves
}

// groups returns, for each operation of a collective, how many rounds have ended before it: a
// wait behind a post ends one.
func (w *window) groups(at, end int) (groups []int64) {
	n, posted := int64(0), false
	for i := at; i < end; i++ {
		switch w.items[i].op.Kind {
		case programs.OpSend, programs.OpReceive:
			posted = true
		case programs.OpWait:
			if posted {
				n++
			}
			posted = false
		}
		groups = append(groups, n)
	}
	return groups
}
