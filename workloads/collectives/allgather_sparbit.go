package collectives

// AllgatherSparbit is an all-gather in ceil(log2 P) rounds in which distances are halved. A member
// sends the blocks that the member at a distance ahead lacks to that member, each in a separate
// message.
var AllgatherSparbit = &Algorithm{
	Of: Allgather, Name: "sparbit", How: "distances are halved; each block is a separate message",
	Source:   "W. Loch, G. Koslovski, Sparbit: a new logarithmic-cost and data locality-aware MPI Allgather algorithm, SBAC-PAD 2021",
	Schedule: Schedule{func(g *Group) int { return log(g.Ranks) }, sparbit}, Alike: blocksIn(nil), Symmetry: blockRing,
}

func init() { Register(AllgatherSparbit) }

func sparbit(g *Group, round int, r *Round) {
	distance := 1 << (log(g.Ranks) - 1 - round)
	for o := distance; o < g.Ranks; o += 2 * distance {
		r.Recv(g.wrap(g.Me-distance), g.block(g.Me-o))
	}
	for o := distance; o < g.Ranks; o += 2 * distance {
		r.Send(g.wrap(g.Me+distance), g.block(g.Me+distance-o))
	}
}
