package collectives

// AlltoallPairwise is an all-to-all in P-1 rounds: in round t a member sends to the member t
// ahead and receives from the one t behind.
var AlltoallPairwise = &Algorithm{
	Of: Alltoall, Name: "pairwise", How: "in round t, a block to the rank t ahead and one from the rank t behind",
	Source:   "Thakur, Rabenseifner, Gropp 2005, section 4.3",
	Schedule: Schedule{func(g *Group) int { return around(g) + 1 }, func(g *Group, round int, r *Round) { g.trade(round, r) }},
	Hops:     func(g *Group) (int64, int64) { return int64(around(g)), g.between(0, 1) }, Alike: blocksIn(nil), Symmetry: aRing,
}

func init() { Register(AlltoallPairwise) }
