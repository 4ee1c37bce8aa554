package collectives

// ScatterLinear sends a block after the other from the root; ScatterLinearAtOnce posts all.
var (
	ScatterLinear = &Algorithm{
		Of: Scatter, Name: "linear", How: "the root sends one block after the other", Source: "Open MPI, coll_base_scatter.c: basic_linear",
		Schedule: Schedule{scatterRounds, func(g *Group, round int, r *Round) { scatterFrom(g, round+1, round+2, r) }},
	}
	ScatterLinearAtOnce = &Algorithm{
		Of: Scatter, Name: "linear-nonblocking", How: "the root sends all blocks at once",
		Source: "Open MPI, coll_base_scatter.c: linear_nb",
		Schedule: Schedule{func(g *Group) int { return min(1, g.Ranks-1) },
			func(g *Group, _ int, r *Round) { scatterFrom(g, 1, g.Ranks, r) }},
	}
)

func init() { Register(ScatterLinear, ScatterLinearAtOnce) }

func scatterRounds(g *Group) int {
	if g.Me == g.Root {
		return around(g)
	}
	return min(1, g.Ranks-1)
}

// scatterFrom sends the blocks of places from first to before end.
func scatterFrom(g *Group, first, end int, r *Round) {
	if g.Me != g.Root {
		r.Recv(g.Root, g.block(g.Me))
		return
	}
	for place := first; place < end; place++ {
		r.Send(g.at(place), g.block(g.at(place)))
	}
}
