package collectives

// The switches of the network combine what the hosts give them, and send the result to all, without the hosts' processors.
// One rank of each node takes part. A vector that only the root has is combined with nothing of the others.
var (
	AllreduceOffload = &Algorithm{
		Of: Allreduce, Name: offload, How: "a reduction within each node, switches combine between the first ranks, a broadcast within each node",
		Source: "R. Graham et al., Scalable Hierarchical Aggregation Protocol, COMHPC 2016", Needs: switches, Uses: Uses{Levels: true},
		Schedule: acrossNodes(bySwitches),
	}
	BroadcastOffload = &Algorithm{
		Of: Broadcast, Name: offload, How: "switches send it to the first ranks of the nodes, a binomial broadcast within each node",
		Source: "as the all-reduce `offload`, to which only the root gives data", Needs: switches, Uses: Uses{Levels: true},
		Schedule: sequence(toLeader, between(bySwitches), inNodes(0, down(tree(binomial).down(2)))),
	}
	BarrierOffload = &Algorithm{
		Of: Barrier, Name: offload, How: "up a tree in each node, switches combine between the first ranks, down the trees",
		Source: "as the all-reduce `offload`", Needs: switches, Uses: Uses{Levels: true},
		Schedule: sequence(inNodes(0, half(upAndDown(binomial), 0)), between(Schedule{bySwitches.Rounds, meetInSwitches}),
			inNodes(0, half(upAndDown(binomial), 2))),
	}
)

func init() { Register(AllreduceOffload, BroadcastOffload, BarrierOffload) }

// offload is the name of the algorithms.
const offload = "offload"

// switches is a Needs: the switches of the machine combine.
func switches(g *Group) string {
	if g.Offload == nil || g.Offload.FanIn < 1 {
		return "needs switches that combine (machine.runtime.offload)"
	}
	return ""
}

// offloaded returns the algorithm of an operation by the switches, if they serve the group; nil: they do not.
func (g *Group) offloaded(of *Operation) *Algorithm {
	a, known := of.Lookup(offload)
	if !known || switches(g) != "" || !g.Offload.Serves((g.Ranks+g.level()-1)/g.level(), g.Bytes) {
		return nil
	}
	return a
}

// bySwitches gives the vector to the switches.
var bySwitches = Schedule{
	Rounds: func(g *Group) int { return min(1, g.Ranks-1) },
	Round:  func(g *Group, _ int, r *Round) { r.combined(g, g.whole()) },
}

// meetInSwitches gives nothing to them.
func meetInSwitches(g *Group, _ int, r *Round) {
	r.combined(g)
	s := &r.steps[len(r.steps)-1]
	s.bare, s.bytes = true, g.Bytes
}

// combined gives spans to the switches, and gets what they combine.
func (r *Round) combined(g *Group, spans ...Span) {
	r.message(step{doing: combines, peer: g.wrap(g.Me + 1), first: r.first, members: g.Ranks}, spans)
}
