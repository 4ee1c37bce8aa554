package collectives

// AlltoallLinear sends a block from every member to every other one. Each posts all messages,
// starting with the next member, and then waits for all. It uses 2 (P-1) requests.
var AlltoallLinear = New(Alltoall, "linear", "Thakur, Rabenseifner, Gropp 2005, section 4.3; Open MPI, coll_base_alltoall.c: basic_linear",
	func(g *Group) int { return 2*around(g) + 1 }, linear)

// AlltoallAtOnce is the same in one round, as a non-blocking collective needs it.
var AlltoallAtOnce = New(Alltoall, "linear-at-once", "Open MPI, nbc_ialltoall.c: linear", one, func(g *Group, _ int, r *Round) {
	for distance := range g.Ranks {
		g.trade(distance, r)
	}
})

// AlltoallPairwise is an all-to-all in P-1 rounds: in round t a member sends to the member t
// ahead and receives from the one t behind.
var AlltoallPairwise = New(Alltoall, "pairwise", "Thakur, Rabenseifner, Gropp 2005, section 4.3",
	func(g *Group) int { return around(g) + 1 }, func(g *Group, round int, r *Round) { g.trade(round, r) })

// AlltoallWindow has at most a Window of messages under way each way, 8 unless given. It waits
// for the oldest before it posts the next.
var AlltoallWindow = New(Alltoall, "linear-window", "MPICH, alltoall_intra_scattered; Open MPI, coll_base_alltoall.c: linear_sync",
	func(g *Group) int { return around(g) + g.underWay() + 1 }, windowed)

// AlltoallBruck takes ceil(log2 P) rounds: in round k a member sends, to the member 2^k ahead,
// all blocks that have bit k in the distance that they go.
var AlltoallBruck = New(Alltoall, "bruck", "Bruck et al. 1997, section 3",
	func(g *Group) int { return log(g.Ranks) + 2 }, bruck)

func init() {
	AlltoallPairwise.Hops = func(g *Group) (int64, int64) { return int64(around(g)), g.between(0, 1) }
	AlltoallWindow.Uses.Window = true
	AlltoallBruck.Needs = func(g *Group) string {
		if g.Between != nil {
			return "needs blocks of one size"
		}
		return ""
	}
	for _, a := range []*Algorithm{AlltoallLinear, AlltoallAtOnce, AlltoallPairwise, AlltoallWindow, AlltoallBruck} {
		Register(a)
	}
}

// between is the size of what a member sends to another.
func (g *Group) between(from, to int) int64 {
	if g.Between == nil {
		return g.Bytes / int64(g.Ranks)
	}
	return g.Between(from, to)
}

// outgoing is where what the caller sends to a member lies, and incoming what it gets.
func (g *Group) outgoing(to int) Span {
	if g.Between == nil {
		return Span{int64(to) * g.between(g.Me, to), g.between(g.Me, to)}
	}
	s := Span{Bytes: g.Between(g.Me, to)}
	for m := range to {
		s.From += g.Between(g.Me, m)
	}
	return s
}

func (g *Group) incoming(from int) Span {
	if g.Between == nil {
		return Span{g.Bytes + int64(from)*g.between(from, g.Me), g.between(from, g.Me)}
	}
	s := Span{g.Bytes, g.Between(from, g.Me)}
	for m := range from {
		s.From += g.Between(m, g.Me)
	}
	return s
}

// trade exchanges with the members at a distance; at distance 0 it is a copy.
func (g *Group) trade(distance int, r *Round) {
	if distance == 0 {
		r.Copy(g.outgoing(g.Me), g.incoming(g.Me))
		return
	}
	to, from := g.wrap(g.Me+distance), g.wrap(g.Me-distance)
	r.Recv(from, g.incoming(from))
	r.Send(to, g.outgoing(to))
}

func linear(g *Group, round int, r *Round) {
	if past := round - g.Ranks; past >= 0 {
		r.Settle(2*past, 2*past+2)
		return
	}
	g.trade(round, r)
	r.Hold(2 * max(0, round-1))
}

// underWay is the window, which is no larger than the messages there are.
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

// bruck keeps the block that goes a distance d at number d of the stored ones. What a round
// brought replaces, before the next one, what was sent in it.
func bruck(g *Group, round int, r *Round) {
	size, step := g.between(0, 0), round-1
	stored := func(d int) Span { return Span{2*g.Bytes + int64(d)*size, size} }
	came := func(d int) Span { return stored(g.Ranks + d) }
	for d := range g.Ranks {
		switch {
		case step < 0:
			r.Copy(g.outgoing(g.wrap(g.Me+d)), stored(d))
		case step > 0 && d&(1<<(step-1)) != 0:
			r.Copy(came(d), stored(d))
		}
	}
	switch {
	case step == log(g.Ranks):
		for d := range g.Ranks {
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
