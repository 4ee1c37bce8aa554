package machines

import (
	"fmt"
	"math/bits"

	"overlapsim/network"
	"overlapsim/nodes/cores"
	"overlapsim/nodes/gpus"
	"overlapsim/sim"
)

// Machine is everything that a run needs to know about a cluster, in plain numbers. The machine's
// file (package scenarios) says where they come from.
type Machine struct {
	Name      string  // library name or file
	Title     string  // what people call it
	Past      bool    // it is not in use any more
	Nodes     int     // number of nodes; 0: as many as the program needs
	Cores     int     // cores of a node
	Processes int     // processes on a node, by default
	Peak      float64 // flop/s of one process

	Network   network.LogGOPS
	Copying   *Copying   // nil: the NIC moves the bytes by itself (RDMA)
	IntraNode *IntraNode // nil: messages inside a node use the NIC
	Sockets   *Sockets   // nil: one socket
	NICs      *NICs      // nil: one NIC
	Runtime   *Runtime   // nil: the library of LogGOPS
	Offloaded bool       // without a Runtime: the NIC does what the library of LogGOPS does in calls
	Noise     *Noise     // nil: no noise
	Barrier   Barrier
	Slice     sim.Time          // time slice of the operating system, where threads share a core
	Sharing   *Sharing          // nil: the activities of a node do not slow each other down
	Kernels   map[string]Kernel // by name: fft, copy, ...
	GPUs      *gpus.Machine     // nil: no GPUs
}

// Copying describes a NIC without RDMA: the CPU of the sender copies every
// byte into the NIC's send buffer and the CPU of the receiver copies it out.
type Copying struct {
	SendPerByte    float64  // O, ps per byte: user memory into the send buffer
	ReceivePerByte float64  // O, ps per byte: receive buffer into user memory
	Buffer         int64    // bytes of a process that fit into the send buffer
	Chunk          int64    // bytes copied at a time
	Protocols      float64  // ps per byte of kernel work on the CPU that serves the NIC, before the receiver may copy
	ServedBy       int      // number of that logical CPU on its node, counted core by core
	Window         int64    // bytes from one process to another that are copied out and not yet in; 0: no limit
	Interrupt      sim.Time // CPU time of an interrupt in addition to the copy
	Interrupts     bool     // the NIC interrupts a computing CPU; otherwise copies wait for the next call
}

// IntraNode describes a message between two processes of one node that does not use the
// NIC: the sender's CPU copies it, or the target's (CMA, XPMEM, KNEM).
type IntraNode struct {
	Latency   sim.Time
	Copy      network.Cost // by the size of the message
	Threshold int64        // larger two-sided messages are copied by the target's CPU, if a library moves messages; 0: none is
	Across    *Across      // nil: the same as within a socket
}

// Across describes such a message between processes on two sockets.
type Across struct {
	Latency sim.Time
	Copy    network.Cost
}

// Barrier is the cost of a barrier after the last process has arrived. Of its ceil(log2 P) rounds of doubling, ceil(log2 N) are
// between the N nodes of the P processes, and cost PerRound. The others cost Inside, or PerRound if that is 0.
// Threads is the cost of a barrier of two threads of one process.
type Barrier struct {
	Base, PerRound, Inside, Threads sim.Time
}

// Cost returns the time from the last arrival at a barrier of this number of ranks on some nodes to its end.
func (b Barrier) Cost(ranks, nodes int) sim.Time {
	between, inside := b.Rounds(ranks, nodes)
	return b.Base + min(b.PerRound.Times(between), Longest+1) + min(b.Inside.Times(inside), Longest+1)
}

// Rounds returns how many rounds of a barrier cost PerRound, and how many Inside.
func (b Barrier) Rounds(ranks, nodes int) (between, inside int64) {
	all := rounds(ranks)
	if b.Inside == 0 {
		return all, 0
	}
	between = rounds(nodes)
	return between, all - between
}

// rounds returns how many rounds of doubling reach this number of ranks.
func rounds(ranks int) int64 { return int64(bits.Len(uint(ranks - 1))) }

// Sharing says how activities that share a core or a memory slow each other down (package cores).
type Sharing struct {
	Contexts  int     // hardware contexts of a core; 0: one
	PerMemory int     // neighbouring cores that share a memory; 0: all of the node
	Bandwidth float64 // bytes per second of a memory; 0: no limit
	SlowDown  [cores.NumProfiles][cores.NumProfiles]float64

	Synchronizing cores.Profile // what a rank does in a barrier: Poll or Blocked

	Scheduler *Scheduler // nil: each process stays on its context

	OwnCore bool // the helper thread of a Runtime has its own core; otherwise a context next to its process
}

// Scheduler describes an operating system that moves processes between cores.
type Scheduler struct {
	First   bool     // a process that wakes goes to the first context of its memory, if that is free; otherwise to the one that it had
	Balance sim.Time // how long a core is idle next to one with several running processes before it takes one of them over
}

// Contexts returns how many ranks fit on a node.
func (m *Machine) Contexts() int {
	if m.Sharing == nil {
		return m.Cores
	}
	return m.Cores * max(1, m.Sharing.Contexts)
}

// Room describes how many ranks fit on a node, and where: "16 cores", or "32 contexts (16 cores
// of 2)".
func (m *Machine) Room() string {
	if m.Contexts() == m.Cores {
		if m.Cores == 1 {
			return "1 core"
		}
		return fmt.Sprintf("%d cores", m.Cores)
	}
	return fmt.Sprintf("%d contexts (%d cores of %d)", m.Contexts(), m.Cores, m.Sharing.Contexts)
}

// Noise takes the CPU of a process away at random moments (a Poisson process), for a fixed time
// each.
type Noise struct {
	Rate   float64  // per second
	Length sim.Time // each time
}

// Takes tells whether there is any noise.
func (n *Noise) Takes() bool { return n != nil && n.Rate > 0 && n.Length > 0 }

// Longest is the longest time of a run: 53 days. The times of a machine add up to no more than
// that, and the bytes of a message take no more than half of it. Therefore the sum of a moment and of
// all that one message takes is below 2^64. A sum that no Time can hold is negative, and the run
// ends.
const Longest = sim.Forever / 2
