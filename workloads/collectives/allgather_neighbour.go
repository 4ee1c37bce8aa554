package collectives

// AllgatherNeighbour exchanges with the two neighbours in turn; after the first round, two
// blocks at a time. P must be even.
var AllgatherNeighbour = &Algorithm{
	Of: Allgather, Name: "neighbour-exchange", How: "exchanges with the two neighbours in turn, two blocks at a time",
	Source:   "J. Chen et al., Performance evaluation of allgather algorithms on terascale Linux cluster, IPDPS 2005",
	Schedule: Schedule{func(g *Group) int { return g.Ranks / 2 }, neighbourGather}, Needs: even, Alike: blocksIn(even),
}

func init() { Register(AllgatherNeighbour) }

func neighbourGather(g *Group, round int, r *Round) {
	side := 1 - 2*((g.Me+round)%2) // even members begin with the next one, odd ones with the one before
	peer := g.wrap(g.Me + side)
	if round == 0 {
		r.Recv(peer, g.block(peer))
		r.Send(peer, g.block(g.Me))
		return
	}
	in, out := g.neighbourPair(round), g.neighbourPair(round-1)
	r.Recv(peer, g.blocks(in, in+2))
	r.Send(peer, g.blocks(out, out+2))
}

// neighbourPair is the first of the two blocks that the caller has received after a round. They
// belong to a pair of members, which is farther away in each round, alternately on the two sides.
func (g *Group) neighbourPair(round int) int {
	ahead := (round + 1) / 2 * 2
	if (g.Me+round)%2 != 0 {
		ahead = -ahead
	}
	return g.wrap(g.Me/2*2 + ahead)
}
