package collectives

// ReduceScatterReduce is a reduce to member 0 by a binomial tree and a scatter.
var ReduceScatterReduce = &Algorithm{
	Of: ReduceScatter, Name: "reduce-scatter", How: "a binomial reduction to rank 0, then a binomial scatter",
	Source: "Open MPI, coll_base_reduce_scatter.c: non-overlapping", Schedule: sequence(tree(binomial).up(2), scatterDown),
	Uses: Uses{Segment: true},
}

func init() { Register(ReduceScatterReduce) }
