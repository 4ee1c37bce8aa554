package backlog

import (
	"unsafe"

	"overlapsim/network"
	"overlapsim/network/topology"
)

// LinkBytes is the least memory in bytes that a link of the topology needs: its state, and what
// it carried.
const LinkBytes = int64(unsafe.Sizeof(link{})) + network.LoadBytes

// NodeBytes is that of a node of the topology: an injection FIFO for each link that leaves its
// router, as many as leave any.
func NodeBytes(t topology.Topology) int64 { return int64(degree(t)) * int64(unsafe.Sizeof(fifo{})) }
