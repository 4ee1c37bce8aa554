package nodes

import (
	"overlapsim/network"
	"overlapsim/sim"
)

// Runtime is the communication library of a machine: who moves its messages
// forward, by which protocols, and what that costs the CPU. A machine without
// one has the library of LogGOPS: matching is free, and the target of a
// rendezvous reads in its calls.
type Runtime struct {
	Name       string
	Progress   Progression
	CopyLimit  int64        // larger eager messages are sent in place: their requests complete when they have left; 0: none is
	Matching   sim.Time     // CPU time to match a message, or the request of one, with a receive
	Unexpected network.Cost // CPU time more for a message that came before its receive
	Handler    sim.Time     // CPU time of the handler of a signalling put
	Rendezvous Protocol
	Pipeline   Pipeline // of a pipelined rendezvous
	Strided    Strided
}

// Progression says who does the work of the library that a message asks for.
type Progression struct {
	By    Agent
	Every sim.Time // Testing: computation between two Tests
	Test  sim.Time // Testing: CPU time of a Test
	Delay sim.Time // Thread: from something to do until the thread begins
	Cost  sim.Time // Interrupts, Thread: CPU time of each piece of work besides its own
}

// Agent does the work of the library.
type Agent uint8

// The agents.
const (
	InCalls    Agent = iota // the process itself, in its calls only
	Testing                 // and in a Test every so often while it computes
	Interrupts              // the process itself, interrupted while it computes
	Thread                  // a helper thread beside it
	Offload                 // the NIC; no CPU time
)

// Protocol is how the bytes of a rendezvous travel once it has matched.
type Protocol uint8

// The protocols.
const (
	Read      Protocol = iota // the target reads them from the sender's memory
	Write                     // the target replies, the sender writes them
	Pipelined                 // the target replies, the CPUs copy fragment after fragment
)

// Pipeline describes messages that travel in fragments which CPUs copy.
type Pipeline struct {
	Chunk int64   // bytes of a fragment
	First int64   // bytes that travel with the request
	Depth int     // fragments copied and not completely sent; 0: no limit
	In    float64 // ps per byte: the sender's CPU, user memory into a fragment
	Out   float64 // ps per byte: the target's CPU, a fragment into user memory
}

// Strided describes messages whose bytes do not lie together: eager ones are
// packed and unpacked whole, others travel in fragments.
type Strided struct {
	Pack, Unpack float64 // ps per byte, eager
	Pipeline
}
