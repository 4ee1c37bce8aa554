package collectives

// AllgatherLinear sends the block of each member to every other one.
var AllgatherLinear = &Algorithm{
	Of: Allgather, Name: "linear", How: "each sends its block to all others, all at once",
	Source: "Open MPI, coll_base_allgather.c: intra_basic_linear, all at once", Symmetry: blockRing,
	Schedule: Schedule{func(g *Group) int { return min(1, g.Ranks-1) }, func(g *Group, _ int, r *Round) {
		for d := 1; d < g.Ranks; d++ {
			r.Recv(g.wrap(g.Me-d), g.block(g.Me-d))
		}
		for d := 1; d < g.Ranks; d++ {
			r.Send(g.wrap(g.Me+d), g.block(g.Me))
		}
	}},
}

func init() { Register(AllgatherLinear) }
