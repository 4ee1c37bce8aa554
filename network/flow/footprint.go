package flow

import (
	"unsafe"

	"overlapsim/network"
	"overlapsim/sim"
)

// LinkBytes is the smallest memory in bytes that a link of the topology needs: its capacity, its
// state, its place in two heaps, and the record of what it carried.
const LinkBytes = int64(unsafe.Sizeof(sim.Rate(0))+unsafe.Sizeof(link[sim.Time]{})+unsafe.Sizeof(load{})+unsafe.Sizeof(account[sim.Time]{})+
	2*unsafe.Sizeof(int32(0))) + network.LoadBytes
