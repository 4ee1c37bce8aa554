package network

import "unsafe"

// The least memory in bytes that parts of a run need.
const (
	NICBytes     = int64(unsafe.Sizeof(NIC{}) + 2*unsafe.Sizeof(ring{}))   // a NIC
	ProcessBytes = int64(unsafe.Sizeof(process{}) + unsafe.Sizeof(ring{})) // what it knows of one of its users
	LoadBytes    = int64(unsafe.Sizeof(LinkLoad{}))                        // what a link carried
)
