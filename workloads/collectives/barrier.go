package collectives

// BarrierDissemination is a barrier: in round k each member sends Bytes to the member 2^k
// ahead.
var BarrierDissemination = New(Barrier, "dissemination", "D. Hensgen, R. Finkel, U. Manber, Int. J. Parallel Programming 17(1), 1988",
	func(g *Group) int { return log(g.Ranks) }, func(g *Group, round int, r *Round) {
		r.Expect(g.wrap(g.Me-1<<round), g.Bytes)
		r.Notify(g.wrap(g.Me+1<<round), g.Bytes)
	})

// BarrierDoubling exchanges with the member whose number differs in bit k.
var BarrierDoubling = New(Barrier, "doubling", "Open MPI, coll_base_barrier.c: intra_recursivedoubling", roundsOf(1), barrierDoubling)

// BarrierTree goes up a binomial tree and down again.
var BarrierTree = New(Barrier, "tree", "J. Mellor-Crummey, M. Scott, ACM Trans. Computer Systems 9(1), 1991, section 2.2; binomial",
	func(g *Group) int { return 4 * min(1, g.Ranks-1) }, upAndDown(binomial))

// BarrierLinear goes to one member and back.
var BarrierLinear = New(Barrier, "linear", "Open MPI, coll_base_barrier.c: intra_basic_linear",
	func(g *Group) int { return 4 * min(1, g.Ranks-1) }, upAndDown(star))

// BarrierTournament lets pairs meet, and the winners again; the champion wakes the losers in
// the order backwards.
var BarrierTournament = New(Barrier, "tournament", "Hensgen, Finkel, Manber 1988",
	func(g *Group) int { return 2 * log(g.Ranks) }, tournament)

func init() {
	BarrierDissemination.Hops = func(g *Group) (int64, int64) { return int64(log(g.Ranks)), g.Bytes }
	BarrierTournament.Hops = func(g *Group) (int64, int64) { return 2 * int64(log(g.Ranks)), g.Bytes }
	BarrierDoubling.Hops = func(g *Group) (int64, int64) { return int64(foldOf(g.Ranks).rounds(1)), g.Bytes }
	for _, a := range []*Algorithm{BarrierDissemination, BarrierDoubling, BarrierTree, BarrierLinear, BarrierTournament} {
		Register(a)
	}
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

// upAndDown lets the places of a tree hear of their children, tell their parents, hear of
// these, and tell the children.
func upAndDown(t tree) func(g *Group, round int, r *Round) {
	return func(g *Group, round int, r *Round) {
		parent, kids := t(g.Ranks, 2, g.Me, r.kids[:0])
		r.kids = kids
		switch round {
		case 0:
			for i := len(kids) - 1; i >= 0; i-- {
				r.Expect(kids[i], g.Bytes)
			}
		case 1, 2:
			if g.Me > 0 && round == 1 {
				r.Notify(parent, g.Bytes)
			} else if g.Me > 0 {
				r.Expect(parent, g.Bytes)
			}
		case 3:
			for _, child := range kids {
				r.Notify(child, g.Bytes)
			}
		}
	}
}

func tournament(g *Group, round int, r *Round) {
	steps := log(g.Ranks)
	half, up := 1<<round, round < steps
	if !up {
		half = 1 << (2*steps - 1 - round)
	}
	loses := g.Me%(2*half) == half
	wins := g.Me%(2*half) == 0 && g.Me+half < g.Ranks
	switch {
	case loses && up:
		r.Notify(g.Me-half, g.Bytes)
	case loses:
		r.Expect(g.Me-half, g.Bytes)
	case wins && up:
		r.Expect(g.Me+half, g.Bytes)
	case wins:
		r.Notify(g.Me+half, g.Bytes)
	}
}
