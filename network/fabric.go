package network

import "overlapsim/sim"

// Fabric carries messages from the NIC of one node to the memory behind the
// NIC of another.
type Fabric interface {
	// Arrival returns when the last byte of a message is in the target's
	// memory, given when its first and last byte leave the sender's NIC.
	Arrival(from, to int32, bytes int64, start, sent sim.Time) sim.Time
}

// Ideal is the fabric of LogGP: every message travels as if it were alone.
type Ideal struct{ Latency sim.Time }

// Arrival is L after the last byte left.
func (f Ideal) Arrival(_, _ int32, _ int64, _, sent sim.Time) sim.Time { return sent + f.Latency }
