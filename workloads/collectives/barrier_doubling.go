package collectives

// BarrierDoubling exchanges with the member whose number differs in bit k.
var BarrierDoubling = New(Barrier, "doubling", "Open MPI, coll_base_barrier.c: intra_recursivedoubling", roundsOf(1), barrierDoubling)

func init() {
	BarrierDoubling.Hops = func(g *Group) (int64, int64) { return int64(foldOf(g.Ranks).rounds(1)), g.Bytes }
	Register(BarrierDoubling)
}

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
