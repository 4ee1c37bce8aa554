package goal

import (
	"errors"
	"fmt"
	"strings"
)

// Assembler builds a Schedule rank by rank: the operations and dependencies of rank 0,
// EndRank, the operations of rank 1, and so on.
type Assembler struct {
	s      Schedule
	want   int     // ranks
	left   float64 // of the text, in parts of what was read; 0: unknown
	edges  []edge
	back   bool     // an edge of this rank points backwards: there may be a cycle
	cursor []uint32 // scratch of place
	err    error
}

// edge is a dependency: dependant waits for the end of on, or for its start if on has the
// bit onStart. Both are numbered within their rank.
type edge struct{ dependant, on uint32 }

// NewAssembler starts a schedule with the given number of ranks.
func NewAssembler(ranks int) *Assembler {
	return &Assembler{want: ranks, s: Schedule{ranks: []uint32{0}, cpus: 1, nics: 1}}
}

// Add appends an operation to the current rank and returns its number within the rank.
// Schedule reports mistakes.
func (a *Assembler) Add(op Op) int {
	n := len(a.s.ops) - int(a.start())
	if op.Kind == Calc {
		op.Peer, op.Tag, op.NIC = 0, 0, 0 // a calc has none
	}
	switch {
	case op.Kind < Send || op.Kind > Calc:
		a.fail("operation %d: %v: want Send, Recv or Calc", n, op.Kind)
	case op.Kind == Calc || op.Kind == Recv && op.Peer == AnySource:
	case int64(op.Peer) >= int64(a.want):
		a.fail("operation %d: %v: rank %d, want 0 to %d", n, op.Kind, op.Peer, a.want-1)
	}
	if len(a.s.ops) >= maxOps {
		a.fail("more than %d operations", maxOps)
		return 0
	}
	*a.append() = op
	a.widen(&op)
	return n
}

// Send appends a send on CPU 0 and NIC 0.
func (a *Assembler) Send(bytes uint64, to, tag uint32) int {
	return a.Add(Op{Kind: Send, Size: bytes, Peer: to, Tag: tag})
}

// Recv appends a receive on CPU 0 and NIC 0; from may be AnySource, tag AnyTag.
func (a *Assembler) Recv(bytes uint64, from, tag uint32) int {
	return a.Add(Op{Kind: Recv, Size: bytes, Peer: from, Tag: tag})
}

// Calc appends a computation on CPU 0.
func (a *Assembler) Calc(ns uint64) int { return a.Add(Op{Kind: Calc, Size: ns}) }

// append appends an operation for the caller to fill in.
func (a *Assembler) append() *Op {
	a.s.ops = append(a.s.ops, Op{})
	return &a.s.ops[len(a.s.ops)-1]
}

// widen makes sure that every host has the CPU and the NIC of an operation.
func (a *Assembler) widen(op *Op) {
	a.s.cpus = max(a.s.cpus, int(op.CPU)+1)
	a.s.nics = max(a.s.nics, int(op.NIC)+1)
}

// start returns the number of the current rank's first operation.
func (a *Assembler) start() uint32 { return a.s.ranks[len(a.s.ranks)-1] }

// Require makes an operation wait for the end of another of the same rank.
func (a *Assembler) Require(op, on int) { a.require(op, on, 0) }

// RequireStart makes an operation wait for the start of another of the same
// rank; a receive starts when it is posted.
func (a *Assembler) RequireStart(op, on int) { a.require(op, on, onStart) }

func (a *Assembler) require(op, on int, bit uint32) {
	n := len(a.s.ops) - int(a.start())
	if op < 0 || op >= n || on < 0 || on >= n {
		a.fail("operation %d requires %d, want two of 0 to %d", op, on, n-1)
		return
	}
	a.edge(uint32(op), uint32(on), bit)
}

func (a *Assembler) edge(op, on, bit uint32) {
	a.edges = append(a.edges, edge{op, on | bit})
	if op <= on {
		a.back = true
	}
}

// EndRank ends the operations of the current rank.
func (a *Assembler) EndRank() {
	if cycle := a.cycle(); cycle != nil {
		a.fail("cyclic dependency: %s", describeCycle(cycle, func(op uint32) string { return fmt.Sprint("operation ", op) }))
	}
	a.endRank()
}

// cycle returns a cycle among the dependencies of the current rank, in the form of
// findCycle.
func (a *Assembler) cycle() []uint32 {
	if !a.back {
		return nil
	}
	return findCycle(len(a.s.ops)-int(a.start()), a.edges)
}

func (a *Assembler) endRank() {
	a.place(a.s.ops[a.start():])
	a.s.ranks = append(a.s.ranks, uint32(len(a.s.ops)))
	a.edges, a.back = a.edges[:0], false
	a.foresee(1)
}

