package collectives

// Reductions up a tree: each member combines one segment after the other of its children. It
// sends a segment on while it receives the next one.

// ReduceBinomial is a reduction up a binomial tree.
var ReduceBinomial = &Algorithm{
	Of: Reduce, Name: "binomial", How: "up a binomial tree", Source: "Thakur, Rabenseifner, Gropp 2005, section 4.5",
	Schedule: tree(binomial).up(2), Uses: Uses{Segment: true},
}

// ReduceChain has several chains, 4 by default. ReducePipeline has one.
var (
	ReduceChain = &Algorithm{
		Of: Reduce, Name: "chain", How: "up several chains, 4 by default", Source: "Pješivac-Grbović et al. 2007",
		Schedule: tree(chains).up(4), Uses: Uses{Segment: true, Radix: true},
	}
	ReducePipeline = &Algorithm{
		Of: Reduce, Name: "pipeline", How: "up one chain", Source: "Pješivac-Grbović et al. 2007",
		Schedule: tree(pipeline).up(1), Uses: Uses{Segment: true},
	}
)

// ReduceBinary has a complete binary tree.
var ReduceBinary = &Algorithm{
	Of: Reduce, Name: "binary", How: "up a complete binary tree", Source: "Pješivac-Grbović et al. 2007",
	Schedule: tree(heap).up(2), Uses: Uses{Segment: true},
}

// ReduceKNomial has a tree of a radix, 4 by default.
var ReduceKNomial = &Algorithm{
	Of: Reduce, Name: "knomial", How: "up a k-nomial tree, k = 4 by default",
	Source:   "Open MPI, coll_base_reduce.c: intra_knomial, radix 4",
	Schedule: tree(kNomial).up(4), Uses: Uses{Segment: true, Radix: true},
}

// ReduceLinear sends from all members to the root, which receives one after the other.
var ReduceLinear = &Algorithm{
	Of: Reduce, Name: "linear", How: "all send to the root", Source: "Pješivac-Grbović et al. 2007",
	Schedule: tree(star).up(1), Uses: Uses{Segment: true},
}

// ReduceSwing has the tree of Swing's partners.
var ReduceSwing = &Algorithm{
	Of: Reduce, Name: "swing-latency", How: "up the tree of Swing's partners", Source: "De Sensi et al., SC 2025",
	Schedule: tree(swing).up(2), Uses: Uses{Segment: true}, Needs: powerOfTwo,
}

func init() {
	Register(ReduceBinomial, ReduceChain, ReducePipeline, ReduceBinary, ReduceKNomial, ReduceLinear, ReduceSwing)
}

// up combines segments up a tree. The child with the smallest subtree comes first.
func (t tree) up(radix int) Schedule {
	return Schedule{t.rounds, func(g *Group, round int, r *Round) {
		var parent int
		parent, r.kids = t(g.Ranks, g.radix(radix), g.place(), r.kids[:0])
		to := -1
		if g.place() > 0 {
			to = g.at(parent)
		}
		for i, child := range r.kids {
			r.kids[i] = g.at(child)
		}
		g.passUp(to, r.kids, round, r)
	}}
}

// passUp combines a segment of the children, and sends the one before on; to is -1 at the
// root.
func (g *Group) passUp(to int, kids []int, round int, r *Round) {
	segments, out := g.segments(g.whole()), round
	if len(kids) > 0 {
		out--
	}
	for i := len(kids) - 1; i >= 0 && round < segments; i-- {
		r.Add(kids[i], g.segment(g.whole(), round))
	}
	if to >= 0 && out >= 0 && out < segments {
		r.Send(to, g.segment(g.whole(), out))
	}
}
