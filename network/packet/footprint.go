package packet

import (
	"unsafe"

	"overlapsim/network"
)

// LinkBytes is the smallest memory in bytes that a link of the topology needs: its two ends, the
// FIFO of one channel with its room, and the record of what it carried, kept twice: during the
// run and for the result.
const LinkBytes = int64(unsafe.Sizeof(wire{})+unsafe.Sizeof(load{})+unsafe.Sizeof(fifo{})+2*unsafe.Sizeof(int32(0))+1) + network.LoadBytes

// NodeBytes is the smallest memory in bytes that a node needs: one injection FIFO with its queue, and its place.
const NodeBytes = int64(unsafe.Sizeof(fifo{}) + unsafe.Sizeof(queue{}) + unsafe.Sizeof(int32(0)))
