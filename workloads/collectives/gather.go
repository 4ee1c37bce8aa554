package collectives

// Gathers and scatters of blocks.

// GatherBinomial gathers up a binomial tree: a member passes on the blocks of its subtree.
var GatherBinomial = New(Gather, "binomial", "Thakur, Rabenseifner, Gropp 2005", func(g *Group) int { return 2 * min(1, g.Ranks-1) },
	func(g *Group, round int, r *Round) {
		parent, kids := binomial(g.Ranks, 2, g.place(), r.kids[:0])
		r.kids = kids
		for i := len(kids) - 1; i >= 0 && round == 0; i-- {
			a, b := g.subtree(kids[i])
			r.Recv(g.at(kids[i]), a, b)
		}
		if g.place() > 0 && round == 1 {
			a, b := g.subtree(g.place())
			r.Send(g.at(parent), a, b)
		}
	})

// GatherLinear receives from everybody at the root.
var GatherLinear = New(Gather, "linear", "Open MPI, coll_base_gather.c: basic_linear", func(g *Group) int { return min(1, g.Ranks-1) },
	func(g *Group, _ int, r *Round) {
		if g.Me != g.Root {
			r.Send(g.Root, g.block(g.Me))
			return
		}
		for place := 1; place < g.Ranks; place++ {
			r.Recv(g.at(place), g.block(g.at(place)))
		}
	})

// GatherSync lets the root ask each member for its block, one after the other.
var GatherSync = New(Gather, "linear-sync", "Open MPI, coll_base_gather.c: linear_sync", syncRounds, gatherSync)

// ScatterBinomial scatters down a binomial tree: a member gets the blocks of its subtree.
var ScatterBinomial = &Algorithm{Of: Scatter, Name: "binomial", Source: "Thakur, Rabenseifner, Gropp 2005", schedule: scatterDown}

// ScatterLinear sends a block after the other from the root; ScatterLinearAtOnce posts all.
var (
	ScatterLinear = New(Scatter, "linear", "Open MPI, coll_base_scatter.c: basic_linear", func(g *Group) int {
		if g.Me == g.Root {
			return around(g)
		}
		return min(1, g.Ranks-1)
	}, func(g *Group, round int, r *Round) { scatterFrom(g, round+1, round+2, r) })
	ScatterLinearAtOnce = New(Scatter, "linear-nonblocking", "Open MPI, coll_base_scatter.c: linear_nb",
		func(g *Group) int { return min(1, g.Ranks-1) },
		func(g *Group, _ int, r *Round) { scatterFrom(g, 1, g.Ranks, r) })
)

func init() {
	for _, a := range []*Algorithm{GatherBinomial, GatherLinear, GatherSync, ScatterBinomial, ScatterLinear, ScatterLinearAtOnce} {
		Register(a)
	}
}

// subtree are the blocks of a place's subtree in a binomial tree.
func (g *Group) subtree(place int) (a, b Span) {
	size := place & -place
	if place == 0 {
		size = g.Ranks
	}
	return g.around(g.at(place), min(size, g.Ranks-place))
}

var scatterDown = schedule{
	Rounds: func(g *Group) int { return 2 * min(1, g.Ranks-1) },
	Round: func(g *Group, round int, r *Round) {
		parent, kids := binomial(g.Ranks, 2, g.place(), r.kids[:0])
		r.kids = kids
		if g.place() > 0 && round == 0 {
			a, b := g.subtree(g.place())
			r.Recv(g.at(parent), a, b)
		}
		for _, child := range kids {
			if round == 1 {
				a, b := g.subtree(child)
				r.Send(g.at(child), a, b)
			}
		}
	},
}

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

func syncRounds(g *Group) int {
	if g.Me == g.Root {
		return around(g)
	}
	return 2
}
