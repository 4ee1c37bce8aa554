package collectives

// AllgatherDoubling is an all-gather by recursive doubling: in round k, an exchange of all
// blocks that a member has with the member whose number differs in bit k. If P is not a
// power of two, members are folded.
var AllgatherDoubling = New(Allgather, "doubling", "Thakur, Rabenseifner, Gropp 2005, section 4.1", roundsOf(1), gathering(halved))

// AllgatherSwing is the same with Swing's partners, largest distance last.
var AllgatherSwing = New(Allgather, "swing-bandwidth", "De Sensi et al., NSDI 2024, section 3.2", roundsOf(1), gathering(swingingBack))

// AllgatherSwingByBlock sends each block in a message of its own, from where it is.
var AllgatherSwingByBlock = New(Allgather, "swing-by-block", "De Sensi et al., SC 2025", roundsOf(1), byBlock(gathering(swingingBack)))

// AllgatherSwingPermuted is AllgatherSwing with blocks placed so that each message is one piece
// of memory. At the end they are copied to their own places.
var AllgatherSwingPermuted = &Algorithm{Of: Allgather, Name: "swing-permuted", Source: "De Sensi et al., SC 2025",
	schedule: sequence(AllgatherSwing.schedule, schedule{Rounds: func(*Group) int { return 1 }, Round: inPlace})}

func init() {
	for _, a := range []*Algorithm{AllgatherDoubling, AllgatherSwing, AllgatherSwingByBlock, AllgatherSwingPermuted} {
		Register(a)
	}
}

// inPlace is a copy of all blocks. The spans of messages name the blocks' own places throughout.
func inPlace(g *Group, _ int, r *Round) { r.Copy(g.whole(), g.whole()) }

// gathering is the second half of Rabenseifner's algorithm, over the blocks of members.
func gathering(partner partners) func(g *Group, round int, r *Round) {
	return func(g *Group, round int, r *Round) {
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
	}
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
