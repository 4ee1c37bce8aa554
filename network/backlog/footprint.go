package backlog

import (
	"unsafe"

	"overlapsim/network"
)

// LinkBytes is the least memory in bytes that a link of the topology needs: its state, an
// injection FIFO, and what it carried.
const LinkBytes = int64(unsafe.Sizeof(link{})+unsafe.Sizeof(fifo{})) + network.LoadBytes
