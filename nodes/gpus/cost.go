package gpus

import "overlapsim/sim"

// Cost is the time of an operation from its last arrival, part by part.
type Cost struct {
	Start    sim.Time // of the kernel, and what is paid once
	Latency  sim.Time // steps
	Bubble   sim.Time // a channel waits for the end of a round
	Transfer sim.Time // bytes by bandwidth

	Algorithm *Algorithm
	Protocol  *Protocol
	Channels  int     // blocks that its kernel holds
	Rings     int     // of links, without a switch; 0: there is a switch
	Egress    float64 // bytes that a GPU puts on links of its domain
	Network   float64 // bytes that a domain puts on its NICs together
	Outside   string  // why messages give another time; "": they agree
}

// Total is the time of the operation.
func (c Cost) Total() sim.Time { return sim.Later(c.Before(), sim.Later(c.Bubble, c.Transfer)) }

// Before is the time until bytes move, Moving that until the last one has; it is at least a moment.
func (c Cost) Before() sim.Time { return sim.Later(c.Start, c.Latency) }
func (c Cost) Moving() sim.Time { return max(1, sim.Later(c.Bubble, c.Transfer)) }
