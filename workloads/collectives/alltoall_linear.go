package collectives

// AlltoallLinear sends a block from every member to every other one. Each posts all messages,
// starting with the next member, and then waits for all. It uses 2 (P-1) requests.
var AlltoallLinear = &Algorithm{
	Of: Alltoall, Name: "linear", How: "each posts a message to every other rank, then waits for all",
	Source:   "Thakur, Rabenseifner, Gropp 2005, section 4.3; Open MPI, coll_base_alltoall.c: basic_linear",
	Schedule: Schedule{func(g *Group) int { return 2*around(g) + 1 }, linear}, Symmetry: aRing,
}

// AlltoallAtOnce is the same in one round, as a non-blocking collective needs it.
var AlltoallAtOnce = &Algorithm{
	Of: Alltoall, Name: "linear-at-once", How: "`linear` in one round, for non-blocking ones", Source: "Open MPI, nbc_ialltoall.c: linear",
	Schedule: Schedule{one, func(g *Group, _ int, r *Round) {
		for distance := range g.Ranks {
			g.trade(distance, r)
		}
	}}, Symmetry: aRing,
}

func init() { Register(AlltoallLinear, AlltoallAtOnce) }

func linear(g *Group, round int, r *Round) {
	if past := round - g.Ranks; past >= 0 {
		r.Settle(2*past, 2*past+2)
		return
	}
	g.trade(round, r)
	r.Hold(2 * max(0, round-1))
}
