package collectives

// BroadcastSplitBinary sends one half of the vector down each of the two subtrees of the root. At
// the end each member of one subtree exchanges its half with a member of the other.
var BroadcastSplitBinary = &Algorithm{
	Of: Broadcast, Name: "split-binary", How: "a half down each subtree of the root; pairs then exchange their halves",
	Source:   "Pješivac-Grbović et al. 2007",
	Schedule: Schedule{func(g *Group) int { return splitRounds(g) + 1 }, splitBinary}, Uses: Uses{Segment: true},
}

func init() { Register(BroadcastSplitBinary) }

// splitTree is the complete binary tree whose left subtree has the odd places, and its right
// one the even ones.
func splitTree(ranks, place int, kids []int) (parent int, children []int) {
	if place == 0 {
		for child := 1; child <= 2 && child < ranks; child++ {
			kids = append(kids, child)
		}
		return 0, kids
	}
	side := 2 - place%2
	at := (place - side) / 2
	for child := 2*at + 1; child <= 2*at+2; child++ {
		if down := 2*child + side; down < ranks {
			kids = append(kids, down)
		}
	}
	if at == 0 {
		return 0, kids
	}
	return (at-1)/2*2 + side, kids
}

func splitRounds(g *Group) int { return max(g.segments(g.half(1)), g.segments(g.half(2))) + 1 }

// half is the half that goes down the side of a place.
func (g *Group) half(place int) Span { return g.whole().part(1-place%2, 2) }

func splitBinary(g *Group, round int, r *Round) {
	place := g.place()
	if round == splitRounds(g) {
		g.swapHalves(place, r)
		return
	}
	var parent int
	parent, r.kids = splitTree(g.Ranks, place, r.kids[:0])
	out := round
	if mine := g.half(place); place > 0 {
		out--
		if round < g.segments(mine) {
			r.Recv(g.at(parent), g.segment(mine, round))
		}
	}
	for _, child := range r.kids {
		if down := g.half(child); out >= 0 && out < g.segments(down) {
			r.Send(g.at(child), g.segment(down, out))
		}
	}
}

// swapHalves gives each member the half that it lacks: from its partner on the other side, or
// from the root if it has none.
func (g *Group) swapHalves(place int, r *Round) {
	last := g.Ranks - 1
	alone := last%2 == 1 // the last place has no partner
	switch {
	case place == 0 && alone:
		r.Send(g.at(last), g.half(2))
	case place == 0:
	case place == last && alone:
		r.Recv(g.at(0), g.half(2))
	default:
		peer := place + 1 - 2*((place+1)%2)
		r.Recv(g.at(peer), g.half(peer))
		r.Send(g.at(peer), g.half(place))
	}
}
