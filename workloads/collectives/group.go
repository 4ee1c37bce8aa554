package collectives

import (
	"sync"

	"overlapsim/nodes/machines"
)

// Group describes the members of a collective, and its parameters. Members are numbered
// from 0.
type Group struct {
	Ranks   int   // members
	Me      int   // the caller, as a member
	Root    int   // a member, for operations that have a root
	Bytes   int64 // size of the largest buffer of a member; Operation says what it holds
	Segment int64 // size of the pieces in which an algorithm moves the bytes, if it can; 0: one piece
	Radix   int   // children of a tree node, or base of k-nomial trees and of Bruck's distances; 0: the algorithm's default
	Window  int   // messages of an all-to-all in flight at a time; 0: the algorithm's default
	Levels  []int // neighbouring members that share a node, then the members among them that share a socket, for hierarchical algorithms
	Dims    []int // periodic grid of the members, for neighbourhoods; its product is Ranks

	// Sizes is the size of a member's block, for operations on blocks that are not equal (the
	// v-variants); nil: Bytes in nearly equal shares.
	Sizes func(member int) int64
	// Between is the size of what one member sends to another in an all-to-all; nil: equal.
	Between func(from, to int) int64

	Offload *machines.Combining // the switches of the network; nil: they do not combine

	Tag     int // of all messages
	Request int // the first request that is free for the collective

	// Combine is the task of combining the given number of bytes with as many others. Copy is the
	// task of copying them. nil: it takes no time.
	Combine, Copy func(bytes int64) machines.Task
	// Touch is the task of touching fresh memory for the first time; nil: it takes no time.
	Touch func(bytes int64) machines.Task
	// Rank is the rank of a member; nil: members are ranks.
	Rank func(member int) int
}

// lent holds groups that are not in use. Algorithms take groups by address, so without it every
// call would allocate one.
var lent = sync.Pool{New: func() any { return new(Group) }}

// Lend returns a copy of the group until GiveBack, whose memory is then used again.
func (g *Group) Lend() *Group {
	other := lent.Get().(*Group)
	*other = *g
	return other
}

// GiveBack ends the use of a group that Lend returned.
func (g *Group) GiveBack() { lent.Put(g) }

// wrap returns the member of a number that may lie beyond the ends.
func (g *Group) wrap(member int) int {
	if member %= g.Ranks; member < 0 {
		member += g.Ranks
	}
	return member
}

// rank returns the rank of a member.
func (g *Group) rank(member int) int {
	if g.Rank == nil {
		return member
	}
	return g.Rank(member)
}

// place is the member's number when the root is 0, and at is the member of a place.
func (g *Group) place() int       { return g.wrap(g.Me - g.Root) }
func (g *Group) at(place int) int { return g.wrap(place + g.Root) }

// radix and window are the parameters, or the given default.
func (g *Group) radix(otherwise int) int {
	if g.Radix < 1 {
		return otherwise
	}
	return g.Radix
}

func (g *Group) window(otherwise int) int {
	if g.Window < 1 {
		return otherwise
	}
	return g.Window
}

// log is the number of rounds in which a number doubles: ceil(log2 P).
func log(ranks int) int { return logOf(ranks, 2) }

// logOf is the smallest n for which radix^n is not below the number of ranks.
func logOf(ranks, radix int) (n int) {
	for reach := 1; reach < ranks; reach *= radix {
		n++
	}
	return n
}
