package collectives

// AllreduceRabenseifner is a reduce-scatter in which distances double and parts are halved, and an
// all-gather that undoes it: the largest messages go to neighbours, as in MPICH
// (allreduce_intra_reduce_scatter_allgather starts with distance 1) and Open MPI
// (redscat_allgather). Parts stay in one piece because places have them in the order of their
// mirrored numbers. If P is not a power of two, members are folded as in AllreduceDoubling.
var AllreduceRabenseifner = &Algorithm{
	Of: Allreduce, Name: "rabenseifner", How: "a reduce-scatter in which distances double and parts are halved, then an all-gather back",
	Source:   "R. Rabenseifner, Optimization of Collective Reduction Operations, ICCS 2004",
	Schedule: onCopy(halving(doubled, mirroredPart)), Alike: blocksIn(powerOfTwo), Symmetry: blockCube, Allocates: halfOf,
}

// AllreduceSwingBandwidth is the same with Swing's partners.
var AllreduceSwingBandwidth = &Algorithm{
	Of: Allreduce, Name: "swing-bandwidth", How: "`rabenseifner` with Swing's partners", Source: "De Sensi et al., NSDI 2024, section 3.2",
	Schedule: onCopy(halving(swinging, ownPart)), Alike: blocksIn(powerOfTwo), Allocates: halfOf,
}

func init() { Register(AllreduceRabenseifner, AllreduceSwingBandwidth) }

// halving exchanges ever smaller parts of the vector and gathers them again.
func halving(partner partners, part parts) Schedule {
	return Schedule{roundsOf(2), func(g *Group, round int, r *Round) {
		b := overParts(g, partner, part)
		place, left := b.place(g.Me)
		switch step := round - b.extra(); {
		case step < 0:
			b.foldIn(g, g.whole(), r)
		case step == 2*b.steps:
			b.foldOut(g, r, g.whole())
		case left && step < b.steps:
			b.scatter(place, step, r)
		case left:
			b.gather(place, step-b.steps, r)
		}
	}}
}
