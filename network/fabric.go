package network

import "overlapsim/sim"

// Fabric carries messages from the NIC of one node to the memory behind the
// NIC of another.
type Fabric interface {
	// Latency is how long an empty message is on its way when nobody else is
	// there: from leaving the NIC of one node to the memory of the other.
	Latency(from, to int32) sim.Time
}

// Ideal is the fabric of LogGP: every message travels as if it were alone. A
// message leaves its NIC at the NIC's speed and arrives L after its last byte
// left.
type Ideal struct{ L sim.Time }

// Latency implements Fabric.
func (f Ideal) Latency(_, _ int32) sim.Time { return f.L }

// Contended is a fabric in which messages get into each other's way, so that
// only time tells when they arrive.
type Contended interface {
	Fabric
	// Start begins to send a message that the NIC of node from has ready now.
	// The fabric calls Sent when the last byte has left the NIC and then
	// Arrived when it is in the memory of node to, at their times.
	Start(id uint32, from, to int32, bytes int64)
}

// Paced is a contended fabric that knows how long bytes need to leave when
// nobody else is there: from Start to Sent.
type Paced interface {
	Alone(from, to int32, bytes int64) sim.Time
}

// Explained is a contended fabric that can say why bytes take as long as they do.
// A transfer takes the latency of the machine's network and that of its links, and
// its bytes leave at rates that follow from capacities.
type Explained interface {
	// Capacities returns what rates follow from. One of them may be the bandwidth
	// of the NIC.
	Capacities() []Quantity
	// LinkLatency returns the latency of a link.
	LinkLatency() Quantity
	// Watch lets hear know of rates from now on, as they change: in bytes per
	// picosecond, and with the derivatives by the logarithms of the capacities,
	// which are valid during the call.
	Watch(hear func(id uint32, rate float64, by []float64))
}

// Quantity is a parameter of a fabric.
type Quantity struct {
	Name  string  // key in machine files
	Value float64 // bytes per second, or seconds; NaN: several, which differ
}

// Sink hears from a contended fabric.
type Sink interface {
	Sent(id uint32, now sim.Time)
	Arrived(id uint32, now sim.Time)
}
