package results

import "overlapsim/sim"

// Piece is an interval of the critical path: what one resource did in it. Without it the run
// would have ended earlier. The pieces of a path follow each other without gaps, from the start
// of a run to its end.
type Piece struct {
	Start, End sim.Time
	Amount     int64 // of the part: bytes, rounds, a count, or the number of a kernel; on GPUs the number of a phase
	Index      int32 // rank or NIC
	Message    int32 // number of the message in the order of posting, counting those inside nodes; -1: none
	Stream     int32 // on GPUs: its number in Result.Streams
	Part       Part
	Resource   Resource
}

// Resource is what a piece of the path occupied.
type Resource uint8

// The resources.
const (
	CPU         Resource = iota // of a rank
	Helper                      // the thread next to a rank
	NICInsert                   // the NIC takes descriptors
	NICSend                     // the NIC sends
	NICReceive                  // the NIC takes messages in
	Wire                        // on the way from a NIC
	Barriers                    // the barrier, after all ranks have arrived
	Kernels                     // an operation of a stream of a GPU alone
	Collectives                 // an operation of several GPUs
	Hosts                       // the host of a GPU
	NumResources
)

var resourceNames = [NumResources]string{"cpu", "thread", "nic insert", "nic send", "nic receive", "wire", "barrier", "kernel",
	"collective", "host"}

func (r Resource) String() string { return resourceNames[r] }

// Part is what the time of a piece is made of: PartCompute, or a part that package parts
// declares.
type Part uint8

// kind is the name of a part, and the term of the ledger to which it mostly goes.
type kind struct {
	words string
	term  Term
}

var kinds []kind // by part

// NewPart declares a part by its name and by the term of the ledger to which it mostly goes.
func NewPart(words string, term Term) Part {
	kinds = append(kinds, kind{words, term})
	return Part(len(kinds) - 1)
}

// PartCompute is computation; its amount is the number of its kernel in Result.Kernels.
var PartCompute = NewPart("compute", Compute)

// NumParts returns how many parts are declared.
func NumParts() Part { return Part(len(kinds)) }

func (p Part) String() string { return kinds[p].words }

// Term is the term of the ledger to which a part mostly goes.
func (p Part) Term() Term { return kinds[p].term }
