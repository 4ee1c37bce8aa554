package collectives

// ScatterBinomial scatters down a binomial tree: a member gets the blocks of its subtree.
var ScatterBinomial = &Algorithm{
	Of: Scatter, Name: "binomial", How: "down a binomial tree, with the blocks of subtrees",
	Source: "Thakur, Rabenseifner, Gropp 2005", Schedule: scatterDown,
}

func init() { Register(ScatterBinomial) }

var scatterDown = Schedule{
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
