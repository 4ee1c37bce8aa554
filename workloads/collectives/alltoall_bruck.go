package collectives

// AlltoallBruck takes ceil(log2 P) rounds. In round k a member sends to the member 2^k ahead all
// blocks whose distance to their target has bit k.
var AlltoallBruck = &Algorithm{
	Of: Alltoall, Name: "bruck", How: "in round k, all blocks whose distance has bit k move that far ahead",
	Source:   "Bruck et al. 1997, section 3",
	Schedule: Schedule{func(g *Group) int { return log(g.Ranks) + 2 }, bruck}, Needs: equalBlocks, Alike: blocksIn(nil), Symmetry: aRing,
}

func init() { Register(AlltoallBruck) }

// equalBlocks is a Needs.
func equalBlocks(g *Group) string {
	if g.Between != nil {
		return "needs blocks of one size"
	}
	return ""
}

// bruck stores the block that travels a distance d as number d. Before the next round, what a
// round has received replaces what was sent in it.
func bruck(g *Group, round int, r *Round) {
	size, step := g.between(0, 0), round-1
	stored := func(d int) Span { return Span{2*g.Bytes + int64(d)*size, size} }
	came := func(d int) Span { return stored(g.Ranks + d) }
	blocks := g.Ranks // to copy
	if r.still {
		blocks = 0
	}
	for d := range blocks {
		switch {
		case step < 0:
			r.Copy(g.outgoing(g.wrap(g.Me+d)), stored(d))
		case step > 0 && d&(1<<(step-1)) != 0:
			r.Copy(came(d), stored(d))
		}
	}
	switch {
	case step == log(g.Ranks):
		for d := range blocks {
			r.Copy(stored(d), g.incoming(g.wrap(g.Me-d)))
		}
	case step >= 0:
		r.recvSet(g.wrap(g.Me-1<<step), g.withBit(step, came))
		r.sendSet(g.wrap(g.Me+1<<step), g.withBit(step, stored))
	}
}

// withBit are the blocks whose numbers have a bit.
func (g *Group) withBit(bit int, block func(d int) Span) set {
	half := 1 << bit
	count := g.Ranks/(2*half)*half + max(0, g.Ranks%(2*half)-half)
	return set{int64(count) * g.between(0, 0), func(yield func(Span) bool) {
		for d := range g.Ranks {
			if d&half != 0 && !yield(block(d)) {
				return
			}
		}
	}}
}
