package collectives

// Reductions leave the caller's vector as it is: they work on a copy. Open MPI, coll_base_allreduce.c
// and coll_base_reduce_scatter.c ("copy local buffer into the temporary results"); MPICH,
// allreduce_intra_reduce_scatter_allgather.c; libbine of pico, libbine_allreduce.c and
// libbine_reduce_scatter.c.
func init() {
	for _, a := range []*Algorithm{
		AllreduceDoubling, AllreduceSwing, AllreduceRabenseifner, AllreduceSwingBandwidth, AllreduceRing, AllreduceSegmentedRing,
		AllreduceHierarchical, AllreduceHierarchicalRabenseifner,
		ReduceScatterHalving, ReduceScatterButterfly, ReduceScatterRing, ReduceScatterSwing, ReduceScatterSwingByBlock,
		ReduceScatterSwingRemapped,
	} {
		a.schedule = onCopy(a.schedule)
	}
}

// onCopy copies the vector before the first messages.
func onCopy(s schedule) schedule {
	return schedule{s.Rounds, func(g *Group, round int, r *Round) {
		if round == 0 {
			inPlace(g, round, r)
		}
		s.Round(g, round, r)
	}}
}
