package collectives

// Hierarchical algorithms work within the nodes, and within the sockets of the nodes, separately
// from what goes between them. Group.Levels says how many neighbouring members share a node, a
// socket and so on. Without levels they are the algorithm between nodes. J. Träff, A. Rougier,
// MPI collectives and datatypes for hierarchical all-to-all communication, EuroMPI 2014; MVAPICH2
// and Open MPI's han have the same structure.

// The first member of each node takes part in what goes between nodes.
var (
	BroadcastHierarchical = &Algorithm{
		Of: Broadcast, Name: "hierarchical", How: "a binomial broadcast to the first rank of each node, then one within each node",
		Source: "MPICH, bcast_intra_smp", Uses: Uses{Levels: true, Segment: true},
		Schedule: sequence(toLeader, down(tree(binomial).down(2))),
	}
	ReduceHierarchical = &Algorithm{
		Of: Reduce, Name: "hierarchical", How: "a binomial reduction to the first rank of each node, then one between these",
		Source: "MPICH, reduce_intra_smp", Uses: Uses{Levels: true, Segment: true},
		Schedule: sequence(up(tree(binomial).up(2)), fromLeader),
	}
	AllreduceHierarchical = &Algorithm{
		Of: Allreduce, Name: "two-level",
		How:    "a reduction within each node, `doubling` between the first ranks, a broadcast within each node",
		Source: "MPICH, allreduce_intra_smp", Schedule: onCopy(acrossNodes(exchanging(doubled))), Uses: Uses{Levels: true},
	}
	AllreduceHierarchicalRabenseifner = &Algorithm{
		Of: Allreduce, Name: "two-level-rabenseifner", How: "`two-level` with `rabenseifner` between the first ranks",
		Source: "MVAPICH2, two-level all-reduce", Schedule: onCopy(acrossNodes(halving(doubled, mirroredPart))), Uses: Uses{Levels: true, Segment: true},
		Allocates: halfOf,
	}
	BarrierHierarchical = &Algorithm{
		Of: Barrier, Name: "two-level", How: "up a tree in each node, `dissemination` between the first ranks, down the trees",
		Source: "MPICH, barrier_intra_smp", Uses: Uses{Levels: true},
		Schedule: sequence(inNodes(0, half(upAndDown(binomial), 0)), between(Schedule{barrierRounds, disseminate}),
			inNodes(0, half(upAndDown(binomial), 2))),
	}
)

func init() {
	Register(BroadcastHierarchical, ReduceHierarchical, AllreduceHierarchical, AllreduceHierarchicalRabenseifner, BarrierHierarchical)
}

// half are two of the four rounds of a tree barrier, from the first one on.
func half(s Schedule, first int) Schedule {
	return Schedule{
		Rounds: func(g *Group) int { return 2 },
		Round: func(g *Group, round int, r *Round) {
			if g.Ranks > 1 {
				s.Round(g, first+round, r)
			}
		},
	}
}

// level is the size of the outermost part that members share.
func (g *Group) level() int {
	if len(g.Levels) == 0 || g.Levels[0] < 1 {
		return 1
	}
	return min(g.Levels[0], g.Ranks)
}

// node lends the caller's node as a group, whose root is the given one of its members.
func (g *Group) node(root int) *Group {
	size := g.level()
	first := g.Me / size * size
	sub := g.Lend()
	sub.Ranks, sub.Me, sub.Root, sub.Levels = min(size, g.Ranks-first), g.Me-first, root, nil
	if len(g.Levels) > 1 {
		sub.Levels = g.Levels[1:]
	}
	return sub
}

// leaders lends the group of the first members of the nodes. in says whether the caller is one of
// them.
func (g *Group) leaders() (sub *Group, in bool) {
	size := g.level()
	sub = g.Lend()
	sub.Ranks, sub.Me, sub.Root, sub.Levels = (g.Ranks+size-1)/size, g.Me/size, g.Root/size, nil
	return sub, g.Me%size == 0
}

// between runs a schedule among the first members of the nodes.
func between(s Schedule) Schedule {
	return Schedule{
		Rounds: func(g *Group) int {
			sub, in := g.leaders()
			defer sub.GiveBack()
			if !in {
				return 0
			}
			return s.Rounds(sub)
		},
		Round: func(g *Group, round int, r *Round) {
			sub, _ := g.leaders()
			defer sub.GiveBack()
			r.inside(0, g.level(), func() { s.Round(sub, round, r) })
		},
	}
}

// inNodes runs a schedule within every node.
func inNodes(root int, s Schedule) Schedule {
	return Schedule{
		Rounds: func(g *Group) int {
			if g.level() == 1 {
				return 0
			}
			sub := g.node(root)
			defer sub.GiveBack()
			return s.Rounds(sub)
		},
		Round: func(g *Group, round int, r *Round) {
			sub := g.node(root)
			defer sub.GiveBack()
			r.inside(g.Me-sub.Me, 1, func() { s.Round(sub, round, r) })
		},
	}
}

// inside numbers the members of a part of the group: its first one, and the distance from one
// to the next.
func (r *Round) inside(first, stride int, do func()) {
	was := [2]int{r.first, r.stride}
	r.first, r.stride = r.first+r.stride*first, r.stride*stride
	do()
	r.first, r.stride = was[0], was[1]
}

// nested runs a schedule level by level. The argument outside is what goes between the parts of a
// group.
func nested(outside Schedule, order func(outside, inside Schedule) Schedule) Schedule {
	var levels Schedule // where there are some
	at := func(g *Group) *Schedule {
		if len(g.Levels) == 0 {
			return &outside
		}
		return &levels
	}
	all := Schedule{
		Rounds: func(g *Group) int { return at(g).Rounds(g) },
		Round:  func(g *Group, round int, r *Round) { at(g).Round(g, round, r) },
	}
	levels = order(between(outside), inNodes(0, all))
	return all
}

// up reduces to the first member: innermost parts first.
func up(s Schedule) Schedule {
	return nested(s, func(outside, inside Schedule) Schedule { return sequence(inside, outside) })
}

// down broadcasts from the first member: outermost first.
func down(s Schedule) Schedule {
	return nested(s, func(outside, inside Schedule) Schedule { return sequence(outside, inside) })
}

// acrossNodes reduces inside the nodes, does an all-reduce between them, and broadcasts inside.
func acrossNodes(s Schedule) Schedule {
	return sequence(inNodes(0, up(tree(binomial).up(2))), between(s), inNodes(0, down(tree(binomial).down(2))))
}

// toLeader makes a root that is not the first member of its node send to that first member.
var toLeader = Schedule{
	Rounds: func(g *Group) int { return min(1, g.Root%g.level()) },
	Round: func(g *Group, _ int, r *Round) {
		leader := g.Root / g.level() * g.level()
		switch g.Me {
		case g.Root:
			r.Send(leader, g.whole())
		case leader:
			r.Recv(g.Root, g.whole())
		}
	},
}

// fromLeader is the same in reverse.
var fromLeader = Schedule{
	Rounds: toLeader.Rounds,
	Round: func(g *Group, _ int, r *Round) {
		leader := g.Root / g.level() * g.level()
		switch g.Me {
		case g.Root:
			r.Recv(leader, g.whole())
		case leader:
			r.Send(g.Root, g.whole())
		}
	},
}
