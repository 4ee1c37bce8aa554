package streams

import (
	"unsafe"

	"overlapsim/sim"
)

// The memory in bytes that parts of a run need.
const (
	// OpBytes is the memory of an operation during the run, with its result.
	OpBytes = int64(unsafe.Sizeof(state{})+unsafe.Sizeof(cause{})+3*unsafe.Sizeof(sim.Time(0))) +
		int64(unsafe.Sizeof(Collective{})+unsafe.Sizeof(group{}))/collectives + numbers
	// WrittenBytes is the memory of an operation in the graph, with the lists of what it comes after. GPUs that are alike have the same ones.
	WrittenBytes = int64(unsafe.Sizeof(Op{})) + befores*perBefore + indexes
	// LedgerBytes is the memory of a stream's ledger for one kind of operations.
	LedgerBytes = int64(unsafe.Sizeof(Ledger{}))
	// SpanBytes is the memory of the spans that an operation adds to its stream.
	SpanBytes = spans * int64(unsafe.Sizeof(Span{}))
)

const (
	befores     = 2  // operations that most operations come after
	perBefore   = 24 // bytes: in two lists
	numbers     = 12 // bytes: its device and its collective, and its place among the members
	indexes     = 24 // bytes: places in the queues of the host and of the stream, offsets into lists
	collectives = 3  // operations for each collective
	spans       = 3  // spans of an operation: it waits, starts, works
)
