package collectives

// In many algorithms all members do the same at the same time. In every round each sends the same
// amount to one member, and receives the same amount from one. If all pairs of nodes are equal
// too, a few members represent all.

// standIns is how many members suffice: a member's target and its source are two other members,
// or one.
const standIns = 4

// wholeOf is for algorithms that send the whole vector, and blocksIn for those that send blocks.
// With either, all numbers of members that the rule allows do the same.
func wholeOf(rule func(g *Group) string) func(g *Group) int  { return partsIf(rule, 0) }
func blocksIn(rule func(g *Group) string) func(g *Group) int { return partsIf(rule, 1) }

func partsIf(rule func(g *Group) string, blocks int) func(g *Group) int {
	return func(g *Group) int {
		if rule != nil && rule(g) != "" {
			return 0
		}
		return max(1, blocks*g.Ranks)
	}
}

// oneEach excludes a Radix above 2, with which a round has several messages.
func oneEach(g *Group) string {
	if g.radix(2) != 2 {
		return "needs radix 2"
	}
	return ""
}

// Condensed returns an algorithm of four members that takes as long as this one. That is possible
// if all members do the same and all pairs of nodes are equal. Bytes are rounded up to equal
// blocks. If members differ, it returns the algorithm itself and false.
func (a *Algorithm) Condensed(g Group) (*Algorithm, Group, bool) {
	if a.Alike == nil || g.Ranks <= standIns || g.Sizes != nil || g.Between != nil || a.Alike(&g) == 0 {
		return a, g, false
	}
	parts := int64(a.Alike(&g))
	g.Bytes = (g.Bytes + parts - 1) / parts * parts
	one, few := *a, g
	few.Ranks = standIns
	one.Symmetry = Symmetry{} // of all members
	one.Allocates = func(*Group) int64 { return a.temporary(&g) }
	one.Schedule = Schedule{
		Rounds: func(*Group) int { return a.Rounds(&g) },
		Round: func(me *Group, round int, r *Round) {
			a.Round(&g, round, r)
			r.condense(me.Me)
		},
	}
	return &one, few, true
}

// condense gives the messages of member 0 to a stand-in. It exchanges with its neighbour, or
// sends to the next stand-in and receives from the previous one.
func (r *Round) condense(me int) {
	in, out := -1, -1
	for i := range r.steps {
		switch s := &r.steps[i]; s.doing {
		case sends:
			out = s.peer
		case receives:
			in = s.peer
		}
	}
	next, last := me^1, me^1
	if in != out {
		next, last = (me+1)%standIns, (me+standIns-1)%standIns
	}
	for i := range r.steps {
		switch s := &r.steps[i]; s.doing {
		case sends:
			s.peer = next
		case receives:
			s.peer = last
		}
	}
}
