package collectives

// AllgatherRing collects a block of Bytes of every member at all members. P-1 times each
// member passes the block that it got from the one before to the next one. Chan et al.,
// Concurrency and Computation 19(13), 2007, section 4.
var AllgatherRing = Algorithm{Rounds: around, Round: func(g Group, round int, do Caller) {
	g.swap(g.Me+1, g.Bytes, g.Me-1, g.Bytes, round, do)
}}

// ReduceScatterRing combines the vectors of Bytes of all members. Each ends with its
// share; the shares are nearly equal, in the order of the members. P-1 rounds (source as
// above).
var ReduceScatterRing = Algorithm{Rounds: around, Round: func(g Group, round int, do Caller) {
	out, in := scattered(g.Me, round)
	g.swap(g.Me+1, g.share(out), g.Me-1, g.share(in), round, do)
	g.combine(g.share(in), do)
}}

// AllreduceRing combines the vectors of Bytes of all members at all members: a
// ReduceScatterRing, then the shares go around the ring. Patarasuk, Yuan, J. Parallel
// Distributed Computing 69(2), 2009.
var AllreduceRing = Algorithm{
	Rounds: func(ranks int) int { return 2 * around(ranks) },
	Round: func(g Group, round int, do Caller) {
		if round < around(g.Ranks) {
			ReduceScatterRing.Round(g, round, do)
			return
		}
		out, in := gathered(g.Me, round-around(g.Ranks))
		g.swap(g.Me+1, g.share(out), g.Me-1, g.share(in), round, do)
	},
}

// scattered returns the blocks that a member sends and receives in a round of a ring at
// whose end it has its own block; the numbers wrap around.
func scattered(me, round int) (out, in int) { return me - round - 1, me - round - 2 }

// gathered returns the same for a ring at whose start it has its own block.
func gathered(me, round int) (out, in int) { return me - round, me - round - 1 }
