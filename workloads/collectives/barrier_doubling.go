package collectives

// BarrierDoubling exchanges with the member whose number differs in bit k.
var BarrierDoubling = &Algorithm{
	Of: Barrier, Name: "doubling", How: "recursive doubling: pairs tell each other",
	Source:   "Open MPI, coll_base_barrier.c: intra_recursivedoubling",
	Schedule: Schedule{roundsOf(1), barrierDoubling}, Hops: wholeHops, Alike: wholeOf(powerOfTwo), Symmetry: aCube,
}

func init() { Register(BarrierDoubling) }

func barrierDoubling(g *Group, round int, r *Round) {
	f := foldOf(g.Ranks)
	place, left := f.place(g.Me)
	switch step := round - f.extra(); {
	case step < 0 && f.paired(g.Me), step == f.steps && f.paired(g.Me):
		if left == (step < 0) {
			r.Expect(g.Me^1, g.Bytes)
		} else {
			r.Notify(g.Me^1, g.Bytes)
		}
	case left && step >= 0 && step < f.steps:
		peer := f.member(doubled(place, step, f.steps))
		r.Expect(peer, g.Bytes)
		r.Notify(peer, g.Bytes)
	}
}
