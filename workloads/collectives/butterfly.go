package collectives

import "math/bits"

// A butterfly is an exchange in log2 P steps among places, whose number is a power of two. In
// each step a place exchanges with one partner. The blocks for which a place is responsible are
// everything before the first step, and only its own block after the last one.

// fold describes how the members are reduced to places, whose number is a power of two. In the
// first pairs, the odd member represents both. R. Thakur, R. Rabenseifner, W. Gropp, Optimization
// of Collective Communication Operations in MPICH, Int. J. High Performance Computing
// Applications 19(1), 2005, section 4.5.
type fold struct{ steps, pairs int }

func foldOf(ranks int) fold {
	steps := bits.Len(uint(ranks)) - 1
	return fold{steps, ranks - 1<<steps}
}

// extra is the number of rounds for folding before the steps, and again after them.
func (f fold) extra() int { return min(f.pairs, 1) }

// rounds is the number of rounds of some passes over the steps, and of a fold before and
// after them.
func (f fold) rounds(passes int) int { return passes*f.steps + 2*f.extra() }

// place is the number of a member among those that are left. left is false if the member is not
// one of them.
func (f fold) place(member int) (place int, left bool) {
	if member < 2*f.pairs {
		return member / 2, member%2 == 1
	}
	return member - f.pairs, true
}

// member is the member at a place.
func (f fold) member(place int) int {
	if place < f.pairs {
		return 2*place + 1
	}
	return place + f.pairs
}

// first is the first member that a place represents.
func (f fold) first(place int) int { return place + min(place, f.pairs) }

// paired tells whether a member is one of a folded pair.
func (f fold) paired(member int) bool { return member < 2*f.pairs }

// partners is the rule by which a place finds its partner in a step.
type partners func(place, step, steps int) int

// In doubled the distance doubles from step to step. In halved it is halved.
func doubled(place, step, _ int) int    { return place ^ 1<<step }
func halved(place, step, steps int) int { return place ^ 1<<(steps-1-step) }

// swinging is the rule of Swing: in step s even places go rho(s) ahead, odd ones back, with
// rho(s) = (1 - (-2)^(s+1)) / 3. D. De Sensi et al., Swing: Short-cutting Rings for Higher
// Bandwidth Allreduce, NSDI 2024, section 3.1. The binomial negabinary (Bine) exchanges of
// the same authors (SC 2025) have the same partners.
func swinging(place, step, steps int) int {
	rho := (1 - power(-2, step+1)) / 3
	if place%2 != 0 {
		rho = -rho
	}
	return (place + rho) & (1<<steps - 1)
}

// swingingBack is Swing with the largest distance first.
func swingingBack(place, step, steps int) int { return swinging(place, steps-1-step, steps) }

func power(base, n int) int {
	p := 1
	for range n {
		p *= base
	}
	return p
}

// butterfly is an exchange of blocks among places.
type butterfly struct {
	partner partners
	fold
	// block are the bytes of a place.
	block func(place int) Span
	even  int64 // bytes of a block if all blocks are equal; otherwise -1
	// together are the bytes for which a place is responsible before a step, which lie one after the other; nil: they need not.
	together func(place, step int) int64
}

// rest is what a place is responsible for before a step.
func (b *butterfly) rest(place, step int, r *Round) set {
	s := set{bytes: b.bytes(place, step)}
	if r.looks() {
		of := *b // so that a butterfly need not outlive its round
		s.spans = func(yield func(Span) bool) { of.each(place, step, yield) }
	}
	return s
}

func (b *butterfly) bytes(place, step int) int64 {
	if b.even >= 0 {
		return b.even << (b.steps - step)
	}
	if b.together != nil {
		return b.together(place, step)
	}
	sum := int64(0)
	b.each(place, step, func(s Span) bool { sum += s.Bytes; return true })
	return sum
}

func (b *butterfly) each(place, step int, yield func(Span) bool) bool {
	if step == b.steps {
		return yield(b.block(place))
	}
	return b.each(place, step+1, yield) && b.each(b.partner(place, step, b.steps), step+1, yield)
}

// scatter is a step of a reduce-scatter. A place sends the part for which the partner will be
// responsible. It combines what it receives with its own part.
func (b *butterfly) scatter(place, step int, r *Round) {
	peer := b.partner(place, step, b.steps)
	r.addSet(b.member(peer), b.rest(place, step+1, r))
	r.sendSet(b.member(peer), b.rest(peer, step+1, r))
}

// gather is a step of an all-gather, the same backwards.
func (b *butterfly) gather(place, step int, r *Round) {
	step = b.steps - 1 - step
	peer := b.partner(place, step, b.steps)
	r.recvSet(b.member(peer), b.rest(peer, step+1, r))
	r.sendSet(b.member(peer), b.rest(place, step+1, r))
}

// overMembers is a butterfly of the blocks of members. A place has the blocks of all members that
// it represents.
func overMembers(g *Group, partner partners) butterfly {
	f := foldOf(g.Ranks)
	b := butterfly{partner: partner, fold: f, even: -1,
		block: func(place int) Span { return g.blocks(f.first(place), f.first(place+1)) }}
	if f.pairs == 0 && g.Sizes == nil && g.Bytes%int64(g.Ranks) == 0 {
		b.even = g.Bytes / int64(g.Ranks)
	}
	return b
}

// parts is the number of the part of a vector that a place is responsible for in the end.
type parts struct {
	of       func(place, steps int) int
	together bool // those of a place before each step lie one after the other
}

var ownPart = parts{of: func(place, _ int) int { return place }}

// mirroredPart belongs to distances that double.
var mirroredPart = parts{mirror, true}

// overParts is a butterfly of equal parts of the vector, one for each place.
func overParts(g *Group, partner partners, part parts) butterfly {
	f, whole := foldOf(g.Ranks), g.whole()
	all := 1 << f.steps
	b := butterfly{partner: partner, fold: f, even: -1, block: func(place int) Span { return whole.part(part.of(place, f.steps), all) }}
	if g.Bytes%int64(all) == 0 {
		b.even = g.Bytes >> f.steps
	} else if part.together {
		b.together = func(place, step int) int64 {
			n := all >> step
			first := part.of(place, f.steps) &^ (n - 1)
			last := whole.part(first+n-1, all)
			return last.From + last.Bytes - whole.part(first, all).From
		}
	}
	return b
}

// foldIn makes the member that represents a pair combine the vectors of both.
func (f fold) foldIn(g *Group, s Span, r *Round) {
	switch {
	case !f.paired(g.Me):
	case g.Me%2 == 0:
		r.Send(g.Me+1, s)
	default:
		r.Add(g.Me-1, s)
	}
}

// foldOut makes the member that represents a pair send to the other one.
func (f fold) foldOut(g *Group, r *Round, spans ...Span) {
	switch {
	case !f.paired(g.Me):
	case g.Me%2 == 1:
		r.Send(g.Me-1, spans...)
	default:
		r.Recv(g.Me+1, spans...)
	}
}
