package nodes

import (
	"fmt"
	"math/bits"

	"overlapsim/network"
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
	Runtime   *Runtime   // nil: the library of LogGOPS
	Noise     *Noise     // nil: none
	Barrier   Barrier
	Slice     sim.Time          // time slice of the operating system, where threads share a core
	Sharing   *Sharing          // nil: the activities of a node do not slow each other down
	Kernels   map[string]Kernel // by name: fft, copy, ...
}

// Copying describes a NIC without RDMA: the CPU of the sender copies every
// byte into the NIC's send buffer and the CPU of the receiver copies it out.
type Copying struct {
	SendPerByte    float64  // O, ps per byte: user memory into the send buffer
	ReceivePerByte float64  // O, ps per byte: receive buffer into user memory
	Buffer         int64    // bytes of a process that fit into the send buffer at once
	Chunk          int64    // bytes copied at a time
	Interrupt      sim.Time // CPU time an interrupt costs besides the copy
	Interrupts     bool     // the NIC interrupts a computing CPU; otherwise copies wait for the next call
}

// IntraNode describes a message between two processes of one node that does not use the
// NIC: the sender's CPU copies it.
type IntraNode struct {
	Latency sim.Time
	PerByte float64 // ps per byte
}

// Barrier is the cost of a barrier after the last process has come:
// Base + PerRound * ceil(log2 P). Threads is that of two threads of one process.
type Barrier struct {
	Base, PerRound, Threads sim.Time
}

// Validate reports what would make a run meaningless. The file that a machine comes from
// has been checked key by key before.
func (m *Machine) Validate() error {
	if m.Processes < 1 || m.Cores < 1 {
		return fmt.Errorf("machine %s: cores and processes must be at least 1, got %d and %d", m.Name, m.Cores, m.Processes)
	}
	if err := m.checkTimes(); err != nil {
		return err
	}
	if c := m.Copying; c != nil && (c.Chunk < 1 || c.Chunk > c.Buffer || c.Chunk > maxChunk) {
		return mistake("copying.chunk", "machine %s: a chunk of %d bytes must be 1 byte to 1 GiB and fit into the buffer of %d", m.Name, c.Chunk, c.Buffer)
	}
	if m.Sharing != nil {
		if err := m.Sharing.check(m); err != nil {
			return fmt.Errorf("machine %s: %w", m.Name, err)
		}
	}
	if m.Noise != nil {
		if err := m.Noise.check(m); err != nil {
			return err
		}
	}
	if m.Runtime != nil {
		return m.Runtime.check(m)
	}
	return nil
}

const maxChunk = 1 << 30 // bytes

// Cost returns the time from the last arrival at a barrier of that many ranks to its end.
func (b Barrier) Cost(ranks int) sim.Time {
	return b.Base + multiple(b.PerRound, rounds(ranks))
}

// rounds returns how many rounds of doubling reach that many ranks.
func rounds(ranks int) int64 { return int64(bits.Len(uint(ranks - 1))) }
