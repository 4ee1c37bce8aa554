package collectives

// BarrierTree goes up a binomial tree and down again.
var BarrierTree = &Algorithm{
	Of: Barrier, Name: "tree", How: "up a binomial tree and down again",
	Source:   "J. Mellor-Crummey, M. Scott, ACM Trans. Computer Systems 9(1), 1991, section 2.2; binomial",
	Schedule: upAndDown(binomial),
}

// BarrierLinear goes to one member and back.
var BarrierLinear = &Algorithm{
	Of: Barrier, Name: "linear", How: "all tell rank 0, which then tells all", Source: "Open MPI, coll_base_barrier.c: intra_basic_linear",
	Schedule: upAndDown(star),
}

func init() { Register(BarrierTree, BarrierLinear) }

// upAndDown makes the places of a tree hear from their children, tell their parents, hear from
// their parents, and tell their children.
func upAndDown(t tree) Schedule {
	return Schedule{func(g *Group) int { return 4 * min(1, g.Ranks-1) }, func(g *Group, round int, r *Round) {
		parent, kids := t(g.Ranks, 2, g.Me, r.kids[:0])
		r.kids = kids
		switch round {
		case 0:
			for i := len(kids) - 1; i >= 0; i-- {
				r.Expect(kids[i], g.Bytes)
			}
		case 1, 2:
			if g.Me > 0 && round == 1 {
				r.Notify(parent, g.Bytes)
			} else if g.Me > 0 {
				r.Expect(parent, g.Bytes)
			}
		case 3:
			for _, child := range kids {
				r.Notify(child, g.Bytes)
			}
		}
	}}
}
