package nodes

import (
	"unsafe"

	"overlapsim/network"
	"overlapsim/nodes/cores"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/match"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/nodes/why"
	"overlapsim/sim"
)

// The least memory in bytes that parts of a run need while they are there.
const (
	OpBytes      = int64(unsafe.Sizeof(programs.Op{}))     // an operation of a step
	ReceiveBytes = match.EntryBytes                        // a receive that is posted and has no message
	MessageBytes = int64(unsafe.Sizeof(message{}))         // a message that some rank has not waited for
	SpanBytes    = int64(unsafe.Sizeof(results.Span{}))    // a span of the timeline
	RecordBytes  = int64(unsafe.Sizeof(results.Message{})) // a message of the timeline
)

// RecordsInMemory is how many messages of a timeline memory holds if there is a file for the others.
const RecordsInMemory = keptMessages

// SpansInMemory returns the same of spans, in a run of that many ranks.
func SpansInMemory(ranks int) int {
	const lanes = 3 // of a rank and its NIC
	return newRoom(lanes*ranks, nil).most
}

// DetourBytes returns how much more than MessageBytes a message takes that does not go
// straight into memory, with the marks and stays that most such messages have: nothing on
// a machine where the NIC alone moves all but those sent by rendezvous.
func DetourBytes(m *machines.Machine) int64 {
	const marks, stays = 8, 4
	if m.Copying == nil && m.Runtime == nil {
		return 0
	}
	return int64(unsafe.Sizeof(detour{}) + marks*unsafe.Sizeof(mark{}) + stays*unsafe.Sizeof(stay{}))
}

// PathBytes is the memory of the moments that an operation adds to a critical path.
const PathBytes = 4 * why.MomentBytes

// NodeBytes is the least memory in bytes of a node, without what its cores share.
const NodeBytes = network.NICBytes + int64(unsafe.Sizeof(service{})+2*unsafe.Sizeof(int32(0)))

// ResultBytes is the memory of a rank that is not simulated in the result of a run.
const ResultBytes = int64(2*unsafe.Sizeof(sim.Time(0)) + unsafe.Sizeof([]results.Ledger(nil)))

// RankBytes returns the least memory that a rank needs, the result included, in a program
// with that many phases.
func RankBytes(phases int) int64 {
	const places, ends = 4, 3
	ledgers := int64(unsafe.Sizeof(results.Ledger{})) * int64(max(1, phases))
	return int64(unsafe.Sizeof(rank{})) + ledgers + firstOps*OpBytes + network.ProcessBytes + match.TargetBytes +
		int64(places*unsafe.Sizeof(int32(0))+ends*unsafe.Sizeof(sim.Time(0)))
}

// RegionBytes is the least memory that a rank takes more in a run on several cores: an event
// that waits and what the regions say of it, and another table of its messages.
const RegionBytes = int64(unsafe.Sizeof(dispatched{})+2*unsafe.Sizeof(sim.Event{})+unsafe.Sizeof(uint64(0))) + match.TargetBytes

// ContextBytes returns the least memory that a hardware context needs on a machine: none if
// its ranks share nothing.
func ContextBytes(m *machines.Machine) int64 {
	if m.Sharing == nil {
		return 0
	}
	return cores.ContextBytes + int64(unsafe.Sizeof(int32(0)))
}
