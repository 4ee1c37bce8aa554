package collectives

// Broadcasts down a tree: each member passes on segment after segment, a segment while it
// receives the next one.

// BroadcastBinomial is a broadcast down a binomial tree.
var BroadcastBinomial = downTree("binomial", "Thakur, Rabenseifner, Gropp 2005, section 4.2", binomial, 2)

// BroadcastKNomial has a tree of another radix, 4 unless given.
var BroadcastKNomial = downTree("knomial", "Open MPI, coll_base_bcast.c: intra_knomial, radix 4", kNomial, 4)

// BroadcastChain has some chains, 4 unless given; BroadcastPipeline one.
var (
	BroadcastChain = downTree("chain",
		"J. Pješivac-Grbović et al., Performance analysis of MPI collective operations, Cluster Computing 10, 2007", chains, 4)
	BroadcastPipeline = downTree("pipeline", "Pješivac-Grbović et al. 2007", pipeline, 1)
)

// BroadcastBinary has a complete binary tree.
var BroadcastBinary = downTree("binary", "Pješivac-Grbović et al. 2007", heap, 2)

// BroadcastLinear sends from the root to everybody.
var BroadcastLinear = downTree("linear", "Pješivac-Grbović et al. 2007", star, 1)

// BroadcastSwing has the tree of Swing's partners.
var BroadcastSwing = downTree("swing-latency",
	"D. De Sensi et al., Bine trees: enhancing collective operations by optimizing communication locality, SC 2025", swing, 2)

// BroadcastSplitBinary sends one half of the vector down each of the two subtrees of the
// root. At the end each member of one exchanges its half with one of the other.
var BroadcastSplitBinary = New(Broadcast, "split-binary", "Pješivac-Grbović et al. 2007",
	func(g *Group) int { return splitRounds(g) + 1 }, splitBinary)

// BroadcastScatterDoubling scatters the vector down a binomial tree and gathers the blocks by
// recursive doubling.
var BroadcastScatterDoubling = &Algorithm{Of: Broadcast, Name: "scatter-doubling", Source: "Thakur, Rabenseifner, Gropp 2005, section 4.2",
	schedule: sequence(scatterDown, AllgatherDoubling.schedule)}

// BroadcastScatterRing scatters the vector down a binomial tree and gathers the blocks around
// a ring.
var BroadcastScatterRing = &Algorithm{Of: Broadcast, Name: "scatter-ring", Source: "Thakur, Rabenseifner, Gropp 2005, section 4.2",
	schedule: sequence(scatterDown, AllgatherRing.schedule)}

// BroadcastScatterSwing does both with Swing's partners.
var BroadcastScatterSwing = &Algorithm{Of: Broadcast, Name: "swing-bandwidth", Source: "De Sensi et al., SC 2025",
	schedule: sequence(scatterDown, AllgatherSwing.schedule)}

func init() {
	BroadcastBinomial.Hops = func(g *Group) (int64, int64) { return int64(log(g.Ranks)), g.Bytes }
	BroadcastPipeline.Hops = func(g *Group) (int64, int64) {
		return int64(g.segments(g.whole()) + g.Ranks - 2), g.segment(g.whole(), 0).Bytes
	}
	BroadcastKNomial.Uses.Radix, BroadcastChain.Uses.Radix = true, true
	BroadcastSwing.Needs = powerOfTwo
	BroadcastSplitBinary.Uses.Segment = true
	for _, a := range []*Algorithm{BroadcastBinomial, BroadcastKNomial, BroadcastChain, BroadcastPipeline, BroadcastBinary, BroadcastLinear,
		BroadcastSwing, BroadcastSplitBinary, BroadcastScatterDoubling, BroadcastScatterRing, BroadcastScatterSwing} {
		Register(a)
	}
}

func downTree(name, source string, t tree, radix int) *Algorithm {
	a := New(Broadcast, name, source, t.rounds, t.down(radix))
	a.Uses.Segment = true
	return a
}

// rounds is the number of rounds of a member of a tree: a segment is received and passed on.
func (t tree) rounds(g *Group) int { return g.segments(g.whole()) + min(1, g.Ranks-1) }

// down passes segments down a tree.
func (t tree) down(radix int) func(g *Group, round int, r *Round) {
	return func(g *Group, round int, r *Round) {
		segments, out := g.segments(g.whole()), round
		var parent int
		parent, r.kids = t(g.Ranks, g.radix(radix), g.place(), r.kids[:0])
		if g.place() > 0 {
			out--
			if round < segments {
				r.Recv(g.at(parent), g.segment(g.whole(), round))
			}
		}
		if out < 0 || out >= segments {
			return
		}
		for _, child := range r.kids {
			r.Send(g.at(child), g.segment(g.whole(), out))
		}
	}
}

// splitTree is the complete binary tree whose left subtree has the odd places, and its right
// one the even ones.
func splitTree(ranks, place int, kids []int) (parent int, children []int) {
	if place == 0 {
		for child := 1; child <= 2 && child < ranks; child++ {
			kids = append(kids, child)
		}
		return 0, kids
	}
	side := 2 - place%2
	at := (place - side) / 2
	for child := 2*at + 1; child <= 2*at+2; child++ {
		if down := 2*child + side; down < ranks {
			kids = append(kids, down)
		}
	}
	if at == 0 {
		return 0, kids
	}
	return (at-1)/2*2 + side, kids
}

func splitRounds(g *Group) int { return max(g.segments(g.half(1)), g.segments(g.half(2))) + 1 }

// half is what goes down the side of a place.
func (g *Group) half(place int) Span { return g.whole().part(1-place%2, 2) }

func splitBinary(g *Group, round int, r *Round) {
	place := g.place()
	if round == splitRounds(g) {
		g.swapHalves(place, r)
		return
	}
	var parent int
	parent, r.kids = splitTree(g.Ranks, place, r.kids[:0])
	out := round
	if mine := g.half(place); place > 0 {
		out--
		if round < g.segments(mine) {
			r.Recv(g.at(parent), g.segment(mine, round))
		}
	}
	for _, child := range r.kids {
		if down := g.half(child); out >= 0 && out < g.segments(down) {
			r.Send(g.at(child), g.segment(down, out))
		}
	}
}

// swapHalves gives each member the half that it lacks: from its partner on the other side, or
// from the root if it has none.
func (g *Group) swapHalves(place int, r *Round) {
	last := g.Ranks - 1
	alone := last%2 == 1 // the last place has no partner
	switch {
	case place == 0 && alone:
		r.Send(g.at(last), g.half(2))
	case place == 0:
	case place == last && alone:
		r.Recv(g.at(0), g.half(2))
	default:
		peer := place + 1 - 2*((place+1)%2)
		r.Recv(g.at(peer), g.half(peer))
		r.Send(g.at(peer), g.half(place))
	}
}
