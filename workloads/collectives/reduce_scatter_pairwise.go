package collectives

// ReduceScatterPairwise gets the own block from every member in turn.
var ReduceScatterPairwise = New(ReduceScatter, "pairwise", "Thakur, Rabenseifner, Gropp 2005, section 4.4", around,
	func(g *Group, round int, r *Round) {
		r.Add(g.wrap(g.Me-round-1), g.block(g.Me))
		r.Send(g.wrap(g.Me+round+1), g.block(g.Me+round+1))
	})

func init() {
	ReduceScatterPairwise.Hops = func(g *Group) (int64, int64) { return int64(around(g)), g.block(0).Bytes }
	Register(ReduceScatterPairwise)
}
