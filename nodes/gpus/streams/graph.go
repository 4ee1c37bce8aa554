package streams

import (
	"overlapsim/network"
	"overlapsim/sim"
)

// Graph is what runs: GPUs, and operations on their streams. A host launches the operations of
// its GPU in the order of Ops, and a stream runs its operations in the same order.
type Graph struct {
	Devices     []Device
	Links       []string // that collectives share
	Kinds       []string // of operations, for ledgers by kind
	Ops         []Op
	Collectives []Collective
	Record      bool   // record what streams do over time
	Ties        uint64 // seed of the order of kernels that are ready at the same time; 0: the order of the graph
	Apart       bool   // operations of a GPU do not slow each other down: each has all SMs and all memory

	Within sim.Time // the longest makespan that is of interest: a run ends with Late once it is certain to take longer; 0: any is

	Fabric network.Maker // that carries the flows of collectives; nil: nothing delays them
	Beyond string        // what the times of collectives are of, as of gpus.Cost
}

// Device is a GPU.
type Device struct {
	Name      string
	SMs       int32
	Bandwidth int64    // of its memory, bytes per second; 0: enough for all
	Delay     sim.Time // from the end of a launch to the earliest start
	Begins    sim.Time // the time from which the host launches
	Ahead     int      // operations of a stream that may be launched and not ended; 0: no limit
	Streams   []Stream

	// Like is an earlier device with the same operations, counted from 1; 0: it has those of Ops that name it. Where a device is like another
	// one, Ops has the operations of each device together, in the order of devices, and each comes after operations of its device only.
	Like  int32
	Joins []int32 // of a device that is like another one: the collectives of its members, in the order of their launches, which take as long
}

// Stream is a queue of operations on a GPU.
type Stream struct {
	Name     string
	Priority int // of its blocks that wait for SMs; the highest comes first
}

// Op is an operation.
type Op struct {
	Name   string
	Kind   uint8
	Role   Role // if it is no member of a collective
	Device int32
	Stream int32 // of the device

	After  []int32  // operations that must end before it starts
	Wait   []int32  // operations that must end before the host launches it
	Launch sim.Time // of the host

	Blocks int32    // of a kernel, or of a member of a collective; 0: needs no SM
	Work   sim.Time // time of a block alone; of the operation, if it has no blocks
	Demand int64    // bytes per second that a block moves in memory when alone

	Incoming   int64 // bytes per second that other GPUs move in the memory of its GPU during the transfer of its collective
	Collective int32 // the collective that it belongs to, counted from 1; 0: none
}

// Role is what an operation that is no member of a collective stands for.
type Role uint8

// The roles.
const (
	Computes   Role = iota
	Hosts           // work of the host
	Pauses          // time that nothing explains
	Lingers         // what a member of a collective still does after its end
	HostPauses      // nothing: its Launch is time in which the host launches nothing
)

// Collective is an operation of several GPUs, one Op on each.
type Collective struct {
	Latency  sim.Time
	Transfer sim.Time // alone on its link
	Link     int32    // counted from 1; 0: no shared link
	Flows    []Flow   // through the fabric; where they go, the transfer ends with the last of them, and shares no Link

	Way     Way
	Whole   bool     // how its time splits into latency and transfer is not known
	Compute sim.Time // what its members compute, as a part of the transfer
}

// Flow is what a collective sends from one end point of the fabric to another one.
type Flow struct {
	From, To int32
	Bytes    int64
}

// Way is who communicates in a collective.
type Way uint8

// The ways.
const (
	Together Way = iota // all members: an operation such as an all-reduce
	Message             // from one GPU to another
	Stage               // from one GPU to another that waits for it, such as the next stage of a pipeline
)

// Term is one of the parts into which the time of a stream splits.
type Term uint8

// The terms of the ledger of a stream.
const (
	Compute    Term = iota // blocks work
	Memory                 // blocks wait for memory
	Starved                // others have the SMs that the blocks need
	Tail                   // the kernel has no blocks for these SMs: the last wave, or too small a grid
	LaunchWait             // the host has not launched it
	EventWait              // what it comes after has not ended, or what its host waits for
	Skew                   // another member of the collective has not arrived
	Latency                // of the collective
	Transfer               // of the collective, alone on its link
	Contention             // another collective has a share of the link, or kernels of the memory of a member
	Idle                   // no operation is left
	NumTerms
)

var termNames = [NumTerms]string{"compute", "memory", "sm_starved", "tail_wave", "launch_wait", "event_wait", "skew", "latency",
	"transfer", "contention", "idle"}

func (t Term) String() string { return termNames[t] }

// Ledger is the time of a stream, split exactly.
type Ledger [NumTerms]sim.Time

// Sum returns the whole time.
func (l *Ledger) Sum() (sum sim.Time) {
	for _, t := range l {
		sum += t
	}
	return sum
}

// Span is a stretch of the time of a stream.
type Span struct {
	Start, End sim.Time
	Kind       uint8
	Term       Term
}

// Total is the ledger of a stream over all kinds.
func (r *Result) Total(device, stream int) (all Ledger) {
	for _, l := range r.Ledgers[device][stream] {
		for term, t := range l {
			all[term] += t
		}
	}
	return all
}

// StreamName is the name of a stream.
func (r *Result) StreamName(device, stream int) string {
	return r.graph.Devices[device].Streams[stream].Name
}

// Result is what came out of a run.
type Result struct {
	Makespan sim.Time
	Events   uint64
	Starts   []sim.Time   // by operation: its first block has an SM, or the member of a collective has arrived
	Ends     []sim.Time   // by operation
	Begun    []sim.Time   // by collective: its last arrival
	Ledgers  [][][]Ledger // by device, stream, and kind of operation; each stream sums to the makespan
	Spans    [][][]Span   // by device and stream: when its ledger has what, without gaps; nil unless the graph says Record

	graph    *laid
	causes   []cause
	waited   map[int32]sim.Time // members of collectives that held some SMs before they had all: since when
	last     []int32            // by collective: the member that arrived last
	launched []sim.Time         // by operation: the time from which it can start after its launch
	held     map[int32]int32    // operations whose launch waited, with the operation whose end it waited for
}

// Beyond is that of the graph.
func (r *Result) Beyond() string { return r.graph.Beyond }
