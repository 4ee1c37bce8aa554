package collectives

// GatherLinear makes the root receive from all members.
var GatherLinear = &Algorithm{
	Of: Gather, Name: "linear", How: "all send to the root", Source: "Open MPI, coll_base_gather.c: basic_linear",
	Schedule: Schedule{func(g *Group) int { return min(1, g.Ranks-1) }, func(g *Group, _ int, r *Round) {
		if g.Me != g.Root {
			r.Send(g.Root, g.block(g.Me))
			return
		}
		for place := 1; place < g.Ranks; place++ {
			r.Recv(g.at(place), g.block(g.at(place)))
		}
	}},
}

func init() { Register(GatherLinear) }
