package collectives

// AlltoallLinear sends Bytes from every member to every other one. Each posts all
// messages, starting with the next member, and then waits for all. It uses 2 (P-1)
// requests.
var AlltoallLinear = Algorithm{OneTag: true,
	Rounds: func(ranks int) int { return 2 * around(ranks) },
	Round: func(g Group, round int, do Caller) {
		t := round%around(g.Ranks) + 1
		in, out := g.Request+2*(t-1), g.Request+2*t-1
		if round < around(g.Ranks) {
			do.Irecv(g.rank(g.Me-t), g.Bytes, g.Tag, in)
			do.Isend(g.rank(g.Me+t), g.Bytes, g.Tag, out)
			return
		}
		do.Wait(in)
		do.Wait(out)
	},
}

// AlltoallPairwise is an all-to-all in P-1 rounds: in round t a member sends to the
// member t ahead and receives from the one t behind.
var AlltoallPairwise = Algorithm{Rounds: around, Round: func(g Group, round int, do Caller) {
	g.swap(g.Me+round+1, g.Bytes, g.Me-round-1, g.Bytes, round, do)
}}
