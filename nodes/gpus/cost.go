package gpus

import (
	"math"

	"overlapsim/sim"
)

// Cost is the time of an operation from its last arrival, part by part.
type Cost struct {
	Start    sim.Time // of the kernel, and of what is paid once
	Latency  sim.Time // steps
	Bubble   sim.Time // waiting of a channel for the end of a round
	Transfer sim.Time // bytes divided by bandwidth

	Algorithm *Algorithm
	Protocol  *Protocol
	Channels  int     // blocks that its kernel occupies
	Rings     int     // of links, without a switch; 0: there is a switch
	Egress    float64 // bytes that a GPU sends on links of its domain
	Network   float64 // bytes that a domain sends on all its NICs
	Memory    float64 // bytes that a GPU reads and writes in its memory
	Outside   string  // why messages give another time; "": they give the same
	Beyond    string  // what the numbers of the fit are of, if not of such groups on these GPUs; "": they are

	crosses *crossing // how the bytes go from domain to domain; nil: they do not
}

// Total is the time of the operation.
func (c Cost) Total() sim.Time { return sim.Later(c.Before(), sim.Later(c.Bubble, c.Transfer)) }

// Before is the time until bytes move. Moving is the time from then until the last byte has
// moved, and at least a picosecond.
func (c Cost) Before() sim.Time { return sim.Later(c.Start, c.Latency) }
func (c Cost) Moving() sim.Time { return max(1, sim.Later(c.Bubble, c.Transfer)) }

// mostDemand bounds what blocks ask for, so that sums of it fit into numbers.
const mostDemand = 1 << 50

// remote is the part of what a collective moves in the memory of a GPU that other GPUs, or the switch, move there: one of three times that
// it touches each byte. (An all-to-all has one of four, LL two of five.)
const remote = 1.0 / 3

// Demand is what each of some blocks moves in memory while bytes move, in bytes per second, and what other GPUs move there.
func (c Cost) Demand(blocks int32) (own, incoming int64) {
	all := min(mostDemand, c.Memory/c.Moving().Seconds())
	return int64(math.Round(all * (1 - remote) / float64(max(1, blocks)))), int64(math.Round(all * remote))
}
