package transforms

import "overlapsim/nodes/programs"

// stops are the operations at which a move stops: the last ones that were seen.
type stops struct {
	closed  int // what nothing moves past, such as the end of the window
	meeting int // a barrier of two threads
	send    int // any message that begins to leave
	wait    int // of a receive
	any     int // wait
	receive int // post
	uses    int // computation that uses what came
	compute int
	path    map[path]int
	waited  map[path]int
}

// newStops are those at an end of a window.
func newStops(end int) stops {
	return stops{end, end, end, end, end, end, end, end, map[path]int{}, map[path]int{}}
}

// see notes an operation.
func (s *stops) see(w *window, i int) {
	op := &w.items[i].op
	switch op.Kind {
	case programs.OpSend:
		s.send, s.path[pathOf(op)] = i, i
	case programs.OpPut, programs.OpGet, programs.OpSignal:
		s.send = i
	case programs.OpReceive:
		s.receive, s.path[pathOf(op)] = i, i
	case programs.OpWait:
		s.any = i
		if post, ok := w.post(&w.items[i]); ok {
			s.waited[pathOf(post)] = i
			if post.Kind == programs.OpReceive {
				s.wait = i
			}
		} else { // it may be the request of a receive
			s.wait = i
		}
	case programs.OpMeet:
		s.meeting = i
	case programs.OpCompute:
		if s.compute = i; w.uses(op) {
			s.uses = i
		}
	}
	if closed(op) {
		s.closed = i
	}
}

// of returns the stop of a path; otherwise: there is none.
func of(stops map[path]int, at path, otherwise int) int {
	if i, ok := stops[at]; ok {
		return i
	}
	return otherwise
}

// waitLate moves waits back: rules 2 and 3.
func (w *window) waitLate() {
	if w.c.Waits == AsWritten {
		return
	}
	sums := w.computed()
	after := w.afterExchanges()
	s := newStops(len(w.items))
	var moves []move
	for i := len(w.items) - 1; i >= 0; i-- {
		one := &w.items[i]
		if post, ok := w.post(one); ok {
			stop := min(s.closed, of(s.path, pathOf(post), len(w.items)))
			switch {
			case w.c.Waits == Exchange:
				stop = min(stop, s.uses, after[i])
			case post.Kind == programs.OpReceive:
				stop = min(stop, s.send, s.uses)
			}
			to := place{before: stop}
			switch w.c.Waits {
			case Worst:
				to.before = min(stop, s.compute)
			case Spread:
				to = share(sums, i, stop, int64(one.piece), int64(one.pieces))
			}
			moves = append(moves, move{to, i}) // also one that stays, so that waits keep their order
		}
		s.see(w, i)
	}
	w.apply(moves)
}

// brief is the part of the longest computation up to which one does not end an exchange.
const brief = 0.01

// afterExchanges returns, for each operation, the first post behind the computation that ends its exchange.
// Only waits that move this way need it.
func (w *window) afterExchanges() (after []int) {
	if w.c.Waits != Exchange {
		return nil
	}
	longest := int64(0)
	for i := range w.items {
		if op := &w.items[i].op; op.Kind == programs.OpCompute {
			longest = max(longest, op.Amount)
		}
	}
	end := len(w.items)
	after = make([]int, end)
	post, behind := end, end
	for i := end - 1; i >= 0; i-- {
		after[i] = behind
		switch op := &w.items[i].op; {
		case op.Kind == programs.OpCompute && float64(op.Amount) > brief*float64(longest):
			behind = post
		case twoSided(op) || op.Kind == programs.OpPut || op.Kind == programs.OpGet || op.Kind == programs.OpSignal:
			post = i
		}
	}
	return after
}

// sendEarly moves sends forward: rule 4. The pieces of a message have the same stops.
func (w *window) sendEarly() {
	if w.c.Sends == AsWritten {
		return
	}
	sums := w.computed()
	s := newStops(none)
	var moves []move
	for i := 0; i < len(w.items); i++ {
		one := &w.items[i]
		if one.op.Kind != programs.OpSend || one.mate == none {
			s.see(w, i)
			continue
		}
		at := pathOf(&one.op)
		stop := 1 + max(s.closed, s.wait, s.receive, s.uses, of(s.path, at, none), of(s.waited, at, none))
		if w.c.Sends == Worst {
			stop = max(stop, s.compute+1)
		}
		last := i + int(one.pieces)
		for k := i; k < last; k++ {
			to := place{before: stop}
			if w.c.Sends == Spread {
				to = share(sums, stop, i, int64(w.items[k].piece)+1, int64(one.pieces))
			}
			moves = append(moves, move{to, k})
		}
		for ; i < last; i++ {
			s.see(w, i)
		}
		i--
	}
	w.apply(moves)
}

// receiveEarly moves receives forward: rule 5.
func (w *window) receiveEarly() {
	if w.c.Receives == AsWritten {
		return
	}
	s := newStops(none)
	var moves []move
	before := 0 // where the receive before went
	for i := range w.items {
		one := &w.items[i]
		if one.op.Kind == programs.OpReceive {
			stop := 1 + of(s.waited, pathOf(&one.op), none)
			if w.c.Receives == Worst {
				stop = max(stop, s.compute+1, s.any+1)
			}
			if before = max(before, stop, s.meeting+1); one.mate == none || before == i {
				before = i + 1 // it stays
			} else {
				moves = append(moves, move{place{before: before}, i})
			}
		}
		s.see(w, i)
	}
	w.apply(moves)
}
