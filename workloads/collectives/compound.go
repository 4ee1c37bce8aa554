package collectives

// AllreduceReduceBroadcast is a reduction to member 0 and a broadcast, by binomial trees.
var AllreduceReduceBroadcast = &Algorithm{Of: Allreduce, Name: "reduce-broadcast", Uses: Uses{Segment: true},
	Source:   "Open MPI, coll_base_allreduce.c: intra_nonoverlapping",
	schedule: sequence(ReduceBinomial.schedule, BroadcastBinomial.schedule)}

// AllreduceInTurn is the same with ReduceInTurn.
var AllreduceInTurn = &Algorithm{Of: Allreduce, Name: "reduce-in-turn-broadcast", Source: "Open MPI, nbc_iallreduce.c: allred_sched_diss",
	schedule: sequence(ReduceInTurn.schedule, BroadcastBinomial.schedule)}

// AllreduceLinear is the same by linear ones.
var AllreduceLinear = &Algorithm{Of: Allreduce, Name: "linear", Uses: Uses{Segment: true},
	Source:   "Open MPI, coll_base_allreduce.c: intra_basic_linear",
	schedule: sequence(ReduceLinear.schedule, BroadcastLinear.schedule)}

// AllreduceGather lets every member send its vector to all, and each combines them.
var AllreduceGather = New(Allreduce, "allgather-reduce", "Open MPI, coll_base_allreduce.c: intra_allgather_reduce; linear all-gather",
	one, func(g *Group, _ int, r *Round) {
		for d := 1; d < g.Ranks; d++ {
			r.Add(g.wrap(g.Me-d), g.whole())
		}
		for d := 1; d < g.Ranks; d++ {
			r.Send(g.wrap(g.Me+d), g.whole())
		}
	})

// AllgatherGatherBroadcast is a gather to member 0 and a broadcast, by binomial trees.
var AllgatherGatherBroadcast = &Algorithm{Of: Allgather, Name: "gather-broadcast", Uses: Uses{Segment: true},
	Source:   "MPICH and Open MPI for intercommunicators; gather and broadcast by binomial trees",
	schedule: sequence(GatherBinomial.schedule, BroadcastBinomial.schedule)}

func init() {
	for _, a := range []*Algorithm{AllreduceReduceBroadcast, AllreduceInTurn, AllreduceLinear, AllreduceGather, AllgatherGatherBroadcast} {
		Register(a)
	}
}
