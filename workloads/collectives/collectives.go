// Package collectives has collective operations, by named algorithms, for programs to
// call: compiled programs call them in a step, live ones anywhere.
//
// An algorithm runs in rounds. Call does all of them. A program of many ranks may do one
// round in a step, so that a run holds the operations of one round only.
package collectives

import (
	"math/bits"

	"overlapsim/nodes/machines"
)

// Caller is a rank of a program: *programs.Ops in a compiled one, *nodes.Process in a
// live one.
type Caller interface {
	Compute(t machines.Task, n int)
	Isend(to int, bytes int64, tag, request int)
	Irecv(from int, bytes int64, tag, request int)
	Send(to int, bytes int64, tag int)
	Recv(from int, bytes int64, tag int)
	Wait(request int)
}

// Group describes the members of a collective, and its parameters. Members are numbered
// from 0.
type Group struct {
	Ranks   int   // members
	Me      int   // the caller, as a member
	Root    int   // a member, for collectives that have a root
	Bytes   int64 // size in bytes, in the sense of the algorithm
	Tag     int   // the first tag that is free for the collective
	Request int   // the first request that is free for the collective
	// Combine is the task of combining the given number of bytes with as many others;
	// nil: it takes nothing.
	Combine func(bytes int64) machines.Task
	// Rank is the rank of a member; nil: members are ranks.
	Rank func(member int) int
}

// Algorithm is a way to do a collective.
type Algorithm struct {
	// Rounds is the number of rounds.
	Rounds func(ranks int) int
	// Round does the caller's part of a round; all members do all rounds in order.
	Round func(g Group, round int, do Caller)
	// OneTag: the algorithm uses only the first tag; others use one tag for each round.
	OneTag bool
}

// Call does all rounds.
func (a Algorithm) Call(g Group, do Caller) {
	for round := range a.Rounds(g.Ranks) {
		a.Round(g, round, do)
	}
}

// Tags is the number of tags that the algorithm uses.
func (a Algorithm) Tags(ranks int) int {
	if a.OneTag {
		return min(1, a.Rounds(ranks))
	}
	return a.Rounds(ranks)
}

// rank returns the rank of a member; numbers wrap around.
func (g *Group) rank(member int) int {
	member = ((member % g.Ranks) + g.Ranks) % g.Ranks
	if g.Rank == nil {
		return member
	}
	return g.Rank(member)
}

// share is the size of a member's block of Bytes.
func (g *Group) share(member int) int64 {
	member = ((member % g.Ranks) + g.Ranks) % g.Ranks
	size, rest := g.Bytes/int64(g.Ranks), g.Bytes%int64(g.Ranks)
	if int64(member) < rest {
		size++
	}
	return size
}

// combine spends the time to combine bytes that were received.
func (g *Group) combine(bytes int64, do Caller) {
	if g.Combine != nil {
		do.Compute(g.Combine(bytes), 1)
	}
}

// swap sends to one member while it receives from another one.
func (g *Group) swap(to int, out int64, from int, in int64, round int, do Caller) {
	do.Isend(g.rank(to), out, g.Tag+round, g.Request)
	do.Recv(g.rank(from), in, g.Tag+round)
	do.Wait(g.Request)
}

// log is the number of rounds in which a number doubles: ceil(log2 P).
func log(ranks int) int { return bits.Len(uint(ranks - 1)) }

// around is the number of steps of a ring.
func around(ranks int) int { return ranks - 1 }
