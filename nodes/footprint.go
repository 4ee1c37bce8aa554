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

// The smallest memory in bytes that parts of a run need while they exist.
const (
	OpBytes      = int64(unsafe.Sizeof(programs.Op{}))     // an operation of a step
	ReceiveBytes = match.EntryBytes                        // a receive that is posted and has no message
	MessageBytes = int64(unsafe.Sizeof(message{}))         // a message until all ranks that wait for it have done so
	SpanBytes    = int64(unsafe.Sizeof(results.Span{}))    // a span of the timeline
	RecordBytes  = int64(unsafe.Sizeof(results.Message{})) // a message of the timeline
)

// RecordsInMemory is how many messages of a timeline are kept in memory if there is a file for
// the others.
const RecordsInMemory = keptMessages

// SpansInMemory returns the same for spans, in a run with this number of ranks.
func SpansInMemory(ranks int) int {
	const lanes = 3 // of a rank and its NIC
	return newRoom(lanes*ranks, nil).most
}

// StagingBytes returns the memory that a message needs in addition to MessageBytes if it does not
// go straight into memory. It includes the marks and stays that most such messages have. It is 0
// on a machine where the NIC alone moves all messages except those sent by rendezvous.
func StagingBytes(m *machines.Machine) int64 {
	const marks, stays = 8, 4
	if m.Copying == nil && m.Runtime == nil {
		return 0
	}
	return int64(unsafe.Sizeof(staging{}) + marks*unsafe.Sizeof(mark{}) + stays*unsafe.Sizeof(stay{}))
}

// PathBytes is the memory of the moments that an operation adds to a critical path.
const PathBytes = 4 * why.MomentBytes

// NodeBytes is the smallest memory in bytes of a node, without what its cores share.
const NodeBytes = network.NICBytes + int64(unsafe.Sizeof(service{})+2*unsafe.Sizeof(int32(0)))

// ResultBytes is the memory, in the result of a run, of a rank that is not simulated.
const ResultBytes = int64(2*unsafe.Sizeof(sim.Time(0)) + unsafe.Sizeof([]results.Ledger(nil)))

// RankBytes returns the smallest memory that a rank needs, including its result, in a program
// with this number of phases.
func RankBytes(phases int) int64 {
	const places, ends = 4, 3
	ledgers := int64(unsafe.Sizeof(results.Ledger{})) * int64(max(1, phases))
	return int64(unsafe.Sizeof(rank{})) + ledgers + firstOps*OpBytes + network.ProcessBytes + match.TargetBytes +
		int64(places*unsafe.Sizeof(int32(0))+ends*unsafe.Sizeof(sim.Time(0)))
}

// RegionBytes is the smallest memory that a rank needs in addition in a run on several cores: what
// the regions note about an event.
const RegionBytes = int64(unsafe.Sizeof(dispatched{}) + unsafe.Sizeof(sim.Event{}))

// ContextBytes returns the smallest memory that a hardware context needs on a machine; 0 if its
// ranks share nothing.
func ContextBytes(m *machines.Machine) int64 {
	if m.Sharing == nil {
		return 0
	}
	return cores.ContextBytes + int64(unsafe.Sizeof(int32(0)))
}
