package backlog

import (
	"unsafe"

	"overlapsim/network"
	"overlapsim/network/topology"
)

// LinkBytes is the smallest memory in bytes that a link of the topology needs: its state and the
// record of what it carried.
const LinkBytes = int64(unsafe.Sizeof(link{})) + network.LoadBytes

// NodeBytes is the smallest memory in bytes that a node of the topology needs: its injection
// FIFOs. Every node has as many as the largest number of links that leave a router.
func NodeBytes(t topology.Topology) int64 { return int64(degree(t)) * int64(unsafe.Sizeof(fifo{})) }
