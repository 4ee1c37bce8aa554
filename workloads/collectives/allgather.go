package collectives

// AllgatherDoubling is an all-gather by recursive doubling: in round k, an exchange of all
// blocks that a member has with the member whose number differs in bit k. If P is not a
// power of two, members are folded.
var AllgatherDoubling = New(Allgather, "doubling", "Thakur, Rabenseifner, Gropp 2005, section 4.1", roundsOf(1), gathering(halved))

// AllgatherSwing is the same with Swing's partners, largest distance last.
var AllgatherSwing = New(Allgather, "swing-bandwidth", "De Sensi et al., NSDI 2024, section 3.2", roundsOf(1), gathering(swingingBack))

// AllgatherSwingByBlock sends each block in a message of its own, from where it is.
var AllgatherSwingByBlock = New(Allgather, "swing-by-block", "De Sensi et al., SC 2025", roundsOf(1), byBlock(gathering(swingingBack)))

// AllgatherSwingPermuted is AllgatherSwing where blocks lie so that each message is one piece of
// memory; at the end they are copied to where they belong.
var AllgatherSwingPermuted = &Algorithm{Of: Allgather, Name: "swing-permuted", Source: "De Sensi et al., SC 2025",
	schedule: sequence(AllgatherSwing.schedule, schedule{Rounds: func(*Group) int { return 1 }, Round: inPlace})}

// inPlace is a copy of all blocks. They are said to lie where they belong all along.
func inPlace(g *Group, _ int, r *Round) { r.Copy(g.whole(), g.whole()) }

// AllgatherBruck is an all-gather in ceil(log2 P) rounds for every P: in each, a member gets
// as many blocks as it has from the member that far behind. At the end it turns them round,
// which is a copy. With a Radix k it gets k-1 times as many from k-1 members.
var AllgatherBruck = New(Allgather, "bruck",
	"J. Bruck et al., IEEE Trans. Parallel Distributed Systems 8(11), 1997, section 4",
	func(g *Group) int { return logOf(g.Ranks, g.radix(2)) + 1 }, bruckGather)

// AllgatherNeighbour exchanges with the two neighbours in turn; after the first round, two
// blocks at a time. P must be even.
var AllgatherNeighbour = New(Allgather, "neighbour-exchange",
	"J. Chen et al., Performance evaluation of allgather algorithms on terascale Linux cluster, IPDPS 2005",
	func(g *Group) int { return g.Ranks / 2 }, neighbourGather)

// AllgatherSparbit is an all-gather in ceil(log2 P) rounds with distances that are halved: a
// member sends on, to the member a distance ahead, the blocks that this one lacks, each in a
// message of its own.
var AllgatherSparbit = New(Allgather, "sparbit",
	"W. Loch, G. Koslovski, Sparbit: a new logarithmic-cost and data locality-aware MPI Allgather algorithm, SBAC-PAD 2021",
	func(g *Group) int { return log(g.Ranks) }, sparbit)

// AllgatherLinear sends the block of each member to every other one.
var AllgatherLinear = New(Allgather, "linear",
	"Open MPI, coll_base_allgather.c: intra_basic_linear, all at once",
	func(g *Group) int { return min(1, g.Ranks-1) }, func(g *Group, _ int, r *Round) {
		for d := 1; d < g.Ranks; d++ {
			r.Recv(g.wrap(g.Me-d), g.block(g.Me-d))
		}
		for d := 1; d < g.Ranks; d++ {
			r.Send(g.wrap(g.Me+d), g.block(g.Me))
		}
	})

func init() {
	AllgatherNeighbour.Needs = even
	AllgatherBruck.Uses = Uses{Radix: true}
	for _, a := range []*Algorithm{AllgatherDoubling, AllgatherSwing, AllgatherSwingByBlock, AllgatherSwingPermuted,
		AllgatherBruck, AllgatherNeighbour, AllgatherSparbit, AllgatherLinear} {
		Register(a)
	}
}

// gathering is the second half of Rabenseifner's algorithm, over the blocks of members.
func gathering(partner partners) func(g *Group, round int, r *Round) {
	return func(g *Group, round int, r *Round) {
		b := overMembers(g, partner)
		place, left := b.place(g.Me)
		switch step := round - b.extra(); {
		case step < 0:
			b.foldBlock(g, r)
		case step == b.steps:
			first := g.Me / 2 * 2
			b.foldOut(g, r, g.blocks(0, first), g.blocks(first+1, g.Ranks))
		case left:
			b.gather(place, step, r)
		}
	}
}

// foldBlock lets the member that stands for a pair get the block of the other one.
func (f fold) foldBlock(g *Group, r *Round) {
	switch {
	case !f.paired(g.Me):
	case g.Me%2 == 0:
		r.Send(g.Me+1, g.block(g.Me))
	default:
		r.Recv(g.Me-1, g.block(g.Me-1))
	}
}

func bruckGather(g *Group, round int, r *Round) {
	if round == logOf(g.Ranks, g.radix(2)) {
		inPlace(g, round, r)
		return
	}
	have := power(g.radix(2), round)
	for j := 1; j < g.radix(2) && j*have < g.Ranks; j++ {
		a, b := g.around(g.Me-j*have-min(have, g.Ranks-j*have)+1, min(have, g.Ranks-j*have))
		r.Recv(g.wrap(g.Me-j*have), a, b)
	}
	for j := 1; j < g.radix(2) && j*have < g.Ranks; j++ {
		a, b := g.around(g.Me-min(have, g.Ranks-j*have)+1, min(have, g.Ranks-j*have))
		r.Send(g.wrap(g.Me+j*have), a, b)
	}
}

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

// neighbourPair is the first of the two blocks that the caller has got after a round: those
// of a pair of members that lie ever farther away, on the two sides in turn.
func (g *Group) neighbourPair(round int) int {
	ahead := (round + 1) / 2 * 2
	if (g.Me+round)%2 != 0 {
		ahead = -ahead
	}
	return g.wrap(g.Me/2*2 + ahead)
}

func sparbit(g *Group, round int, r *Round) {
	distance := 1 << (log(g.Ranks) - 1 - round)
	for o := distance; o < g.Ranks; o += 2 * distance {
		r.Recv(g.wrap(g.Me-distance), g.block(g.Me-o))
	}
	for o := distance; o < g.Ranks; o += 2 * distance {
		r.Send(g.wrap(g.Me+distance), g.block(g.Me+distance-o))
	}
}
