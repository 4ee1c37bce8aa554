package collectives

// ReduceInTurn is a reduction up a binomial tree in which each child has its own round.
var ReduceInTurn = &Algorithm{
	Of: Reduce, Name: "binomial-in-turn", How: "up a binomial tree; a parent takes its children one after the other",
	Source: "Open MPI, nbc_ireduce.c: red_sched_binomial", Schedule: upInTurn,
}

func init() { Register(ReduceInTurn) }

var upInTurn = Schedule{func(g *Group) int { return log(g.Ranks) + min(1, g.Ranks-1) }, inTurn}

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
