package collectives

import "math/bits"

// Dissemination is a barrier: in round k each member sends Bytes to the member 2^k ahead.
// Hensgen, Finkel, Manber, Int. J. Parallel Programming 17(1), 1988.
var Dissemination = Algorithm{Rounds: log, Round: func(g Group, round int, do Caller) {
	ahead := 1 << round
	g.swap(g.Me+ahead, g.Bytes, g.Me-ahead, g.Bytes, round, do)
}}

// BroadcastBinomial sends Bytes from the Root to all members. In each round every member
// that has them sends them on; the root sends half-way around first.
var BroadcastBinomial = Algorithm{Rounds: log, Round: func(g Group, round int, do Caller) {
	half := 1 << (log(g.Ranks) - 1 - round)
	switch place := (g.Me - g.Root + g.Ranks) % g.Ranks; {
	case place%(2*half) == half:
		do.Recv(g.rank(g.Me-half), g.Bytes, g.Tag+round)
	case place%(2*half) == 0 && place+half < g.Ranks:
		do.Send(g.rank(g.Me+half), g.Bytes, g.Tag+round)
	}
}}

// AllreduceDoubling combines the vectors of Bytes of all members at all members by
// recursive doubling: in round k, an exchange with the member whose number differs in bit
// k. If P is not a power of two, a first round folds some members into their neighbours,
// and a last one brings them the result. Thakur, Rabenseifner, Gropp, Int. J. High
// Performance Computing Applications 19(1), 2005, section 4.5.
var AllreduceDoubling = Algorithm{Rounds: func(ranks int) int {
	if f := foldOf(ranks); f.pairs > 0 {
		return f.rounds + 2
	}
	return log(ranks)
}, Round: doubling}

// fold tells how the members are reduced to a power of two: in the first pairs, the odd
// member stands for both.
type fold struct{ rounds, pairs int }

func foldOf(ranks int) fold {
	rounds := bits.Len(uint(ranks)) - 1
	return fold{rounds, ranks - 1<<rounds}
}

// place is the number of a member among those that are left; left is false if it is not
// one.
func (f fold) place(member int) (place int, left bool) {
	if member < 2*f.pairs {
		return member / 2, member%2 == 1
	}
	return member - f.pairs, true
}

// member is the member at a place.
func (f fold) member(place int) int {
	if place < f.pairs {
		return 2*place + 1
	}
	return place + f.pairs
}

func doubling(g Group, round int, do Caller) {
	f := foldOf(g.Ranks)
	bit := round
	if f.pairs > 0 {
		bit--
	}
	place, left := f.place(g.Me)
	switch {
	case bit < 0:
		g.pair(f, g.Me%2 == 0, round, do)
		if g.Me < 2*f.pairs && left {
			g.combine(g.Bytes, do)
		}
	case bit == f.rounds:
		g.pair(f, g.Me%2 == 1, round, do)
	case left:
		peer := f.member(place ^ 1<<bit)
		g.swap(peer, g.Bytes, peer, g.Bytes, round, do)
		g.combine(g.Bytes, do)
	}
}

// pair makes one member of a folded pair send to the other.
func (g *Group) pair(f fold, sends bool, round int, do Caller) {
	switch peer := g.rank(g.Me ^ 1); {
	case g.Me >= 2*f.pairs:
	case sends:
		do.Send(peer, g.Bytes, g.Tag+round)
	default:
		do.Recv(peer, g.Bytes, g.Tag+round)
	}
}
