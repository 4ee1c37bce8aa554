package collectives

// AllreduceDoubling is an all-reduce by recursive doubling: in round k, an exchange of the
// vector with the member whose number differs in bit k. If P is not a power of two, a first
// round folds some members into their neighbours, and a last one brings them the result.
var AllreduceDoubling = &Algorithm{
	Of: Allreduce, Name: "doubling", How: "recursive doubling: pairs exchange and combine the whole vector",
	Source:   "Thakur, Rabenseifner, Gropp 2005, section 4.5",
	Schedule: onCopy(exchanging(doubled)), Hops: wholeHops, Alike: wholeOf(powerOfTwo), Symmetry: aCube,
}

// AllreduceSwing is the same with Swing's partners, which are nearer.
var AllreduceSwing = &Algorithm{
	Of: Allreduce, Name: "swing-latency", How: "`doubling` with Swing's partners, which are nearer",
	Source:   "De Sensi et al., NSDI 2024, section 3.1",
	Schedule: onCopy(exchanging(swinging)), Hops: wholeHops, Alike: wholeOf(powerOfTwo),
}

func init() { Register(AllreduceDoubling, AllreduceSwing) }

// wholeHops is the closed form of recursive doubling.
func wholeHops(g *Group) (hops, bytes int64) { return int64(foldOf(g.Ranks).rounds(1)), g.Bytes }

func roundsOf(passes int) func(g *Group) int {
	return func(g *Group) int { return foldOf(g.Ranks).rounds(passes) }
}

// exchanging exchanges the whole vector in every step.
func exchanging(partner partners) Schedule {
	return Schedule{roundsOf(1), func(g *Group, round int, r *Round) {
		f := foldOf(g.Ranks)
		place, left := f.place(g.Me)
		switch step := round - f.extra(); {
		case step < 0:
			f.foldIn(g, g.whole(), r)
		case step == f.steps:
			f.foldOut(g, r, g.whole())
		case left:
			peer := f.member(partner(place, step, f.steps))
			r.Add(peer, g.whole())
			r.Send(peer, g.whole())
		}
	}}
}
