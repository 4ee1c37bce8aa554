package nodes

import (
	"unsafe"

	"overlapsim/nodes/cores"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// The least memory in bytes that parts of a run need while they are there.
const (
	OpBytes      = int64(unsafe.Sizeof(programs.Op{}))     // an operation of a step
	MessageBytes = int64(unsafe.Sizeof(message{}))         // a message that some rank has not waited for
	SpanBytes    = int64(unsafe.Sizeof(results.Span{}))    // a span of the timeline
	RecordBytes  = int64(unsafe.Sizeof(results.Message{})) // a message of the timeline
)

// RankBytes returns the least memory that a rank needs, the result included, in a program
// with that many phases.
func RankBytes(phases int) int64 {
	ledgers := int64(unsafe.Sizeof(results.Ledger{})) * int64(max(1, phases))
	return int64(unsafe.Sizeof(rank{})) + ledgers + firstOps*OpBytes + int64(unsafe.Sizeof(sim.Time(0)))*4
}

// ContextBytes returns the least memory that a hardware context needs on a machine: none if
// its ranks share nothing.
func ContextBytes(m *machines.Machine) int64 {
	if m.Sharing == nil {
		return 0
	}
	return cores.ContextBytes + int64(unsafe.Sizeof(int32(0)))
}
