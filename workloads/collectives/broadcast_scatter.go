package collectives

// BroadcastScatterDoubling scatters the vector down a binomial tree and gathers the blocks by
// recursive doubling.
var BroadcastScatterDoubling = &Algorithm{Of: Broadcast, Name: "scatter-doubling", Source: "Thakur, Rabenseifner, Gropp 2005, section 4.2",
	schedule: sequence(scatterDown, AllgatherDoubling.schedule)}

// BroadcastScatterRing scatters the vector down a binomial tree and gathers the blocks around
// a ring.
var BroadcastScatterRing = &Algorithm{Of: Broadcast, Name: "scatter-ring", Source: "Thakur, Rabenseifner, Gropp 2005, section 4.2",
	schedule: sequence(scatterDown, AllgatherRing.schedule)}

// BroadcastScatterSwing does both with Swing's partners.
var BroadcastScatterSwing = &Algorithm{Of: Broadcast, Name: "swing-bandwidth", Source: "De Sensi et al., SC 2025",
	schedule: sequence(scatterDown, AllgatherSwing.schedule)}

func init() {
	Register(BroadcastScatterDoubling)
	Register(BroadcastScatterRing)
	Register(BroadcastScatterSwing)
}
