package collectives

// AllreduceReduceBroadcast is a reduction to member 0 and a broadcast, by binomial trees.
var AllreduceReduceBroadcast = &Algorithm{
	Of: Allreduce, Name: "reduce-broadcast", How: "a binomial reduction to rank 0, then a binomial broadcast",
	Source:   "Open MPI, coll_base_allreduce.c: intra_nonoverlapping",
	Schedule: sequence(tree(binomial).up(2), tree(binomial).down(2)), Uses: Uses{Segment: true},
}

// AllreduceInTurn is the same with the reduction of ReduceInTurn.
var AllreduceInTurn = &Algorithm{
	Of: Allreduce, Name: "reduce-in-turn-broadcast", How: "`binomial-in-turn` to rank 0, then a binomial broadcast",
	Source: "Open MPI, nbc_iallreduce.c: allred_sched_diss", Schedule: sequence(upInTurn, tree(binomial).down(2)),
}

// AllreduceLinear is the same by linear ones.
var AllreduceLinear = &Algorithm{
	Of: Allreduce, Name: "linear", How: "all send to rank 0, which sends the sum to all",
	Source:   "Open MPI, coll_base_allreduce.c: intra_basic_linear",
	Schedule: sequence(tree(star).up(1), tree(star).down(1)), Uses: Uses{Segment: true},
}

// AllreduceGather lets every member send its vector to all, and each combines them.
var AllreduceGather = &Algorithm{
	Of: Allreduce, Name: "allgather-reduce", How: "each sends its vector to all and combines those that it gets",
	Source: "Open MPI, coll_base_allreduce.c: intra_allgather_reduce; linear all-gather", Symmetry: aRing,
	Schedule: Schedule{one, func(g *Group, _ int, r *Round) {
		for d := 1; d < g.Ranks; d++ {
			r.Add(g.wrap(g.Me-d), g.whole())
		}
		for d := 1; d < g.Ranks; d++ {
			r.Send(g.wrap(g.Me+d), g.whole())
		}
	}},
}

// AllgatherGatherBroadcast is a gather to member 0 and a broadcast, by binomial trees.
var AllgatherGatherBroadcast = &Algorithm{
	Of: Allgather, Name: "gather-broadcast", How: "a binomial gather to rank 0, then a binomial broadcast",
	Source:   "MPICH and Open MPI for intercommunicators; gather and broadcast by binomial trees",
	Schedule: sequence(gatherUp, tree(binomial).down(2)), Uses: Uses{Segment: true},
}

func init() {
	Register(AllreduceReduceBroadcast, AllreduceInTurn, AllreduceLinear, AllreduceGather, AllgatherGatherBroadcast)
}
