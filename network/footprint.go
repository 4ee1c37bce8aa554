package network

import "unsafe"

// The smallest memory in bytes that parts of a run need.
const (
	NICBytes     = int64(unsafe.Sizeof(NIC{}))      // a NIC
	ProcessBytes = int64(unsafe.Sizeof(process{}))  // what the NIC keeps of one of its processes
	LoadBytes    = int64(unsafe.Sizeof(LinkLoad{})) // the record of what a link carried
)
