package collectives

// AllgatherDoubling is an all-gather by recursive doubling: in round k, an exchange of all
// blocks that a member has with the member whose number differs in bit k. If P is not a
// power of two, members are folded.
var AllgatherDoubling = &Algorithm{
	Of: Allgather, Name: "doubling", How: "recursive doubling: pairs exchange all that they have",
	Source:   "Thakur, Rabenseifner, Gropp 2005, section 4.1",
	Schedule: gathering(halved), Alike: blocksIn(powerOfTwo), Symmetry: blockCube,
}

// AllgatherSwing is the same with Swing's partners, largest distance last.
var AllgatherSwing = &Algorithm{
	Of: Allgather, Name: "swing-bandwidth", How: "recursive doubling with Swing's partners, the farthest last",
	Source:   "De Sensi et al., NSDI 2024, section 3.2",
	Schedule: gathering(swingingBack), Alike: blocksIn(powerOfTwo),
}

// AllgatherSwingByBlock sends each block in its own message, from where it is.
var AllgatherSwingByBlock = &Algorithm{
	Of: Allgather, Name: "swing-by-block", How: "`swing-bandwidth` with a message for each block", Source: "De Sensi et al., SC 2025",
	Schedule: byBlock(gathering(swingingBack)), Alike: blocksIn(powerOfTwo),
}

// AllgatherSwingPermuted is AllgatherSwing with blocks placed so that each message is one piece
// of memory. At the end they are copied to their own places.
var AllgatherSwingPermuted = &Algorithm{
	Of: Allgather, Name: "swing-permuted",
	How:    "`swing-bandwidth` with blocks in the order of the messages, copied to their places in the end",
	Source: "De Sensi et al., SC 2025", Schedule: sequence(gathering(swingingBack), Schedule{one, inPlace}), Alike: blocksIn(powerOfTwo),
}

func init() {
	Register(AllgatherDoubling, AllgatherSwing, AllgatherSwingByBlock, AllgatherSwingPermuted)
}

// inPlace is a copy of all blocks. The spans of messages name the blocks' own places throughout.
func inPlace(g *Group, _ int, r *Round) { r.Copy(g.whole(), g.whole()) }

// gathering is the second half of Rabenseifner's algorithm, over the blocks of members.
func gathering(partner partners) Schedule {
	return Schedule{roundsOf(1), func(g *Group, round int, r *Round) {
		b := overMembers(g, partner)
		place, left := b.place(g.Me)
		switch step := round - b.extra(); {
		case step < 0:
			b.foldBlock(g, r)
		case step == b.steps:
			first := g.Me / 2 * 2
			b.foldOut(g, r, g.blocks(0, first), g.blocks(first+1, g.Ranks))
		case left:
			b.gather(place, step, r)
		}
	}}
}

// foldBlock gives the member that represents a pair the block of the other one.
func (f fold) foldBlock(g *Group, r *Round) {
	switch {
	case !f.paired(g.Me):
	case g.Me%2 == 0:
		r.Send(g.Me+1, g.block(g.Me))
	default:
		r.Recv(g.Me-1, g.block(g.Me-1))
	}
}
