package collectives

// BarrierDissemination is a barrier: in round k each member sends Bytes to the member 2^k
// ahead.
var BarrierDissemination = &Algorithm{
	Of: Barrier, Name: "dissemination", How: "in round k, each tells the rank 2^k ahead",
	Source:   "D. Hensgen, R. Finkel, U. Manber, Int. J. Parallel Programming 17(1), 1988",
	Schedule: Schedule{barrierRounds, disseminate},
	Hops:     func(g *Group) (int64, int64) { return int64(log(g.Ranks)), g.Bytes }, Alike: wholeOf(nil), Symmetry: aRing,
}

func init() { Register(BarrierDissemination) }

func barrierRounds(g *Group) int { return log(g.Ranks) }

func disseminate(g *Group, round int, r *Round) {
	r.Expect(g.wrap(g.Me-1<<round), g.Bytes)
	r.Notify(g.wrap(g.Me+1<<round), g.Bytes)
}
