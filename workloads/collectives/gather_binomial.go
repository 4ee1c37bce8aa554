package collectives

// GatherBinomial gathers up a binomial tree: a member passes on the blocks of its subtree.
var GatherBinomial = &Algorithm{
	Of: Gather, Name: "binomial", How: "up a binomial tree, with the blocks of subtrees",
	Source: "Thakur, Rabenseifner, Gropp 2005", Schedule: gatherUp,
}

func init() { Register(GatherBinomial) }

var gatherUp = Schedule{
	Rounds: func(g *Group) int { return 2 * min(1, g.Ranks-1) },
	Round: func(g *Group, round int, r *Round) {
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
	},
}

// subtree are the blocks of a place's subtree in a binomial tree.
func (g *Group) subtree(place int) (a, b Span) {
	size := place & -place
	if place == 0 {
		size = g.Ranks
	}
	return g.around(g.at(place), min(size, g.Ranks-place))
}
