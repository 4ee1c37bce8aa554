package collectives

// Reductions up a tree: each member combines segment after segment of its children, and
// sends a segment on while it receives the next one.

// ReduceBinomial is a reduction up a binomial tree.
var ReduceBinomial = upTree("binomial", "Thakur, Rabenseifner, Gropp 2005, section 4.5", binomial, 2)

// ReduceChain has some chains, 4 unless given; ReducePipeline one.
var (
	ReduceChain    = upTree("chain", "Pješivac-Grbović et al. 2007", chains, 4)
	ReducePipeline = upTree("pipeline", "Pješivac-Grbović et al. 2007", pipeline, 1)
)

// ReduceBinary has a complete binary tree.
var ReduceBinary = upTree("binary", "Pješivac-Grbović et al. 2007", heap, 2)

// ReduceKNomial has a tree of a radix, 4 unless given.
var ReduceKNomial = upTree("knomial", "Open MPI, coll_base_reduce.c: intra_knomial, radix 4", kNomial, 4)

// ReduceLinear sends from everybody to the root, which takes one after the other.
var ReduceLinear = upTree("linear", "Pješivac-Grbović et al. 2007", star, 1)

// ReduceSwing has the tree of Swing's partners.
var ReduceSwing = upTree("swing-latency", "De Sensi et al., SC 2025", swing, 2)

// ReduceInOrder combines in the order of the members, for operations that do not commute: a
// binary tree whose subtrees are neighbours. Its root is the last member, which sends the
// result to the root.
var ReduceInOrder = New(Reduce, "in-order-binary", "Open MPI, coll_base_reduce.c: intra_in_order_binary",
	func(g *Group) int { return (tree)(nil).rounds(g) + 1 }, inOrder)

// ReduceRabenseifner is a reduce-scatter by recursive halving and a gather up a binomial
// tree. If P is not a power of two, members are folded; the root stands for a pair.
var ReduceRabenseifner = New(Reduce, "rabenseifner", "Rabenseifner, ICCS 2004",
	func(g *Group) int { f := foldOf(g.Ranks); return 2*f.steps + f.extra() }, scatterGather(halved, halvedReached))

// ReduceSwingBandwidth is the same with Swing's partners.
var ReduceSwingBandwidth = New(Reduce, "swing-bandwidth", "De Sensi et al., SC 2025", ReduceRabenseifner.Rounds,
	scatterGather(swinging, swingReachedBefore))

// ReduceInTurn is a reduction up a binomial tree in which each child has a round of its own.
var ReduceInTurn = New(Reduce, "binomial-in-turn", "Open MPI, nbc_ireduce.c: red_sched_binomial",
	func(g *Group) int { return log(g.Ranks) + min(1, g.Ranks-1) }, inTurn)

func init() {
	ReduceChain.Uses.Radix, ReduceKNomial.Uses.Radix, ReduceInOrder.Uses.Segment = true, true, true
	ReduceSwing.Needs = powerOfTwo
	for _, a := range []*Algorithm{ReduceBinomial, ReduceChain, ReducePipeline, ReduceBinary, ReduceKNomial, ReduceLinear, ReduceSwing,
		ReduceInOrder, ReduceRabenseifner, ReduceSwingBandwidth, ReduceInTurn} {
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

func inOrder(g *Group, round int, r *Round) {
	last, up := g.Ranks-1, (tree)(nil).rounds(g)
	if round == up {
		switch {
		case last == g.Root:
		case g.Me == last:
			r.Send(g.Root, g.whole())
		case g.Me == g.Root:
			r.Recv(last, g.whole())
		}
		return
	}
	to, kids := postOrder(0, g.Ranks, g.Me, r.kids[:0])
	r.kids = kids
	g.passUp(to, kids, round, r)
}

// postOrder is the binary tree of the members from first to before end whose root is the last
// one. The halves of the others are its subtrees.
func postOrder(first, end, member int, kids []int) (parent int, children []int) {
	parent = -1
	for {
		root := end - 1
		middle := first + (root-first+1)/2
		if member == root {
			if root > middle {
				kids = append(kids, root-1)
			}
			if middle > first {
				kids = append(kids, middle-1)
			}
			return parent, kids
		}
		parent = root
		if member < middle {
			end = middle
		} else {
			first, end = middle, root
		}
	}
}

// scatterGather numbers the members so that the root is at place 0.
func scatterGather(partner partners, reached reaches) func(g *Group, round int, r *Round) {
	return func(g *Group, round int, r *Round) {
		f := foldOf(g.Ranks)
		turned := *g
		shift := g.Root - f.extra() // the root becomes member 1 if it stands for a pair, else 0
		turned.Me, turned.Root = g.wrap(g.Me-shift), 0
		from := len(r.steps)
		reduceAtFirst(&turned, partner, reached, round, r)
		for i := from; i < len(r.steps); i++ {
			s := &r.steps[i]
			s.peer = r.first + r.stride*g.wrap((s.peer-r.first)/r.stride+shift)
		}
	}
}

// reduceAtFirst is the reduction at place 0. In the gather a place sends all that it has to
// its partner of the step, and has nothing to do after that; which of the two sends depends
// on which is on the way to place 0.
func reduceAtFirst(g *Group, partner partners, reached reaches, round int, r *Round) {
	b := overParts(g, partner)
	place, left := b.place(g.Me)
	switch step := round - b.extra(); {
	case step < 0:
		b.foldIn(g, g.whole(), r)
	case !left:
	case step < b.steps:
		b.scatter(place, step, r)
	default:
		b.gatherAtFirst(place, 2*b.steps-1-step, reached, r)
	}
}

// gatherAtFirst undoes a step of the scatter towards place 0.
func (b *butterfly) gatherAtFirst(place, step int, reached reaches, r *Round) {
	peer := b.partner(place, step, b.steps)
	switch {
	case reached(place, step, b.steps):
		r.recvSet(b.member(peer), b.rest(peer, step+1, r))
	case reached(peer, step, b.steps):
		r.sendSet(b.member(peer), b.rest(place, step+1, r))
	}
}

// reaches tells whether what place 0 has gets to a place in the first steps of a broadcast
// with the same partners.
type reaches func(place, before, steps int) bool

func halvedReached(place, before, steps int) bool { return place%(1<<(steps-before)) == 0 }

func swingReachedBefore(place, before, steps int) bool {
	return int(swingReached(steps)[place]) < before
}

// inTurn takes a child a round, that with the smallest subtree first, and then sends.
func inTurn(g *Group, round int, r *Round) {
	parent, kids := binomial(g.Ranks, 2, g.place(), r.kids[:0])
	r.kids = kids
	switch left := len(kids) - round; {
	case left > 0:
		r.Add(g.at(kids[left-1]), g.whole())
	case left == 0 && g.place() > 0:
		r.Send(g.at(parent), g.whole())
	}
}
