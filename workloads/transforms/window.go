package transforms

import "overlapsim/nodes/programs"

// item is an operation in a window.
type item struct {
	op     programs.Op
	mate   int32 // the wait of a post or the post of a wait; none
	piece  int32 // from 0
	pieces int32 // of the message

	schedule []programs.Op // OpStart: the operations of the schedule, which stay together
}

const none = -1

// window is a part of a rank's operations.
type window struct {
	items []item
	c     *Changes
}

// newWindow pairs posts with their waits, cuts messages, and gives each two-sided message that
// begins and ends in the window a separate request, so that nothing else waits for it.
func newWindow(ops []programs.Op, c *Changes, s *survey) *window {
	w := &window{c: c}
	ops, schedules := together(ops)
	n := numbers{base: s.requests + 1, cut: int32(max(1, c.Pieces))}
	mates := pair(ops)
	first := make([]int32, len(ops)+1) // of the pieces of an operation
	for i := range ops {
		first[i+1] = first[i] + int32(pieces(ops, mates, i, c))
	}
	w.items = make([]item, 0, first[len(ops)])
	for i := range ops {
		w.cut(&ops[i], int(first[i+1]-first[i]), n)
	}
	for i := range w.items {
		if w.items[i].op.Kind == programs.OpStart {
			w.items[i].schedule, schedules = schedules[0], schedules[1:]
		}
	}
	fresh := n.first()
	for i, mate := range mates {
		if mate == none || !twoSided(&ops[i]) {
			continue
		}
		for k := range w.items[first[i]].pieces {
			post, wait := &w.items[first[i]+k], &w.items[first[mate]+k]
			post.mate, wait.mate = first[mate]+k, first[i]+k
			post.op.Request, wait.op.Request = fresh, fresh
			fresh++
		}
	}
	return w
}

// together makes each schedule one operation, and returns what was in it.
func together(ops []programs.Op) (outer []programs.Op, schedules [][]programs.Op) {
	within := false
	for _, op := range ops {
		switch last := len(schedules) - 1; {
		case within:
			schedules[last] = append(schedules[last], op)
			within = op.Kind != programs.OpStarted
		case op.Kind == programs.OpStart:
			within, schedules = true, append(schedules, nil)
			fallthrough
		default:
			outer = append(outer, op)
		}
	}
	return outer, schedules
}

// pair returns the wait of each post, and the post of each wait; none: it is not in the window.
func pair(ops []programs.Op) (mates []int32) {
	mates = make([]int32, len(ops))
	open := map[int32]int32{}
	for i := range ops {
		mates[i] = none
		switch op := &ops[i]; op.Kind {
		case programs.OpSend, programs.OpReceive, programs.OpPut, programs.OpGet, programs.OpSignal:
			open[op.Request] = int32(i)
		case programs.OpWait:
			if post, ok := open[op.Request]; ok {
				mates[i], mates[post] = post, int32(i)
				delete(open, op.Request)
			}
		}
	}
	return mates
}

func twoSided(op *programs.Op) bool {
	return op.Kind == programs.OpSend || op.Kind == programs.OpReceive
}

// pieces is how many operations one becomes. A wait for a message of another window waits for
// as many pieces as it may have.
func pieces(ops []programs.Op, mates []int32, i int, c *Changes) int {
	switch op := &ops[i]; {
	case twoSided(op):
		return c.pieces(op.Amount)
	case op.Kind == programs.OpWait && mates[i] == none:
		return max(1, c.Pieces)
	case op.Kind == programs.OpWait && twoSided(&ops[mates[i]]):
		return c.pieces(ops[mates[i]].Amount)
	}
	return 1
}

// numbers are the requests of pieces: the first keeps the request of its message.
type numbers struct {
	base int32 // above all of the program
	cut  int32 // pieces of a message, at most
}

func (n numbers) of(request, piece int32) int32 {
	if piece == 0 {
		return request
	}
	return n.base + (request+1)*(n.cut-1) + piece - 1
}

// first is the first number that no piece has.
func (n numbers) first() int32 { return n.of(n.base, 1) }

// cut appends the pieces of an operation.
func (w *window) cut(op *programs.Op, pieces int, n numbers) {
	for k := range int64(pieces) {
		one := item{op: *op, mate: none, piece: int32(k), pieces: int32(pieces)}
		one.op.Request = op.Request
		if twoSided(op) || op.Kind == programs.OpWait {
			one.op.Request = n.of(op.Request, int32(k))
		}
		if twoSided(op) {
			if one.op.Amount = op.Amount / int64(pieces); k < op.Amount%int64(pieces) {
				one.op.Amount++
			}
		}
		w.items = append(w.items, one)
	}
}

// post returns the post of a wait, if it is a two-sided message of the window.
func (w *window) post(of *item) (post *programs.Op, ok bool) {
	if of.op.Kind != programs.OpWait || of.mate == none {
		return nil, false
	}
	return &w.items[of.mate].op, true
}

// pathOf is the channel of a message within a rank.
func pathOf(op *programs.Op) path { return path{op.Kind, op.Peer, op.Tag} }

// path is a kind of message, the other rank and the tag.
type path struct {
	kind      programs.OpKind
	peer, tag int32
}

// uses tells whether a computation is known to use what came.
func (w *window) uses(op *programs.Op) bool {
	return op.Kind == programs.OpCompute && w.c.Uses != nil && w.c.Uses(op.Kernel)
}

// closed tells whether nothing but a receive moves past an operation.
func closed(op *programs.Op) bool {
	return op.Kind == programs.OpBarrier || op.Kind == programs.OpMeet || op.Kind == programs.OpPattern
}
