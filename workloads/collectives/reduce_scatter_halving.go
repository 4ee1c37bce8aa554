package collectives

// ReduceScatterHalving is a reduce-scatter by recursive halving: distances and sizes are
// halved from round to round. If P is not a power of two, members are folded.
var ReduceScatterHalving = &Algorithm{
	Of: ReduceScatter, Name: "halving", How: "recursive halving: distances and sizes are halved in each round",
	Source:   "Thakur, Rabenseifner, Gropp 2005, section 4.4",
	Schedule: onCopy(scattering(halved)), Alike: blocksIn(powerOfTwo), Symmetry: blockCube,
}

// ReduceScatterSwing has distances that grow while sizes are halved, so that the largest
// messages go to near members: Swing's partners.
var ReduceScatterSwing = &Algorithm{
	Of: ReduceScatter, Name: "swing-bandwidth", How: "recursive halving with Swing's partners, the largest messages to near ranks",
	Source: "De Sensi et al., NSDI 2024, section 3.2", Schedule: onCopy(scattering(swinging)), Alike: blocksIn(powerOfTwo),
}

// ReduceScatterSwingByBlock sends each block in its own message, from where it is.
var ReduceScatterSwingByBlock = &Algorithm{
	Of: ReduceScatter, Name: "swing-by-block", How: "`swing-bandwidth` with a message for each block",
	Source: "De Sensi et al., SC 2025", Schedule: onCopy(byBlock(scattering(swinging))), Alike: blocksIn(powerOfTwo),
}

// ReduceScatterSwingPermuted is ReduceScatterSwing with blocks that are first copied to where
// each message is one piece of memory.
var ReduceScatterSwingPermuted = &Algorithm{
	Of: ReduceScatter, Name: "swing-permuted", How: "`swing-bandwidth` on a copy that has the blocks in the order of the messages",
	Source: "De Sensi et al., SC 2025", Schedule: sequence(Schedule{one, inPlace}, scattering(swinging)), Alike: blocksIn(powerOfTwo),
}

func init() {
	Register(ReduceScatterHalving, ReduceScatterSwing, ReduceScatterSwingByBlock, ReduceScatterSwingPermuted)
}

// scattering is the first half of Rabenseifner's algorithm, over the blocks of members.
func scattering(partner partners) Schedule {
	return Schedule{roundsOf(1), func(g *Group, round int, r *Round) {
		b := overMembers(g, partner)
		place, left := b.place(g.Me)
		switch step := round - b.extra(); {
		case step < 0:
			b.foldIn(g, g.whole(), r)
		case step == b.steps:
			b.foldOut(g, r, g.block(g.Me/2*2))
		case left:
			b.scatter(place, step, r)
		}
	}}
}
