package collectives

import "math/bits"

// In a butterfly whose largest messages go to near places, what a place sends in a step is
// spread over the vector. It is one piece of memory if places are responsible for the blocks
// of others: place p for block perm(p), which is its number when all places are put in the
// order in which the steps keep them together. In the end, or before the first step of an
// all-gather, the blocks change to where they belong, in one more message.

// renumbering is such an order of 2^steps places.
type renumbering struct{ perm, inverse func(place, steps int) int }

// mirrored is the order of distances that double: the bits of the number in reverse (J. L. Träff
// 2005; Open MPI, coll_base_reduce_scatter.c: intra_butterfly, mirror permutation).
var mirrored = renumbering{mirror, mirror}

func mirror(place, steps int) int {
	if steps == 0 {
		return place
	}
	return int(bits.Reverse64(uint64(place)) >> (64 - steps))
}

// swung is a schedule of Swing. A place is where the steps of a set, done in order from place 0, lead.
// The number of an odd place in base -2, or of an even one with the sign changed, has digits
// that change just at these steps (derived from rho(s), which is s+1 ones in base -2).
var swung = renumbering{
	perm: func(place, steps int) int {
		x := place
		if place%2 == 0 {
			x = -place
		}
		digits := negabinary(x) & (1<<steps - 1)
		return mirror(int(digits^digits>>1), steps)
	},
	inverse: func(number, steps int) int {
		changes, digits := uint64(mirror(number, steps)), uint64(0)
		for ; changes > 0; changes >>= 1 {
			digits ^= changes
		}
		x := fromNegabinary(digits)
		if x%2 == 0 {
			x = -x
		}
		return int(x) & (1<<steps - 1)
	},
}

const odd = 0xAAAAAAAAAAAAAAAA // the bits of negative weight in base -2

func negabinary(x int) uint64            { return (uint64(x) + odd) ^ odd }
func fromNegabinary(digits uint64) int64 { return int64((digits ^ odd) - odd) }

// renumbered is a butterfly over the blocks of members in which place p is responsible for the
// blocks of the members at place perm(p).
func renumbered(g *Group, partner partners, by renumbering) butterfly {
	b := overMembers(g, partner)
	own, steps := b.block, b.steps
	b.block = func(place int) Span { return own(by.perm(place, steps)) }
	return b
}

// change sends a span to a member and receives another one from a member, unless it is the same one.
func (g *Group) change(r *Round, to int, out Span, from int, in Span) {
	if from != g.Me {
		r.Recv(from, in)
	}
	if to != g.Me {
		r.Send(to, out)
	}
}

// oneMore is the rounds of a butterfly and one.
func oneMore(g *Group) int { return log(g.Ranks) + min(1, log(g.Ranks)) }

// AllgatherSwingRemapped is AllgatherSwing where each message is one piece of memory, because
// members first give their blocks to those that are responsible for them.
var AllgatherSwingRemapped = &Algorithm{
	Of: Allgather, Name: "swing-remapped", How: "`swing-bandwidth` after each gave its block to the rank that sends it on in one piece",
	Source: "De Sensi et al., SC 2025; libbine_allgather.c of pico, send_remap", Needs: powerOfTwo,
	Schedule: Schedule{oneMore, func(g *Group, round int, r *Round) {
		b := renumbered(g, swinging, swung)
		if round > 0 {
			b.gather(g.Me, round-1, r)
			return
		}
		from := swung.perm(g.Me, b.steps)
		g.change(r, swung.inverse(g.Me, b.steps), g.block(g.Me), from, g.block(from))
	}},
}

// ReduceScatterSwingRemapped is ReduceScatterSwing where each message is one piece of memory;
// in the end, members send the blocks to those whose they are.
var ReduceScatterSwingRemapped = &Algorithm{
	Of: ReduceScatter, Name: "swing-remapped", How: "`swing-bandwidth` in messages of one piece; blocks change to their ranks in the end",
	Source: "De Sensi et al., SC 2025; libbine_reduce_scatter.c of pico, send_remap", Needs: powerOfTwo,
	Schedule: onCopy(Schedule{oneMore, func(g *Group, round int, r *Round) {
		b := renumbered(g, swinging, swung)
		if round < b.steps {
			b.scatter(g.Me, round, r)
			return
		}
		to := swung.perm(g.Me, b.steps)
		g.change(r, to, g.block(to), swung.inverse(g.Me, b.steps), g.block(g.Me))
	}}),
}

// ReduceScatterButterfly has distances that double while sizes are halved, so that the
// largest messages go to near members; in the end, members send the blocks to those whose
// they are.
var ReduceScatterButterfly = &Algorithm{
	Of: ReduceScatter, Name: "butterfly", How: "distances double while sizes are halved; blocks change to their ranks in the end",
	Source: "J. L. Träff, An improved algorithm for (non-commutative) reduce-scatter, EuroPVM/MPI 2005; " +
		"Open MPI, coll_base_reduce_scatter.c: butterfly",
	Schedule: onCopy(Schedule{func(g *Group) int { f := foldOf(g.Ranks); return f.extra() + f.steps + min(1, f.steps) }, butterflyScatter}),
}

func init() { Register(AllgatherSwingRemapped, ReduceScatterSwingRemapped, ReduceScatterButterfly) }

func butterflyScatter(g *Group, round int, r *Round) {
	b := renumbered(g, doubled, mirrored)
	place, left := b.place(g.Me)
	switch step := round - b.extra(); {
	case step < 0:
		b.foldIn(g, g.whole(), r)
	case step == b.steps:
		b.home(g, place, left, r)
	case left:
		b.scatter(place, step, r)
	}
}

// home sends the blocks that the caller is responsible for to the members whose they are, and
// receives its own.
func (b *butterfly) home(g *Group, place int, left bool, r *Round) {
	other := mirror(place, b.steps)
	peer := b.member(other)
	if !left {
		r.Recv(peer, g.block(g.Me))
		return
	}
	g.change(r, peer, g.block(peer), peer, g.block(g.Me))
	if other < b.pairs {
		r.Send(peer-1, g.block(peer-1))
	}
}
