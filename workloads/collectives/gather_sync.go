package collectives

// GatherSync makes the root ask each member for its block, one after the other.
var GatherSync = &Algorithm{
	Of: Gather, Name: "linear-sync", How: "the root asks one rank after the other for its block",
	Source:   "Open MPI, coll_base_gather.c: linear_sync",
	Schedule: Schedule{syncRounds, gatherSync},
}

func init() { Register(GatherSync) }

func gatherSync(g *Group, round int, r *Round) {
	switch {
	case g.Me == g.Root:
		from := g.at(round + 1)
		r.Recv(from, g.block(from))
		r.Notify(from, 0)
	case round == 0:
		r.Expect(g.Root, 0)
	case round == 1:
		r.Send(g.Root, g.block(g.Me))
	}
}

func syncRounds(g *Group) int {
	if g.Me == g.Root {
		return around(g)
	}
	return 2
}
