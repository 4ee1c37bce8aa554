package collectives

// ReduceRabenseifner is a reduce-scatter in which distances double and parts are halved, as in
// AllreduceRabenseifner, and a gather up a binomial tree. If P is not a power of two, members are folded; the root stands for a pair.
var ReduceRabenseifner = &Algorithm{
	Of: Reduce, Name: "rabenseifner", How: "a reduce-scatter in which distances double and parts are halved, then a binomial gather",
	Source:   "Rabenseifner, ICCS 2004",
	Schedule: scatterGather(doubled, mirroredPart, doubledReached),
}

// ReduceSwingBandwidth is the same with Swing's partners.
var ReduceSwingBandwidth = &Algorithm{
	Of: Reduce, Name: "swing-bandwidth", How: "`rabenseifner` with Swing's partners", Source: "De Sensi et al., SC 2025",
	Schedule: scatterGather(swinging, ownPart, swingReachedBefore),
}

func init() { Register(ReduceRabenseifner, ReduceSwingBandwidth) }

// scatterGather numbers the members so that the root is at place 0.
func scatterGather(partner partners, part parts, reached reaches) Schedule {
	rounds := func(g *Group) int { f := foldOf(g.Ranks); return 2*f.steps + f.extra() }
	return Schedule{rounds, func(g *Group, round int, r *Round) {
		f := foldOf(g.Ranks)
		turned := *g
		shift := g.Root - f.extra() // the root becomes member 1 if it stands for a pair, else 0
		turned.Me, turned.Root = g.wrap(g.Me-shift), 0
		from := len(r.steps)
		reduceAtFirst(&turned, partner, part, reached, round, r)
		for i := from; i < len(r.steps); i++ {
			s := &r.steps[i]
			s.peer = r.first + r.stride*g.wrap((s.peer-r.first)/r.stride+shift)
		}
	}}
}

// reduceAtFirst is the reduction at place 0. In the gather a place sends all that it has to its
// partner of the step, and has nothing more to do. Of the two partners, the one that is not on
// the way to place 0 sends.
func reduceAtFirst(g *Group, partner partners, part parts, reached reaches, round int, r *Round) {
	b := overParts(g, partner, part)
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

func doubledReached(place, before, _ int) bool { return place < 1<<before }

func swingReachedBefore(place, before, steps int) bool {
	return int(swingReached(steps)[place]) < before
}
