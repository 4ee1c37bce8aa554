package collectives

// Broadcasts down a tree: each member passes on one segment after the other, and receives the
// next one meanwhile.

// BroadcastBinomial is a broadcast down a binomial tree.
var BroadcastBinomial = &Algorithm{
	Of: Broadcast, Name: "binomial", How: "down a binomial tree", Source: "Thakur, Rabenseifner, Gropp 2005, section 4.2",
	Schedule: tree(binomial).down(2), Uses: Uses{Segment: true},
	Hops: func(g *Group) (int64, int64) { return int64(log(g.Ranks)), g.Bytes },
}

// BroadcastKNomial has a tree of another radix, 4 by default.
var BroadcastKNomial = &Algorithm{
	Of: Broadcast, Name: "knomial", How: "down a k-nomial tree, k = 4 by default",
	Source:   "Open MPI, coll_base_bcast.c: intra_knomial, radix 4",
	Schedule: tree(kNomial).down(4), Uses: Uses{Segment: true, Radix: true},
}

// BroadcastChain has several chains, 4 by default. BroadcastPipeline has one.
var (
	BroadcastChain = &Algorithm{
		Of: Broadcast, Name: "chain", How: "down several chains, 4 by default",
		Source:   "J. Pješivac-Grbović et al., Performance analysis of MPI collective operations, Cluster Computing 10, 2007",
		Schedule: tree(chains).down(4), Uses: Uses{Segment: true, Radix: true},
	}
	BroadcastPipeline = &Algorithm{
		Of: Broadcast, Name: "pipeline", How: "down one chain", Source: "Pješivac-Grbović et al. 2007",
		Schedule: tree(pipeline).down(1), Uses: Uses{Segment: true},
		Hops: func(g *Group) (int64, int64) {
			return int64(g.segments(g.whole()) + g.Ranks - 2), g.segment(g.whole(), 0).Bytes
		},
	}
)

// BroadcastBinary has a complete binary tree.
var BroadcastBinary = &Algorithm{
	Of: Broadcast, Name: "binary", How: "down a complete binary tree", Source: "Pješivac-Grbović et al. 2007",
	Schedule: tree(heap).down(2), Uses: Uses{Segment: true},
}

// BroadcastLinear sends from the root to everybody.
var BroadcastLinear = &Algorithm{
	Of: Broadcast, Name: "linear", How: "from the root to every other rank", Source: "Pješivac-Grbović et al. 2007",
	Schedule: tree(star).down(1), Uses: Uses{Segment: true},
}

// BroadcastSwing has the tree of Swing's partners.
var BroadcastSwing = &Algorithm{
	Of: Broadcast, Name: "swing-latency", How: "down the tree of Swing's partners",
	Source:   "D. De Sensi et al., Bine trees: enhancing collective operations by optimizing communication locality, SC 2025",
	Schedule: tree(swing).down(2), Uses: Uses{Segment: true}, Needs: powerOfTwo,
}

func init() {
	Register(BroadcastBinomial, BroadcastKNomial, BroadcastChain, BroadcastPipeline, BroadcastBinary, BroadcastLinear, BroadcastSwing)
}

// rounds is the number of rounds of a member of a tree: a segment is received and passed on.
func (t tree) rounds(g *Group) int { return g.segments(g.whole()) + min(1, g.Ranks-1) }

// down passes segments down a tree.
func (t tree) down(radix int) Schedule {
	return Schedule{t.rounds, func(g *Group, round int, r *Round) {
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
	}}
}
