package results

import "overlapsim/sim"

// Bound is a lower bound on the time of a program on a machine, regardless of the library that moves its
// messages and of the fabric that carries them. It is the longest of three times, each of which is a
// bound by itself (docs/explanation/time-breakdown.md#the-lower-bound).
type Bound struct {
	Work  sim.Time // of a processor that computes, posts, and copies inside its node
	Bytes sim.Time // of bytes through a NIC, in one direction
	Chain sim.Time // of work and messages that wait for each other, as if nothing else were there
}

// Time returns the bound: the longest of the three times.
func (b Bound) Time() sim.Time { return max(b.Work, b.Bytes, b.Chain) }

// Of says which of the three times is the longest.
func (b Bound) Of() string {
	switch b.Time() {
	case b.Work:
		return "work of a processor"
	case b.Bytes:
		return "bytes through a NIC"
	}
	return "a chain of work and messages"
}