// foresee makes room for the next ranks of the schedule.
func (a *Assembler) foresee(next int) {
	done := len(a.s.ranks) - 1
	a.s.ops = foresee(a.s.ops, done, a.want, next, a.left)
	a.s.lines = foresee(a.s.lines, done, a.want, next, a.left)
	a.s.dependants = foresee(a.s.dependants, done, a.want, next, a.left)
	a.s.ranks = foresee(a.s.ranks, done, a.want, next, a.left)
}

// foresee makes room in a list that holds the entries of the first done of want ranks. It adds a
// tenth more room than the rest of the text needs. If that is unknown, it assumes that all ranks
// are nearly alike, and adds at most three times the entries so far, because want is only what a
// file claims. What it adds it does not touch, as slices.Grow would: memory that is not used costs
// nothing, and a copy does.
func foresee[T any](list []T, done, want, next int, left float64) []T {
	if done == 0 || done >= want || cap(list)-len(list) > len(list)/done*next {
		return list
	}
	more := 1.1 * left
	if left == 0 {
		more = min(3, 1.05*float64(want-done)/float64(done))
	}
	return append(large[T](len(list) + int(more*float64(len(list))) + 1)[:0], list...)
}

// place sorts the edges of a rank into rows by the operation waited for. In a row the
// edges on its start come first; otherwise they keep their order.
func (a *Assembler) place(rank []Op) {
	at := uint32(len(a.s.dependants))
	a.cursor = append(a.cursor[:0], make([]uint32, len(rank))...)
	for _, e := range a.edges {
		on := e.on &^ onStart
		a.cursor[on]++
		if e.on != on {
			rank[on].starts = true
		}
	}
	for i := range rank {
		rank[i].first = at
		at, a.cursor[i] = at+a.cursor[i], at
	}
	a.s.dependants = append(a.s.dependants, make([]uint32, len(a.edges))...)
	for _, group := range [...]uint32{onStart, 0} {
		for _, e := range a.edges {
			if e.on&onStart == group {
				c := &a.cursor[e.on&^onStart]
				a.s.dependants[*c] = e.dependant + a.start() | group
				*c++
			}
		}
	}
}

// fail keeps the first error, with its rank.
func (a *Assembler) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf("rank %d: %s", len(a.s.ranks)-1, fmt.Sprintf(format, args...))
	}
}

// Schedule returns the schedule. The Assembler must not be used afterwards.
func (a *Assembler) Schedule() (*Schedule, error) {
	have := len(a.s.ranks) - 1
	switch {
	case a.err != nil:
		return nil, a.err
	case a.want < 1:
		return nil, fmt.Errorf("%d ranks, want at least 1", a.want)
	case have != a.want:
		return nil, fmt.Errorf("%d of %d ranks are there", have, a.want)
	case len(a.s.ops) > int(a.start()):
		return nil, errors.New("the last rank was not ended")
	}
	return a.schedule(), nil
}

func (a *Assembler) schedule() *Schedule {
	a.s.ops = append(a.s.ops, Op{first: uint32(len(a.s.dependants))})
	return &a.s
}

// findCycle returns a cycle among the edges between n operations, or nil. The cycle is
// closed: its last operation is its first, and each requires the one after it. findCycle
// removes the operations that can run (Kahn 1962); from every one that is left,
// requirements lead into a cycle.
func findCycle(n int, edges []edge) []uint32 {
	first, next := make([]uint32, n), make([]uint32, len(edges)) // edges by on; 0 ends
	open := make([]uint32, n)
	for i, e := range edges {
		on := e.on &^ onStart
		next[i], first[on] = first[on], uint32(i+1)
		open[e.dependant]++
	}
	var ready []uint32
	for op, k := range open {
		if k == 0 {
			ready = append(ready, uint32(op))
		}
	}
	done := len(ready)
	for len(ready) > 0 {
		op := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for i := first[op]; i != 0; i = next[i-1] {
			d := edges[i-1].dependant
			if open[d]--; open[d] == 0 {
				ready = append(ready, d)
				done++
			}
		}
	}
	if done == n {
		return nil
	}
	return walkCycle(open, edges)
}

// walkCycle follows requirements among the operations that stay open until one repeats.
func walkCycle(open []uint32, edges []edge) []uint32 {
	requires := make(map[uint32]uint32)
	start := uint32(0)
	for _, e := range edges {
		if on := e.on &^ onStart; open[e.dependant] > 0 && open[on] > 0 {
			requires[e.dependant] = on
			start = e.dependant
		}
	}
	at := make(map[uint32]int)
	var path []uint32
	for op := start; ; op = requires[op] {
		if i, seen := at[op]; seen {
			return append(path[i:], op)
		}
		at[op] = len(path)
		path = append(path, op)
	}
}

// describeCycle describes a cycle in words; of a long one it gives the beginning.
func describeCycle(cycle []uint32, name func(op uint32) string) string {
	const longest = 8
	var names []string
	for i, op := range cycle {
		if i == longest {
			names = append(names, fmt.Sprintf("... (%d in all)", len(cycle)-1))
			break
		}
		names = append(names, name(op))
	}
	return strings.Join(names, " requires ")
}
