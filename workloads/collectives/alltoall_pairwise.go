package collectives

// AlltoallPairwise is an all-to-all in P-1 rounds: in round t a member sends to the member t
// ahead and receives from the one t behind.
var AlltoallPairwise = New(Alltoall, "pairwise", "Thakur, Rabenseifner, Gropp 2005, section 4.3",
	func(g *Group) int { return around(g) + 1 }, func(g *Group, round int, r *Round) { g.trade(round, r) })

func init() {
	AlltoallPairwise.Hops = func(g *Group) (int64, int64) { return int64(around(g)), g.between(0, 1) }
	Register(AlltoallPairwise)
}
