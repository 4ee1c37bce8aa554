package results

import "overlapsim/sim"

// Bound is a lower bound on the time of a program on a machine, regardless of the library that moves its
// messages and of the fabric that carries them. It is the longest of four times, each of which is a
// bound by itself (docs/explanation/time-breakdown.md#the-lower-bound).
type Bound struct {
	Work     sim.Time // of a processor that computes, posts, and copies inside its node
	Messages sim.Time // of messages through a NIC: the gap g of each post, or the startup of each that leaves
	Bytes    sim.Time // of bytes through a NIC, in one direction, with the startups of their messages
	Chain    sim.Time // of work and messages that wait for each other, as if nothing else were there
}

// Time returns the bound: the longest of its times.
func (b Bound) Time() sim.Time { return max(b.Work, b.Messages, b.Bytes, b.Chain) }

// Of says which of the times is the longest. Where most of the time of bytes is startup, it is the number of messages.
func (b Bound) Of() string {
	switch longest := b.Time(); {
	case longest == b.Work:
		return "work of a processor"
	case longest == b.Bytes && b.Messages <= b.Bytes/2:
		return "bytes through a NIC"
	case longest == b.Bytes || longest == b.Messages:
		return "messages through a NIC"
	}
	return "a chain of work and messages"
}
