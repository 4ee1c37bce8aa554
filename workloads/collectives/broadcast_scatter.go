package collectives

// BroadcastScatterDoubling scatters the vector down a binomial tree and gathers the blocks by
// recursive doubling.
var BroadcastScatterDoubling = &Algorithm{
	Of: Broadcast, Name: "scatter-doubling", How: "a binomial scatter, then an all-gather by recursive doubling",
	Source: "Thakur, Rabenseifner, Gropp 2005, section 4.2", Schedule: sequence(scatterDown, gathering(halved)),
}

// BroadcastScatterRing scatters the vector down a binomial tree and gathers the blocks around
// a ring.
var BroadcastScatterRing = &Algorithm{
	Of: Broadcast, Name: "scatter-ring", How: "a binomial scatter, then an all-gather around a ring",
	Source: "Thakur, Rabenseifner, Gropp 2005, section 4.2", Schedule: sequence(scatterDown, gatherAround),
}

// BroadcastScatterSwing does both with Swing's partners.
var BroadcastScatterSwing = &Algorithm{
	Of: Broadcast, Name: "swing-bandwidth", How: "a binomial scatter, then an all-gather with Swing's partners",
	Source: "De Sensi et al., SC 2025", Schedule: sequence(scatterDown, gathering(swingingBack)),
}

func init() { Register(BroadcastScatterDoubling, BroadcastScatterRing, BroadcastScatterSwing) }
