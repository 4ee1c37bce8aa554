package collectives

// AlltoallWindow has at most a Window of messages in flight in each direction, 8 by default. It
// waits for the oldest before it posts the next.
var AlltoallWindow = &Algorithm{
	Of: Alltoall, Name: "linear-window", How: "`linear` with at most `window` messages in flight each way, 8 by default",
	Source:   "MPICH, alltoall_intra_scattered; Open MPI, coll_base_alltoall.c: linear_sync",
	Schedule: Schedule{func(g *Group) int { return around(g) + g.underWay() + 1 }, windowed}, Uses: Uses{Window: true}, Symmetry: aRing,
}

func init() { Register(AlltoallWindow) }

// underWay is the window, or the number of messages if that is smaller.
func (g *Group) underWay() int { return min(g.window(8), around(g)) }

func windowed(g *Group, round int, r *Round) {
	window := max(1, g.underWay())
	if past := round - 1 - window; past >= 0 && past < around(g) {
		r.Settle(2*(past%window), 2*(past%window)+2)
	}
	if round < g.Ranks {
		g.trade(round, r)
		r.Hold(2 * (max(0, round-1) % window))
	}
}
