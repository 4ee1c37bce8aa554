package collectives

// AllgatherBruck is an all-gather in ceil(log2 P) rounds for every P. In each round a member
// receives as many blocks as it has, from the member at that distance behind. At the end it
// rotates them, which is a copy. With a Radix k it receives k-1 times as many, from k-1 members.
var AllgatherBruck = &Algorithm{
	Of: Allgather, Name: "bruck",
	How:      "a member receives as many blocks as it has in each round, for any number of ranks, and rotates them in the end",
	Source:   "J. Bruck et al., IEEE Trans. Parallel Distributed Systems 8(11), 1997, section 4",
	Schedule: Schedule{func(g *Group) int { return logOf(g.Ranks, g.radix(2)) + 1 }, bruckGather},
	Uses:     Uses{Radix: true}, Alike: blocksIn(oneEach), Symmetry: blockRing,
	Allocates: func(g *Group) int64 { return g.Bytes }, // the blocks that it turns round
}

func init() { Register(AllgatherBruck) }

func bruckGather(g *Group, round int, r *Round) {
	if round == logOf(g.Ranks, g.radix(2)) {
		inPlace(g, round, r)
		return
	}
	have := power(g.radix(2), round)
	for j := 1; j < g.radix(2) && j*have < g.Ranks; j++ {
		a, b := g.around(g.Me-j*have-min(have, g.Ranks-j*have)+1, min(have, g.Ranks-j*have))
		r.Recv(g.wrap(g.Me-j*have), a, b)
	}
	for j := 1; j < g.radix(2) && j*have < g.Ranks; j++ {
		a, b := g.around(g.Me-min(have, g.Ranks-j*have)+1, min(have, g.Ranks-j*have))
		r.Send(g.wrap(g.Me+j*have), a, b)
	}
}
