package collectives

// AllgatherRing collects a block of Bytes of every member at all members: each passes
// on to the next one what it got from the one before, P-1 times. Chan et al.,
// Concurrency and Computation 19(13), 2007, section 4.
var AllgatherRing = Algorithm{Rounds: around, Round: func(g Group, round int, do Caller) {
	g.swap(g.Me+1, g.Bytes, g.Me-1, g.Bytes, round, do)
}}

// ReduceScatterRing combines the vectors of Bytes of all members; each ends with its
// share, nearly equal ones in the order of the members. P-1 rounds (as above).
var ReduceScatterRing = Algorithm{Rounds: around, Round: func(g Group, round int, do Caller) {
	out, in := scattered(g.Me, round)
	g.swap(g.Me+1, g.share(out), g.Me-1, g.share(in), round, do)
	g.combine(g.share(in), do)
}}

// AllreduceRing combines the vectors of Bytes of all members at all members: a
// ReduceScatterRing, then the shares go round. Patarasuk, Yuan, J. Parallel
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

// scattered returns the blocks that a member sends and receives in a round of a ring
// at whose end it has its own; the numbers go round.
func scattered(me, round int) (out, in int) { return me - round - 1, me - round - 2 }

// gathered returns those of a ring at whose begin it has its own.
func gathered(me, round int) (out, in int) { return me - round, me - round - 1 }
