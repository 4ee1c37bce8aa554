package results

import "overlapsim/sim"

// Piece is an interval of the critical path: what one resource did in it. Without that
// the run would have ended earlier. The pieces of a path follow each other without gap,
// from the start of a run to its end.
type Piece struct {
	Start, End sim.Time
	Amount     int64 // of the part: bytes, rounds, a count, or the number of a kernel
	Index      int32 // rank or NIC
	Message    int32 // number of the message in the order of posting, counting those inside nodes; -1: none
	Part       Part
	Resource   Resource
}

// Resource is what a piece of the path was on.
type Resource uint8

// The resources.
const (
	CPU        Resource = iota // of a rank
	Helper                     // the thread beside a rank
	NICInsert                  // the NIC takes descriptors
	NICSend                    // the NIC sends
	NICReceive                 // the NIC takes messages in
	Wire                       // on the way from a NIC
	Barriers                   // the barrier, after all have come
	NumResources
)

var resourceNames = [NumResources]string{"cpu", "thread", "nic insert", "nic send", "nic receive", "wire", "barrier"}

func (r Resource) String() string { return resourceNames[r] }

// Part is what the time of a piece is made of.
type Part uint8

// The parts; in brackets their amount.
const (
	PartCompute         Part = iota // (kernel) its number in Result.Kernels
	PartSendOverhead                // o of a send (bytes)
	PartReceiveOverhead             // o of a receive (bytes)
	PartIntraCopy                   // copy inside a node (bytes)
	PartIntraLatency                // latency inside a node
	PartGap                         // g
	PartTransfer                    // Startup + G (bytes)
	PartCrowding                    // what a calibrated factor adds to Startup + G and L (bytes)
	PartCrowdedTransfer             // Startup + G with a factor below 1, or of a chunk with any factor (bytes)
	PartCrowdedChunk                // the same without Startup (bytes)
	PartIntake                      // Startup + G in the receiving NIC (bytes)
	PartLatency                     // L
	PartFabricQueue                 // time on the way beyond the latency
	PartBarrier                     // (rounds)
	PartMeet                        // barrier of two threads
	PartChunk                       // G (bytes)
	PartCopyOut                     // O of a send without RDMA (bytes)
	PartCopyIn                      // O of a receive without RDMA (bytes)
	PartPackedCopyOut               // PartCopyOut of packed bytes (bytes)
	PartUnpackedCopyIn              // PartCopyIn of unpacked bytes (bytes)
	PartInterrupt                   // what a job costs besides its own work
	PartDelay                       // until a helper thread begins
	PartMatching                    // matching a message
	PartSearch                      // (receives posted)
	PartUnexpected                  // of a message that came before its receive (bytes)
	PartHandler                     // of a signal
	PartTest                        // (tests)
	PartPack                        // of an eager message (bytes)
	PartUnpack                      // (bytes)
	PartPipelineIn                  // copy into a fragment (bytes)
	PartPipelineOut                 // copy out of a fragment (bytes)
	PartStridedIn                   // PartPipelineIn of strided bytes (bytes)
	PartStridedOut                  // PartPipelineOut of strided bytes (bytes)
	PartWakeup                      // of a process that sleeps, until it runs
	PartSchedule                    // until a process has its turn on its core
	PartNoise                       // of the operating system
	PartInterference                // what siblings and memory add; Result.Slopes has the parameters
	PartStartup                     // of a transfer on a contended fabric
	PartFabric                      // bytes leave, as fast as the fabric takes them (bytes)
	PartFabricLatency               // on the way through the fabric (bytes)
	PartTie                         // takes no time: something else ended at the same time, and would delay the end as well
	NumParts
)

// kindsOfParts says what parts are called, and to which term of the ledger they mostly go.
var kindsOfParts = [NumParts]struct {
	name string
	term Term
}{
	PartCompute:         {"compute", Compute},
	PartSendOverhead:    {"send overhead", Overhead},
	PartReceiveOverhead: {"receive overhead", Overhead},
	PartIntraCopy:       {"copy inside the node", Overhead},
	PartIntraLatency:    {"latency inside the node", Latency},
	PartGap:             {"gap", NICStall},
	PartTransfer:        {"transfer", Transfer},
	PartCrowding:        {"crowding", Contention},
	PartCrowdedTransfer: {"calibrated transfer", Transfer},
	PartCrowdedChunk:    {"calibrated chunk", Transfer},
	PartIntake:          {"intake", Contention},
	PartLatency:         {"latency", Latency},
	PartFabricQueue:     {"fabric queue", Contention},
	PartBarrier:         {"barrier", BarrierTime},
	PartMeet:            {"thread barrier", BarrierTime},
	PartChunk:           {"chunk", Transfer},
	PartCopyOut:         {"copy out", Overhead},
	PartCopyIn:          {"copy in", Overhead},
	PartPackedCopyOut:   {"packed copy out", Overhead},
	PartUnpackedCopyIn:  {"unpacked copy in", Overhead},
	PartInterrupt:       {"interrupt", Overhead},
	PartDelay:           {"thread delay", Progress},
	PartMatching:        {"matching", Overhead},
	PartSearch:          {"search", Overhead},
	PartUnexpected:      {"unexpected message", Overhead},
	PartHandler:         {"handler", Overhead},
	PartTest:            {"test", Overhead},
	PartPack:            {"pack", Overhead},
	PartUnpack:          {"unpack", Overhead},
	PartPipelineIn:      {"fragment in", Overhead},
	PartPipelineOut:     {"fragment out", Overhead},
	PartStridedIn:       {"strided fragment in", Overhead},
	PartStridedOut:      {"strided fragment out", Overhead},
	PartWakeup:          {"wake-up", Progress},
	PartSchedule:        {"turn", Progress},
	PartNoise:           {"noise", Interference},
	PartInterference:    {"interference", Interference},
	PartStartup:         {"startup", Transfer},
	PartFabric:          {"fabric", Transfer},
	PartFabricLatency:   {"fabric latency", Latency},
	PartTie:             {"tie", Overhead},
}

func (p Part) String() string { return kindsOfParts[p].name }

// Term is the term of the ledger that a part mostly goes to.
func (p Part) Term() Term { return kindsOfParts[p].term }
