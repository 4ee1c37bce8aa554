package collectives

// ScanLinear passes the sum from each member to the next one.
var ScanLinear = &Algorithm{
	Of: Scan, Name: "linear", How: "each passes the sum on to the next rank", Source: "Open MPI, coll_base_scan.c: intra_linear",
	Schedule: Schedule{func(g *Group) int { return 2 * min(1, g.Ranks-1) }, func(g *Group, round int, r *Round) {
		if round == 0 && g.Me > 0 {
			r.Add(g.Me-1, g.whole())
		}
		if round == 1 && g.Me+1 < g.Ranks {
			r.Send(g.Me+1, g.whole())
		}
	}},
}

// ScanDoubling adds in round k what the member 2^k before has.
var ScanDoubling = &Algorithm{
	Of: Scan, Name: "doubling", How: "in round k, each adds what the rank 2^k before has",
	Source: "W. Hillis, G. Steele, Data parallel algorithms, CACM 29(12), 1986",
	Schedule: Schedule{func(g *Group) int { return log(g.Ranks) }, func(g *Group, round int, r *Round) {
		if from := g.Me - 1<<round; from >= 0 {
			r.Add(from, g.whole())
		}
		if to := g.Me + 1<<round; to < g.Ranks {
			r.Send(to, g.whole())
		}
	}},
}

func init() { Register(ScanLinear, ScanDoubling) }
