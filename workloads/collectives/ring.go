package collectives

// Rings pass blocks from each member to the next one. E. Chan et al., Collective
// communication: theory, practice, and experience, Concurrency and Computation 19(13),
// 2007, section 4. P. Patarasuk, X. Yuan, Bandwidth optimal all-reduce algorithms, J.
// Parallel Distributed Computing 69(2), 2009.

// AllgatherRing collects the blocks of all members: P-1 times each passes on the block that
// it got from the one before.
var AllgatherRing = &Algorithm{
	Of: Allgather, Name: "ring", How: "each passes on the block that it got from the rank before, P-1 times",
	Source:   "Chan et al. 2007, section 4",
	Schedule: gatherAround, Hops: blockHops, Alike: blocksIn(nil), Symmetry: blockRing,
}

// ReduceScatterRing combines the vectors of all members; each ends with its block.
var ReduceScatterRing = &Algorithm{
	Of: ReduceScatter, Name: "ring", How: "each adds its block to the one that it got from the rank before, and passes it on, P-1 times",
	Source: "Chan et al. 2007, section 4", Schedule: onCopy(scatterAround), Hops: blockHops, Alike: blocksIn(nil), Symmetry: blockRing,
}

// AllreduceRing is a ReduceScatterRing, then an AllgatherRing.
var AllreduceRing = &Algorithm{
	Of: Allreduce, Name: "ring", How: "a reduce-scatter around a ring, then an all-gather", Source: "Patarasuk, Yuan 2009",
	Schedule: onCopy(sequence(scatterAround, gatherAround)),
	Hops:     func(g *Group) (int64, int64) { hops, bytes := blockHops(g); return 2 * hops, bytes },
	Alike:    blocksIn(nil), Symmetry: blockRing, Allocates: oneBlock,
}

// AllreduceSegmentedRing scatters the segments of the blocks one after the other.
var AllreduceSegmentedRing = &Algorithm{
	Of: Allreduce, Name: "segmented-ring", How: "`ring` whose blocks go around in segments",
	Source:   "Open MPI, coll_base_allreduce.c: allreduce_intra_ring_segmented",
	Schedule: onCopy(sequence(Schedule{segmentedRounds, segmentedScatter}, gatherAround)), Uses: Uses{Segment: true},
	Alike: blocksIn(nil), Symmetry: blockRing, Allocates: oneBlock,
}

func init() { Register(AllgatherRing, ReduceScatterRing, AllreduceRing, AllreduceSegmentedRing) }

// The two halves of an all-reduce around a ring.
var (
	scatterAround = Schedule{around, ringScatter}
	gatherAround  = Schedule{around, ringGather}
)

// blockHops is the closed form of one turn around a ring.
func blockHops(g *Group) (hops, bytes int64) { return int64(around(g)), g.block(0).Bytes }

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
