package collectives

// BarrierDissemination is a barrier: in round k each member sends Bytes to the member 2^k
// ahead.
var BarrierDissemination = New(Barrier, "dissemination", "D. Hensgen, R. Finkel, U. Manber, Int. J. Parallel Programming 17(1), 1988",
	func(g *Group) int { return log(g.Ranks) }, func(g *Group, round int, r *Round) {
		r.Expect(g.wrap(g.Me-1<<round), g.Bytes)
		r.Notify(g.wrap(g.Me+1<<round), g.Bytes)
	})

func init() {
	BarrierDissemination.Hops = func(g *Group) (int64, int64) { return int64(log(g.Ranks)), g.Bytes }
	Register(BarrierDissemination)
}
