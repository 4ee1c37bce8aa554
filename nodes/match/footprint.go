package match

import "unsafe"

// The smallest memory in bytes that parts of a [Matching] of numbers need.
const (
	TargetBytes = int64(2 * unsafe.Sizeof(queue{}))   // a target: its receives and its messages
	EntryBytes  = int64(unsafe.Sizeof(node[int32]{})) // an entry of a queue
)
