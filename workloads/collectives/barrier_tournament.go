package collectives

// BarrierTournament is a barrier in which pairs meet, then the winners, and so on. The champion
// wakes the losers in reverse order.
var BarrierTournament = &Algorithm{
	Of: Barrier, Name: "tournament", How: "pairs meet, then the winners; the last winner wakes the losers in reverse order",
	Source:   "Hensgen, Finkel, Manber 1988",
	Schedule: Schedule{func(g *Group) int { return 2 * log(g.Ranks) }, tournament},
	Hops:     func(g *Group) (int64, int64) { return 2 * int64(log(g.Ranks)), g.Bytes },
}

func init() { Register(BarrierTournament) }

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
