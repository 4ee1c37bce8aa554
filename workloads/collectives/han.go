package collectives

// HAN is the component of Open MPI 5 for ranks that share nodes. Segments follow each other through
// the levels: while one goes between the nodes, the one after it is combined within them. What goes
// between nodes is by libnbc, what stays within them by tuned. X. Luo et al., HAN: a hierarchical
// autotuned collective communication framework, IEEE Cluster 2020.
var (
	BroadcastHan = &Algorithm{
		Of: Broadcast, Name: "han", Uses: Uses{Levels: true, Segment: true},
		How:      "segments follow each other through a broadcast between the first ranks of the nodes and one within each node",
		Source:   "Open MPI, coll_han_bcast.c: tasks t0, t1; nbc_ibcast.c",
		Schedule: sequence(toLeader, inSegments(between(downInTurn), inNodes(0, tree(kNomial).down(4)))),
	}
	ReduceHan = &Algorithm{
		Of: Reduce, Name: "han", Uses: Uses{Levels: true, Segment: true},
		How:      "segments follow each other through a reduction within each node and one between the first ranks",
		Source:   "Open MPI, coll_han_reduce.c: tasks t0, t1; nbc_ireduce.c",
		Schedule: sequence(inSegments(inNodes(0, tree(binomial).up(2)), between(libnbcReduce)), fromLeader), Allocates: oneSegment,
	}
	AllreduceHan = &Algorithm{
		Of: Allreduce, Name: "han", Uses: Uses{Levels: true, Segment: true},
		How:    "segments follow each other through the two steps of each of the reductions and broadcasts called `han`",
		Source: "Open MPI, coll_han_allreduce.c: tasks t0 to t3; nbc_ireduce.c, nbc_ibcast.c",
		Schedule: inSegments(after(inNodes(0, tree(kNomial).down(4)), inNodes(0, tree(binomial).up(2))), between(libnbcReduce),
			between(downInTurn), inNodes(0, tree(kNomial).down(4))), Allocates: oneSegment,
	}
)

func init() { Register(BroadcastHan, ReduceHan, AllreduceHan) }

func oneSegment(g *Group) int64 { return g.segment(g.whole(), 0).Bytes }

// libnbcReduce is what libnbc does to commute: Rabenseifner's reduction for three members or more
// with an element for each power of two, otherwise a binomial tree.
var libnbcReduce = Schedule{
	Rounds: func(g *Group) int { return libnbcReduceOf(g).Rounds(g) },
	Round:  func(g *Group, round int, r *Round) { libnbcReduceOf(g).Round(g, round, r) },
}

var bandwidthReduce = scatterGather(doubled, mirroredPart, doubledReached)

func libnbcReduceOf(g *Group) *Schedule {
	if g.Ranks > 2 && elements(g, 1<<foldOf(g.Ranks).steps) == "" {
		return &bandwidthReduce
	}
	return &upInTurn
}

// downInTurn is a binomial broadcast in which each child has its own round, the largest subtree
// first: a message is sent and received in the same round, so that it cannot be taken for one of
// another segment.
var downInTurn = Schedule{
	Rounds: func(g *Group) int { return log(g.Ranks) },
	Round: func(g *Group, round int, r *Round) {
		reach := 1 << (log(g.Ranks) - 1 - round)
		switch place := g.place(); {
		case place%(2*reach) == reach:
			r.Recv(g.at(place-reach), g.whole())
		case place%(2*reach) == 0 && place+reach < g.Ranks:
			r.Send(g.at(place+reach), g.whole())
		}
	},
}

// inSegments runs schedules as a pipeline: in a step, each does all its rounds on the segment on
// which the one before it did so a step earlier. The rounds of a step are the same rounds of all.
func inSegments(parts ...Schedule) Schedule {
	return Schedule{
		Rounds: func(g *Group) int { return (g.segments(g.whole()) + len(parts) - 1) * g.longest(parts) },
		Round: func(g *Group, round int, r *Round) {
			step, round := round/g.longest(parts), round%g.longest(parts)
			for i, p := range parts {
				if at := step - i; at >= 0 && at < g.segments(g.whole()) {
					g.ofSegment(p, at, round, r)
				}
			}
		},
	}
}

// ofSegment does a round of a schedule on a segment, if it has that many rounds.
func (g *Group) ofSegment(p Schedule, at, round int, r *Round) {
	s := g.segment(g.whole(), at)
	sub := g.piece(s.Bytes)
	defer sub.GiveBack()
	if round < p.Rounds(sub) {
		r.shift += s.From
		p.Round(sub, round, r)
		r.shift -= s.From
	}
}

// piece lends the group with this many bytes, as one segment.
func (g *Group) piece(bytes int64) *Group {
	sub := g.Lend()
	sub.Bytes, sub.Segment = bytes, 0
	return sub
}

// after leaves a schedule as many rounds as another one has, which runs on another segment: both block within a node, one after the
// other (task t3).
func after(before, s Schedule) Schedule {
	return Schedule{
		Rounds: func(g *Group) int { return before.Rounds(g) + s.Rounds(g) },
		Round: func(g *Group, round int, r *Round) {
			if round -= before.Rounds(g); round >= 0 {
				s.Round(g, round, r)
			}
		},
	}
}

// longest is the largest number of rounds that a schedule has on the first or the last segment.
func (g *Group) longest(parts []Schedule) (most int) {
	for _, at := range []int{0, g.segments(g.whole()) - 1} {
		sub := g.piece(g.segment(g.whole(), at).Bytes)
		for _, p := range parts {
			most = max(most, p.Rounds(sub))
		}
		sub.GiveBack()
	}
	return max(most, 1)
}
