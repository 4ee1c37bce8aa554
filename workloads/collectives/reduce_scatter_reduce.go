package collectives

// ReduceScatterReduce is a reduce to member 0 by a binomial tree and a scatter.
var ReduceScatterReduce = &Algorithm{Of: ReduceScatter, Name: "reduce-scatter", Uses: Uses{Segment: true},
	Source: "Open MPI, coll_base_reduce_scatter.c: non-overlapping", schedule: sequence(ReduceBinomial.schedule, ScatterBinomial.schedule)}

func init() {
	Register(ReduceScatterReduce)
}
