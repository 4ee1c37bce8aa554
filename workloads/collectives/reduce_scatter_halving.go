package collectives

// ReduceScatterHalving is a reduce-scatter by recursive halving: distances and sizes are
// halved from round to round. If P is not a power of two, members are folded.
var ReduceScatterHalving = New(ReduceScatter, "halving", "Thakur, Rabenseifner, Gropp 2005, section 4.4", roundsOf(1), scattering(halved))

// ReduceScatterSwing has distances that grow while sizes are halved, so that the largest
// messages go to near members: Swing's partners.
var ReduceScatterSwing = New(ReduceScatter, "swing-bandwidth", "De Sensi et al., NSDI 2024, section 3.2", roundsOf(1), scattering(swinging))

// ReduceScatterSwingByBlock sends each block in a message of its own, from where it is.
var ReduceScatterSwingByBlock = New(ReduceScatter, "swing-by-block", "De Sensi et al., SC 2025", roundsOf(1), byBlock(scattering(swinging)))

// ReduceScatterSwingPermuted is ReduceScatterSwing with blocks that are first copied to where
// each message is one piece of memory.
var ReduceScatterSwingPermuted = &Algorithm{Of: ReduceScatter, Name: "swing-permuted", Source: "De Sensi et al., SC 2025",
	schedule: sequence(schedule{Rounds: func(*Group) int { return 1 }, Round: inPlace}, ReduceScatterSwing.schedule)}

func init() {
	for _, a := range []*Algorithm{ReduceScatterHalving, ReduceScatterSwing, ReduceScatterSwingByBlock, ReduceScatterSwingPermuted} {
		Register(a)
	}
}

// scattering is the first half of Rabenseifner's algorithm, over the blocks of members.
func scattering(partner partners) func(g *Group, round int, r *Round) {
	return func(g *Group, round int, r *Round) {
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
	}
}
