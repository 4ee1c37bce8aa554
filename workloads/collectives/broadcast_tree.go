package collectives

// Broadcasts down a tree: each member passes on one segment after the other, and receives the
// next one meanwhile.

// BroadcastBinomial is a broadcast down a binomial tree.
var BroadcastBinomial = downTree("binomial", "Thakur, Rabenseifner, Gropp 2005, section 4.2", binomial, 2)

// BroadcastKNomial has a tree of another radix, 4 by default.
var BroadcastKNomial = downTree("knomial", "Open MPI, coll_base_bcast.c: intra_knomial, radix 4", kNomial, 4)

// BroadcastChain has several chains, 4 by default. BroadcastPipeline has one.
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

func init() {
	BroadcastBinomial.Hops = func(g *Group) (int64, int64) { return int64(log(g.Ranks)), g.Bytes }
	BroadcastPipeline.Hops = func(g *Group) (int64, int64) {
		return int64(g.segments(g.whole()) + g.Ranks - 2), g.segment(g.whole(), 0).Bytes
	}
	BroadcastKNomial.Uses.Radix, BroadcastChain.Uses.Radix = true, true
	BroadcastSwing.Needs = powerOfTwo
	for _, a := range []*Algorithm{BroadcastBinomial, BroadcastKNomial, BroadcastChain, BroadcastPipeline, BroadcastBinary, BroadcastLinear,
		BroadcastSwing} {
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
