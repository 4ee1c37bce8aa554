package collectives

// ReduceInTurn is a reduction up a binomial tree in which each child has a round of its own.
var ReduceInTurn = New(Reduce, "binomial-in-turn", "Open MPI, nbc_ireduce.c: red_sched_binomial",
	func(g *Group) int { return log(g.Ranks) + min(1, g.Ranks-1) }, inTurn)

func init() {
	Register(ReduceInTurn)
}

// inTurn takes a child a round, that with the smallest subtree first, and then sends.
func inTurn(g *Group, round int, r *Round) {
	parent, kids := binomial(g.Ranks, 2, g.place(), r.kids[:0])
	r.kids = kids
	switch left := len(kids) - round; {
	case left > 0:
		r.Add(g.at(kids[left-1]), g.whole())
	case left == 0 && g.place() > 0:
		r.Send(g.at(parent), g.whole())
	}
}
