package streams

import (
	"unsafe"

	"overlapsim/sim"
)

// What parts of a run take, in bytes.
const (
	// OpBytes is the memory of an operation: what the graph says of it, with the lists of what it
	// comes after, what is known of it during the run, and its result.
	OpBytes = int64(unsafe.Sizeof(Op{})+unsafe.Sizeof(state{})+unsafe.Sizeof(cause{})+4*unsafe.Sizeof(sim.Time(0))) +
		int64(unsafe.Sizeof(Collective{})+unsafe.Sizeof(group{}))/collectives + befores*perBefore + indexes
	// LedgerBytes is that of what a stream spends on a kind of operations.
	LedgerBytes = int64(unsafe.Sizeof(Ledger{}))
	// SpanBytes is that of what streams do when, for an operation.
	SpanBytes = spans * int64(unsafe.Sizeof(Span{}))
)

const (
	befores     = 2  // operations that most others come after
	perBefore   = 24 // bytes: in a list of its own, and in that of what comes after
	indexes     = 24 // bytes: places in the queue of the host and of the stream, offsets into lists
	collectives = 3  // operations for each collective
	spans       = 3  // that an operation leaves: it waits, starts, works
)
