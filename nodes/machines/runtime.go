package machines

import (
	"overlapsim/network"
	"overlapsim/sim"
)

// Runtime is the communication library of a machine: who moves its messages forward, by which
// protocols, and what that costs the CPU. A machine without a Runtime has the library of LogGOPS:
// matching is free, and the target of a rendezvous reads in its calls.
type Runtime struct {
	Name        string
	Progress    Progression
	CopyLimit   int64        // larger eager messages are sent in place, so their requests complete when they have left; 0: none are
	Matching    sim.Time     // CPU time to match a message, or its request, with a receive
	Search      sim.Time     // extra CPU time for each posted receive that the search examines, which is half of them
	Unexpected  network.Cost // CPU time of a receive whose message came before it, by the bytes that came
	Handler     sim.Time     // CPU time of the handler of a signalling put
	Dispatch    sim.Time     // from a signal that finds no waiting handler until a thread runs all handlers there are by then
	Request     network.Cost // additional CPU time of a send with a request, by its bytes
	Rendezvous  Protocol
	Pipeline    Pipeline // of a pipelined rendezvous
	Strided     Strided
	Waiting     Waiting
	Wakeup      sim.Time // Block: from the event that a process waits for until it runs
	Bound       bool     // the threads of a process stay on its core; otherwise they spread over the cores of the node
	Partitioned Partitioning
	Offload     Combining
	// Collectives names how the library chooses algorithms of collectives; package
	// workloads/collectives has the tables.
	Collectives string
}

// Combining says how the switches of the network do whole collectives: hosts send their data up a tree of switches, each
// of which combines what comes from below, and the result goes down to all hosts. Bytes above a segment follow each
// other through the tree. Graham et al., SHArP, COMHPC 2016. The zero value is a network that combines nothing.
type Combining struct {
	FanIn      int      // hosts, or switches, below a switch of the tree; 0: the switches do not combine
	Level      sim.Time // that each level of the tree adds
	Segment    int64    // bytes that a switch combines at once; 0: all
	PerSegment sim.Time // that each segment adds after the first one
	Limit      int64    // bytes; longer vectors go by the algorithms of the library; 0: no limit
	Least      int      // hosts; groups of fewer go by the algorithms of the library
}

// Levels returns how many levels of switches are above some hosts.
func (c *Combining) Levels(hosts int) (n int64) {
	for below := 1; c.FanIn > 1 && (n == 0 || below < hosts); n++ {
		below *= c.FanIn
	}
	return n
}

// More returns how many segments of some bytes follow the first one.
func (c *Combining) More(bytes int64) int64 {
	if c.Segment < 1 || bytes < 1 {
		return 0
	}
	return (bytes - 1) / c.Segment
}

// Serves tells whether the switches do a collective of some hosts on some bytes.
func (c *Combining) Serves(hosts int, bytes int64) bool {
	return c.FanIn > 0 && hosts > 1 && hosts >= c.Least && (c.Limit == 0 || bytes <= c.Limit)
}

// Progression says who does the library's work for messages.
type Progression struct {
	By    Agent
	Every sim.Time // agents that test: computation time between two Tests
	Test  sim.Time // CPU time of a Test, the agent's or the program's
	Delay sim.Time // Thread: from when there is work until the thread begins it
	Cost  sim.Time // Interrupts, Thread: additional CPU time of each piece of work
	Ahead int64    // bytes that a read of a connection takes in beyond what it asks for, if they have come
	// OneRead says that a Test takes in one read of each connection instead of all that has come, and that
	// fragments of a message behind its first one are a separate read.
	OneRead bool
}

// Chains tells whether what a read takes in depends on what comes from the same rank.
func (p *Progression) Chains() bool { return p.Ahead > 0 || p.OneRead }

// Waiting is what a process does in a Wait while there is nothing to do.
type Waiting uint8

// The ways to wait.
const (
	Poll  Waiting = iota // look again and again
	Yield                // look, and leave the core to others if any want it
	Block                // sleep until there is something to do
)

// Partitioning is what a library sends of a partitioned message (MPI 4).
type Partitioning uint8

// The ways to send partitions.
const (
	EachPartition Partitioning = iota // a message for each, when it is ready
	WholeMessage                      // one message, when all are ready and the receiver has started
)

// Protocol is how the bytes of a rendezvous travel once it has matched.
type Protocol uint8

// The protocols.
const (
	Read      Protocol = iota // the target reads them from the sender's memory
	Write                     // the target replies, the sender writes them
	Pipelined                 // the target replies, the CPUs copy fragment after fragment
	Copy                      // the target's CPU copies them out of the sender's memory (CMA, XPMEM, KNEM)
)

// Pipeline describes messages that travel in fragments which CPUs copy.
type Pipeline struct {
	Chunk int64   // bytes of a fragment; 0: all bytes of the message
	First int64   // bytes that travel with the request, or all bytes of a shorter message
	Depth int     // fragments of a process that are copied and not completely sent; 0: no limit
	In    float64 // ps per byte: the sender's CPU, user memory into a fragment
	Out   float64 // ps per byte: the target's CPU, a fragment into user memory
	// Acknowledged says that the request of the sender is complete when the target tells it that all
	// bytes are in user memory, and not when the last fragment is copied.
	Acknowledged bool
}

// Strided describes messages whose bytes are not contiguous. Eager messages are packed and
// unpacked whole; others travel in fragments.
type Strided struct {
	Pack, Unpack float64 // ps per byte, eager
	Pipeline
}
