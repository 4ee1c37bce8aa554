package machines

import "overlapsim/sim"

// Sockets are the parts of a node, each with as many neighbouring cores: its sockets, or its
// NUMA domains.
type Sockets struct {
	Number int
	Cyclic bool // processes go to one socket after the other; otherwise they fill one before the next
}

// NICs are the network interfaces of a node. The sockets have as many each, in order.
type NICs struct {
	Number  int
	Use     Use
	Routers bool     // each is on a router of its own; otherwise all are on one
	Far     sim.Time // extra latency to or from a NIC on another socket than the process
}

// Use says by which of the NICs of a node the messages of a process go.
type Use uint8

// The uses of NICs.
const (
	InBlocks   Use = iota // as many neighbouring processes each
	RoundRobin            // one process after the other
	Nearest               // the NIC of the cores of the process
	Striped               // all NICs: each carries an equal part of every message
)

// Uses are the names of the uses.
var Uses = []string{"block", "round-robin", "nearest", "striped"}

// Core returns the core of a process, given its number on the node.
func (m *Machine) Core(process int) int {
	core := process % m.Cores
	if m.Sockets == nil || !m.Sockets.Cyclic {
		return core
	}
	return core%m.Sockets.Number*(m.Cores/m.Sockets.Number) + core/m.Sockets.Number
}

// Socket returns the socket of a core.
func (m *Machine) Socket(core int) int { return core * m.sockets() / m.Cores }

func (m *Machine) sockets() int {
	if m.Sockets == nil {
		return 1
	}
	return m.Sockets.Number
}

// Rails is how many NICs a node has.
func (m *Machine) Rails() int {
	if m.NICs == nil {
		return 1
	}
	return m.NICs.Number
}

// Stripes is into how many parts messages are split, one for each NIC.
func (m *Machine) Stripes() int {
	if m.NICs == nil || m.NICs.Use != Striped {
		return 1
	}
	return m.NICs.Number
}

// Stripe returns the bytes of the largest part of a message.
func (m *Machine) Stripe(bytes int64) int64 {
	n := int64(m.Stripes())
	return bytes/n + min(bytes%n, 1)
}

// NIC returns the NIC of a process, given its number on the node and how many the node has.
// Of striped messages it is the first.
func (m *Machine) NIC(process, processes int) int {
	if m.NICs == nil {
		return 0
	}
	switch n := m.NICs.Number; m.NICs.Use {
	case InBlocks:
		return process * n / processes
	case RoundRobin:
		return process % n
	case Nearest:
		return m.Core(process) * n / m.Cores
	}
	return 0
}

// Far returns what the way to or from the NIC of a process takes longer than from a process
// beside it. A message that is split has come when its last part has.
func (m *Machine) Far(process, processes int) sim.Time {
	if m.NICs == nil {
		return 0
	}
	first, stripes, own := m.NIC(process, processes), m.Stripes(), m.Socket(m.Core(process))
	for nic := first; nic < first+stripes; nic++ {
		if nic*m.sockets()/m.NICs.Number != own {
			return m.NICs.Far
		}
	}
	return 0
}
