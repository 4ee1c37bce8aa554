package collectives

// AllgatherLinear sends the block of each member to every other one.
var AllgatherLinear = New(Allgather, "linear",
	"Open MPI, coll_base_allgather.c: intra_basic_linear, all at once",
	func(g *Group) int { return min(1, g.Ranks-1) }, func(g *Group, _ int, r *Round) {
		for d := 1; d < g.Ranks; d++ {
			r.Recv(g.wrap(g.Me-d), g.block(g.Me-d))
		}
		for d := 1; d < g.Ranks; d++ {
			r.Send(g.wrap(g.Me+d), g.block(g.Me))
		}
	})

func init() {
	Register(AllgatherLinear)
}
