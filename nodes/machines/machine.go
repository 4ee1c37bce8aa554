package machines

import (
	"fmt"
	"math/bits"

	"overlapsim/network"
	"overlapsim/nodes/cores"
	"overlapsim/nodes/gpus"
	"overlapsim/sim"
)

// Machine is everything that a run needs to know about a cluster, in plain numbers. The
// machine's file (package scenarios) says where they come from.
type Machine struct {
	Name      string  // library name or file
	Title     string  // what people call it
	Nodes     int     // how many nodes there are; 0: as many as asked for
	Cores     int     // cores of a node
	Processes int     // processes on a node unless the scenario says otherwise
	Peak      float64 // flop/s of one process

	Network   network.LogGOPS
	Copying   *Copying   // nil: the NIC moves the bytes by itself (RDMA)
	IntraNode *IntraNode // nil: messages inside a node use the NIC
	Sockets   *Sockets   // nil: one
	NICs      *NICs      // nil: one
	Runtime   *Runtime   // nil: the library of LogGOPS
	Noise     *Noise     // nil: none
	Barrier   Barrier
	Slice     sim.Time          // time slice of the operating system, where threads share a core
	Sharing   *Sharing          // nil: the activities of a node do not slow each other down
	Kernels   map[string]Kernel // by name: fft, copy, ...
	GPUs      *gpus.Machine     // nil: none
}

// Copying describes a NIC without RDMA: the CPU of the sender copies every
// byte into the NIC's send buffer and the CPU of the receiver copies it out.
type Copying struct {
	SendPerByte    float64  // O, ps per byte: user memory into the send buffer
	ReceivePerByte float64  // O, ps per byte: receive buffer into user memory
	Buffer         int64    // bytes of a process that fit into the send buffer at once
	Chunk          int64    // bytes copied at a time
	Protocols      float64  // ps per byte of the kernel, on the logical CPU that serves the NIC, before the receiver may copy
	ServedBy       int      // that logical CPU of a node, counted core by core
	Window         int64    // bytes from one process to another that are copied out and not in; 0: any number
	Interrupt      sim.Time // CPU time an interrupt costs besides the copy
	Interrupts     bool     // the NIC interrupts a computing CPU; otherwise copies wait for the next call
}

// IntraNode describes a message between two processes of one node that does not use the
// NIC: the sender's CPU copies it.
type IntraNode struct {
	Latency sim.Time
	Copy    network.Cost // by the size of the message
	Across  *Across      // nil: the same between sockets
}

// Across describes such a message between processes on two sockets.
type Across struct {
	Latency sim.Time
	Copy    network.Cost
}

// Barrier is the cost of a barrier after the last process has come:
// Base + PerRound * ceil(log2 P). Threads is that of two threads of one process.
type Barrier struct {
	Base, PerRound, Threads sim.Time
}

// Cost returns the time from the last arrival at a barrier of some ranks to its end.
func (b Barrier) Cost(ranks int) sim.Time {
	return b.Base + min(b.PerRound.Times(Rounds(ranks)), Longest+1)
}

// Rounds returns how many rounds of doubling reach all of some ranks.
func Rounds(ranks int) int64 { return int64(bits.Len(uint(ranks - 1))) }

// Sharing says how activities that share a core or a memory slow each other down (package cores).
type Sharing struct {
	Contexts  int     // hardware contexts of a core; 0: one
	PerMemory int     // neighbouring cores that share a memory; 0: all of the node
	Bandwidth float64 // bytes per second of a memory; 0: no limit
	SlowDown  [cores.NumProfiles][cores.NumProfiles]float64

	Synchronizing cores.Profile // what a rank does in a barrier: Poll or Blocked

	OwnCore bool // the helper thread of a Runtime has a core of its own; otherwise a context beside its process
}

// Contexts is how many ranks a node has room for.
func (m *Machine) Contexts() int {
	if m.Sharing == nil {
		return m.Cores
	}
	return m.Cores * max(1, m.Sharing.Contexts)
}

// Room says how many ranks a node has room for, and where: "16 cores", or "32 contexts (16
// cores of 2)".
func (m *Machine) Room() string {
	if m.Contexts() == m.Cores {
		return fmt.Sprintf("%d cores", m.Cores)
	}
	return fmt.Sprintf("%d contexts (%d cores of %d)", m.Contexts(), m.Cores, m.Sharing.Contexts)
}

// Noise is what the system takes the CPU of a process away for: at random moments, as a
// Poisson process, for a fixed time each.
type Noise struct {
	Rate   float64  // per second
	Length sim.Time // each time
}

// Takes tells whether there is any noise.
func (n *Noise) Takes() bool { return n != nil && n.Rate > 0 && n.Length > 0 }

// Longest is the longest that a run can be: 53 days. The times of a machine add up to no
// more than that, and the bytes of a message take no more than half of it. So the sum of
// a moment and of all that one message takes is below 2^64. If no Time can hold the sum,
// it is negative, and the run ends.
const Longest = sim.Forever / 2
