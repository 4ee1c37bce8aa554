package machines

import "overlapsim/sim"

// Sockets are the parts of a node, each with the same number of neighbouring cores: its sockets,
// or its NUMA domains.
type Sockets struct {
	Number int
	Cyclic bool // processes go to the sockets in turn; otherwise they fill one socket before the next
}

// NICs are the network interfaces of a node. Each socket has the same number of them, in order.
type NICs struct {
	Number  int
	Use     Use
	Routers bool     // each is on its own router; otherwise all are on one
	Far     sim.Time // additional latency between a process and a NIC on another socket
}

// Use says which NICs of a node a process uses for its messages.
type Use uint8

// The uses of NICs.
const (
	InBlocks   Use = iota // each NIC serves the same number of neighbouring processes
	RoundRobin            // processes take the NICs in turn
	Nearest               // the NIC nearest to the core of the process
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

// Rails returns the number of NICs of a node.
func (m *Machine) Rails() int {
	if m.NICs == nil {
		return 1
	}
	return m.NICs.Number
}

// Stripes returns the number of parts into which messages are split, one for each NIC.
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

// NIC returns the NIC of a process, given its number on the node and the number of processes
// there. For striped messages it is the first NIC.
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

// Far returns the additional time between a process and its NIC, compared with a process next to
// that NIC. A message that is split has arrived when its last part has.
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
