package collectives

// AllreduceRabenseifner is a reduce-scatter by recursive halving and an all-gather by
// recursive doubling. If P is not a power of two, members are folded as in
// AllreduceDoubling.
var AllreduceRabenseifner = &Algorithm{
	Of: Allreduce, Name: "rabenseifner", How: "a reduce-scatter by recursive halving, then an all-gather by recursive doubling",
	Source:   "R. Rabenseifner, Optimization of Collective Reduction Operations, ICCS 2004",
	Schedule: onCopy(halving(halved)), Alike: blocksIn(powerOfTwo), Symmetry: blockCube, Allocates: halfOf,
}

// AllreduceSwingBandwidth is the same with Swing's partners.
var AllreduceSwingBandwidth = &Algorithm{
	Of: Allreduce, Name: "swing-bandwidth", How: "`rabenseifner` with Swing's partners", Source: "De Sensi et al., NSDI 2024, section 3.2",
	Schedule: onCopy(halving(swinging)), Alike: blocksIn(powerOfTwo), Allocates: halfOf,
}

func init() {
	Register(AllreduceRabenseifner)
	Register(AllreduceSwingBandwidth)
}

// halving exchanges ever smaller parts of the vector and gathers them again.
func halving(partner partners) Schedule {
	return Schedule{roundsOf(2), func(g *Group, round int, r *Round) {
		b := overParts(g, partner)
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
