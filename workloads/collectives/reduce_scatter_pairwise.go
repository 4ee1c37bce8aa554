package collectives

// ReduceScatterPairwise gets the own block from every member in turn.
var ReduceScatterPairwise = &Algorithm{
	Of: ReduceScatter, Name: "pairwise", How: "each gets its block of the vector from one rank after the other",
	Source: "Thakur, Rabenseifner, Gropp 2005, section 4.4",
	Schedule: Schedule{around, func(g *Group, round int, r *Round) {
		r.Add(g.wrap(g.Me-round-1), g.block(g.Me))
		r.Send(g.wrap(g.Me+round+1), g.block(g.Me+round+1))
	}},
	Hops: blockHops, Alike: blocksIn(nil), Symmetry: blockRing,
}

func init() { Register(ReduceScatterPairwise) }
