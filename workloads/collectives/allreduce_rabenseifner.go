package collectives

// AllreduceRabenseifner is a reduce-scatter by recursive halving and an all-gather by
// recursive doubling. If P is not a power of two, members are folded as in
// AllreduceDoubling.
var AllreduceRabenseifner = New(Allreduce, "rabenseifner", "R. Rabenseifner, Optimization of Collective Reduction Operations, ICCS 2004",
	roundsOf(2), halving(halved))

// AllreduceSwingBandwidth is the same with Swing's partners.
var AllreduceSwingBandwidth = New(Allreduce, "swing-bandwidth", "De Sensi et al., NSDI 2024, section 3.2",
	roundsOf(2), halving(swinging))

func init() {
	Register(AllreduceRabenseifner)
	Register(AllreduceSwingBandwidth)
}

// halving exchanges ever smaller parts of the vector and gathers them again.
func halving(partner partners) func(g *Group, round int, r *Round) {
	return func(g *Group, round int, r *Round) {
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
	}
}
