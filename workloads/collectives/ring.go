package collectives

// Rings pass blocks from each member to the next one. E. Chan et al., Collective
// communication: theory, practice, and experience, Concurrency and Computation 19(13),
// 2007, section 4. P. Patarasuk, X. Yuan, Bandwidth optimal all-reduce algorithms, J.
// Parallel Distributed Computing 69(2), 2009.

// AllgatherRing collects the blocks of all members: P-1 times each passes on the block that
// it got from the one before.
var AllgatherRing = New(Allgather, "ring", "Chan et al. 2007, section 4", around, ringGather)

// ReduceScatterRing combines the vectors of all members; each ends with its block.
var ReduceScatterRing = New(ReduceScatter, "ring", "Chan et al. 2007, section 4", around, ringScatter)

// AllreduceRing is a ReduceScatterRing, then an AllgatherRing.
var AllreduceRing = &Algorithm{Of: Allreduce, Name: "ring", Source: "Patarasuk, Yuan 2009",
	schedule: sequence(ReduceScatterRing.schedule, AllgatherRing.schedule)}

// AllreduceSegmentedRing scatters the segments of the blocks one after the other.
var AllreduceSegmentedRing = &Algorithm{Of: Allreduce, Name: "segmented-ring", Uses: Uses{Segment: true},
	Source:   "Open MPI, coll_base_allreduce.c: allreduce_intra_ring_segmented",
	schedule: sequence(schedule{segmentedRounds, segmentedScatter}, AllgatherRing.schedule)}

func init() {
	block := func(g *Group) int64 { return g.block(0).Bytes }
	AllgatherRing.Hops = func(g *Group) (int64, int64) { return int64(around(g)), block(g) }
	ReduceScatterRing.Hops = AllgatherRing.Hops
	AllreduceRing.Hops = func(g *Group) (int64, int64) { return 2 * int64(around(g)), block(g) }
	for _, a := range []*Algorithm{AllgatherRing, ReduceScatterRing, AllreduceRing, AllreduceSegmentedRing} {
		Register(a)
	}
}

// around is the number of steps of a ring.
func around(g *Group) int { return g.Ranks - 1 }

func ringGather(g *Group, round int, r *Round) {
	r.Recv(g.wrap(g.Me-1), g.block(g.Me-round-1))
	r.Send(g.wrap(g.Me+1), g.block(g.Me-round))
}

func ringScatter(g *Group, round int, r *Round) {
	r.Add(g.wrap(g.Me-1), g.block(g.Me-round-2))
	r.Send(g.wrap(g.Me+1), g.block(g.Me-round-1))
}

func segmentedRounds(g *Group) int { return g.segments(g.block(0)) * around(g) }

func segmentedScatter(g *Group, round int, r *Round) {
	n := g.segments(g.block(0))
	segment, step := round/around(g), round%around(g)
	r.Add(g.wrap(g.Me-1), g.block(g.Me-step-2).part(segment, n))
	r.Send(g.wrap(g.Me+1), g.block(g.Me-step-1).part(segment, n))
}
