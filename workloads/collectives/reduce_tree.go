package collectives

// Reductions up a tree: each member combines one segment after the other of its children. It
// sends a segment on while it receives the next one.

// ReduceBinomial is a reduction up a binomial tree.
var ReduceBinomial = upTree("binomial", "Thakur, Rabenseifner, Gropp 2005, section 4.5", binomial, 2)

// ReduceChain has several chains, 4 by default. ReducePipeline has one.
var (
	ReduceChain    = upTree("chain", "Pješivac-Grbović et al. 2007", chains, 4)
	ReducePipeline = upTree("pipeline", "Pješivac-Grbović et al. 2007", pipeline, 1)
)

// ReduceBinary has a complete binary tree.
var ReduceBinary = upTree("binary", "Pješivac-Grbović et al. 2007", heap, 2)

// ReduceKNomial has a tree of a radix, 4 by default.
var ReduceKNomial = upTree("knomial", "Open MPI, coll_base_reduce.c: intra_knomial, radix 4", kNomial, 4)

// ReduceLinear sends from all members to the root, which receives one after the other.
var ReduceLinear = upTree("linear", "Pješivac-Grbović et al. 2007", star, 1)

// ReduceSwing has the tree of Swing's partners.
var ReduceSwing = upTree("swing-latency", "De Sensi et al., SC 2025", swing, 2)

func init() {
	ReduceChain.Uses.Radix, ReduceKNomial.Uses.Radix = true, true
	ReduceSwing.Needs = powerOfTwo
	for _, a := range []*Algorithm{ReduceBinomial, ReduceChain, ReducePipeline, ReduceBinary, ReduceKNomial, ReduceLinear, ReduceSwing} {
		Register(a)
	}
}

func upTree(name, source string, t tree, radix int) *Algorithm {
	a := New(Reduce, name, source, t.rounds, t.up(radix))
	a.Uses.Segment = true
	return a
}

// up combines segments up a tree. The child with the smallest subtree comes first.
func (t tree) up(radix int) func(g *Group, round int, r *Round) {
	return func(g *Group, round int, r *Round) {
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
	}
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
