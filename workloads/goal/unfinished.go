package goal

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"overlapsim/nodes/match"
)

// Unfinished is the error of a schedule whose operations cannot all end, or
// whose messages and receives do not all meet.
type Unfinished struct {
	Open       int    // operations that did not end
	Chain      string // which rank waits for which, in words; empty if Open is 0
	Posted     []Left // receives that got no message
	Unexpected []Left // messages, or requests to send, that met no receive
}

// Left is an entry of a queue that found no match.
type Left struct {
	Rank        int // the rank that has the queue
	Source, Tag uint32
	Place       string // of the operation: its line, or its number in its rank
}

// listed is the number of left-over entries that a message names.
const listed = 3

func (u *Unfinished) Error() string {
	var parts []string
	if u.Open > 0 {
		parts = append(parts, fmt.Sprintf("the schedule cannot finish, %s left: %s", count(u.Open, "operation"), u.Chain))
	}
	if n := len(u.Unexpected); n > 0 {
		parts = append(parts, fmt.Sprintf("%s without a receive: %s", count(n, "message"), enumerate(u.Unexpected, func(l Left) string {
			return fmt.Sprintf("rank %d sends %s to rank %d (%s)", l.Source, tagName(l.Tag), l.Rank, l.Place)
		})))
	}
	if n := len(u.Posted); n > 0 {
		parts = append(parts, fmt.Sprintf("%s without a message: %s", count(n, "receive"), enumerate(u.Posted, func(l Left) string {
			return fmt.Sprintf("rank %d wants %s from %s (%s)", l.Rank, tagName(l.Tag), rankName(l.Source), l.Place)
		})))
	}
	return strings.Join(parts, "; ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func enumerate(list []Left, say func(Left) string) string {
	var names []string
	for i, l := range list {
		if i == listed {
			names = append(names, "...")
			break
		}
		names = append(names, say(l))
	}
	return strings.Join(names, ", ")
}

func tagName(tag uint32) string {
	if tag == AnyTag {
		return "any tag"
	}
	return fmt.Sprintf("tag %d", tag)
}

func rankName(rank uint32) string {
	if rank == AnySource {
		return "any rank"
	}
	return fmt.Sprintf("rank %d", rank)
}

// left lists the entries of a rank's queue.
func (s *Schedule) left(list []Left, rank int, queue iter.Seq[match.Envelope[uint32]]) []Left {
	for e := range queue {
		list = append(list, Left{rank, e.Source, e.Tag, s.place(e.Value)})
	}
	return list
}

// unfinished explains the remaining operations when no event is left.
func (e *engine) unfinished() *Unfinished {
	u := &Unfinished{Open: e.open}
	w := &waitGraph{s: e.s, blocked: e.waits.open, held: map[uint32]bool{}}
	for rank := range e.s.Ranks() {
		u.Posted = e.s.left(u.Posted, rank, e.matching.Posted(rank))
		u.Unexpected = e.s.left(u.Unexpected, rank, e.matching.Unexpected(rank))
		for x := range e.matching.Posted(rank) {
			w.held[x.Value] = true
		}
		for x := range e.matching.Unexpected(rank) {
			if e.ops[x.Value].Size > e.p.Rendezvous {
				w.held[x.Value] = true
			}
		}
	}
	return w.explain(u)
}

// waitGraph finds out which operation waits for which. An operation is held if it has
// begun and waits for another rank. It is blocked if it has not begun because it
// requires, directly or through others, an operation that is held.
type waitGraph struct {
	s       *Schedule
	blocked func(op uint32) bool
	held    map[uint32]bool
}

// explain says what the first operation that is held waits for.
func (w *waitGraph) explain(u *Unfinished) *Unfinished {
	if u.Open > 0 {
		u.Chain = w.chain(slices.Min(slices.Collect(maps.Keys(w.held))))
	}
	return u
}

// longestChain is the largest number of ranks that a message names.
const longestChain = 8

// chain says in words what a held operation waits for, and what that waits for in turn,
// to the end or around a cycle.
func (w *waitGraph) chain(x uint32) string {
	rank := w.s.rankOf(x)
	text := fmt.Sprintf("rank %d %s", rank, w.wish(x))
	seen := map[uint32]bool{}
	for range longestChain {
		seen[x] = true
		y, ok := w.answer(x, rank)
		if !ok {
			return text + w.noAnswer(x)
		}
		rank = w.s.rankOf(y)
		x = w.cause(y, rank)
		does := [...]string{Send: "sends", Recv: "receives"}[w.s.ops[y].Kind]
		text += fmt.Sprintf(", which rank %d %s at %s, but first %s", rank, does, w.s.place(y), w.wish(x))
		if seen[x] {
			return text + ": a cycle"
		}
	}
	return text + ", and so on"
}

// wish says what a held operation waits for.
func (w *waitGraph) wish(x uint32) string {
	op, place := &w.s.ops[x], w.s.place(x)
	if op.Kind == Recv {
		return fmt.Sprintf("waits for %s from %s (%s)", tagName(op.Tag), rankName(op.Peer), place)
	}
	return fmt.Sprintf("waits for a receive of %s, %d bytes, by rank %d (%s)", tagName(op.Tag), op.Size, op.Peer, place)
}

func (w *waitGraph) noAnswer(x uint32) string {
	op := &w.s.ops[x]
	switch {
	case op.Kind == Send:
		return fmt.Sprintf(", but rank %d has no such receive left", op.Peer)
	case op.Peer == AnySource:
		return ", but no rank has such a send left"
	}
	return fmt.Sprintf(", but rank %d has no such send left", op.Peer)
}

// answer finds the first blocked operation that would match a held one.
func (w *waitGraph) answer(x uint32, rank int) (y uint32, ok bool) {
	op := &w.s.ops[x]
	from, to := uint32(0), uint32(len(w.s.Ops()))
	if op.Peer != AnySource {
		from, to = w.s.ranks[op.Peer], w.s.ranks[op.Peer+1]
	}
	for y := from; y < to; y++ {
		if other := &w.s.ops[y]; w.blocked(y) && meets(op, other, uint32(rank)) {
			return y, true
		}
	}
	return 0, false
}

// meets tells whether other would match op, an operation of the given rank; other is on
// the rank that op names.
func meets(op, other *Op, rank uint32) bool {
	return other.Kind == Send+Recv-op.Kind &&
		(other.Peer == rank || other.Peer == AnySource) &&
		(other.Tag == op.Tag || other.Tag == AnyTag || op.Tag == AnyTag)
}

// cause returns a held operation that blocks y, an operation of the given rank.
func (w *waitGraph) cause(y uint32, rank int) uint32 {
	first, end := w.s.ranks[rank], w.s.ranks[rank+1]
	because := make([]uint32, end-first) // plus 1; 0: not known
	var todo []uint32
	spread := func(x, held uint32) {
		for _, d := range w.s.after(x) {
			if op := d &^ onStart; w.blocked(op) && because[op-first] == 0 && (x != held || d&onStart == 0) {
				because[op-first] = held + 1
				todo = append(todo, op)
			}
		}
	}
	for x := first; x < end; x++ {
		if !w.held[x] {
			continue
		}
		for spread(x, x); len(todo) > 0; {
			op := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			spread(op, x)
		}
	}
	if because[y-first] == 0 {
		panic(fmt.Sprintf("goal: operation %d of rank %d is blocked by nothing", y, rank))
	}
	return because[y-first] - 1
}
