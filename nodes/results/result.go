package results

import (
	"overlapsim/network"
	"overlapsim/sim"
)

// Term is one of the parts into which the wall time of a rank splits.
type Term uint8

// The terms of the ledger. Waiting is split by where the awaited message was
// at that moment.
const (
	Compute      Term = iota // work at the speed of an idle machine
	Interference             // what SMT siblings and shared memory added to it
	Overhead                 // o, copies, matching, packing: CPU time spent for messages
	NICStall                 // the NIC's queue was full, or it was inserting (g)
	Progress                 // the message could have made progress, and the agent did not move it on
	Transfer                 // bytes of this rank were leaving at full speed
	Contention               // bytes of another rank were leaving, or shared the way
	Latency                  // on the way, with all bytes sent
	Partner                  // the other side was not there yet
	BarrierTime              // in a barrier
	Idle                     // nothing to do
	NumTerms
)

var termNames = [NumTerms]string{"compute", "interference", "overhead", "nic_stall", "progress", "transfer", "contention",
	"latency", "partner", "barrier", "idle"}

func (t Term) String() string { return termNames[t] }

// Ledger is the wall time of a rank, split exactly into terms. Totals are the sums over several
// ranks.
type Ledger [NumTerms]sim.Time

// Sum returns the wall time.
func (l *Ledger) Sum() (sum sim.Time) {
	for _, t := range l {
		sum += t
	}
	return sum
}

// Work is what a run took to simulate, in events.
func (r *Result) Work() uint64 { return r.Events - r.Folded + r.Solving }

// Result is the outcome of a run: plain data.
type Result struct {
	Ranks    int
	On       Workers     // what the ranks are
	Events   uint64      // events of all ranks
	Folded   uint64      // of these, events of ranks for which others were simulated
	Solving  uint64      // what it took to find the rates of flows that share links, in events that take as long
	Messages uint64      // messages that were sent
	Bytes    int64       // bytes that were sent
	Finish   []sim.Time  // by rank
	Phases   []string    // names of the program's phases
	Kernels  []string    // names of the machine's kernels, by the number in a Piece; the first is ""
	Ledgers  [][]Ledger  // by rank, by phase; over the phases they sum to Finish, exactly
	Hidden   []sim.Time  // by rank: how long own messages were in flight while the CPU computed
	Running  []sim.Total // by phase, on GPUs: how long at least one of its operations runs on any stream, over all GPUs
	Aside    sim.Total   // on GPUs: computation, without what belongs to communication, that is not in Ledgers as it is on other streams, over all GPUs
	Beside   []sim.Time  // by rank, for training steps on GPUs: the part of Hidden during products and attention
	Bound    Bound       // a lower bound on the time of the program on the machine
	Uses     Uses        // what the run asked of the machine
	Steps    []sim.Time  // of several steps that were drawn, of which this is the median: how long they take, the shortest first
	Streams  []Stream    // of GPUs, those that do something; the stream of the ledger of each GPU comes first
	Timeline *Timeline   // nil unless asked for
	Critical []Piece     // the critical path; nil unless asked for
	Slopes   []Slope     // derivatives of the makespan; nil if Critical was not asked for, or if they are not stable
	Unstable []Slope     // if they are not stable, the parameters without derivatives
	// Stability is how far the derivatives can be trusted.
	Stability Stability
	// Traffic is what a contended fabric carried over time; nil unless asked for.
	Traffic *network.Traffic
	// Scaled says how the run was scaled from a measurement of other GPUs; nil: it was not.
	Scaled *Scaled
	// Beyond is a line that says what the calibration of its collectives is of, if not of such groups on these GPUs; "": it is.
	Beyond string
	// Traced is what was measured in the traces of GPUs that the run replays; nil: it replays none.
	Traced *Traced
	// Stragglers is what slow workers cost the job whose trace the run replays; nil: it replays none.
	Stragglers *Stragglers
}

// Workers says what the ranks of a run are. Texts about a result use the words for them.
type Workers uint8

const (
	Processes Workers = iota
	GPUs              // messages are not counted, and times are times of the compute stream
	NumWorkers
)

// Kernel returns the name of the kernel that a piece of the critical path runs. On GPUs it is the
// name of the kind of its operation. It is "" if there is none.
func (r *Result) Kernel(p *Piece) string {
	if r.On == GPUs {
		return r.Phases[p.Amount]
	}
	if p.Part != PartCompute || p.Amount >= int64(len(r.Kernels)) {
		return ""
	}
	return r.Kernels[p.Amount]
}

// Makespan is the time at which the last rank ends.
func (r *Result) Makespan() (last sim.Time) {
	for _, t := range r.Finish {
		last = max(last, t)
	}
	return last
}

// Timeline is what happened when, lane by lane.
type Timeline struct {
	Lanes    []Lane
	Messages []Message // the last messages, all that are not in a store
	earlier  []int64   // where the earlier messages are
	store    *Store    // nil: all are in memory
}

// Lane is one resource; its spans are sorted, and do not overlap.
type Lane struct {
	Name    string // "rank 3", "rank 3 thread", "node 1 NIC insert", "node 1 NIC send"
	Kind    LaneKind
	Index   int       // rank or node
	Spans   []Span    // the last spans, all that are not in a store
	Calls   []Call    // of the interface of the NIC, in order (CPU and helper lanes); nil unless asked for
	earlier []stretch // the earlier spans
	store   *Store    // nil: all are in memory
}

// Call is a call in which a library hands something to the NIC, or finds something that has
// arrived.
type Call struct {
	At   sim.Time
	Kind CallKind
}

// CallKind says what a call does.
type CallKind uint8

// The kinds of calls. A poll that finds nothing is not recorded.
const (
	Post CallKind = iota
	Poll
)

// String is the word for the kind in figures.
func (k CallKind) String() string { return [...]string{Post: "post", Poll: "poll"}[k] }

// LaneKind says what a lane belongs to.
type LaneKind uint8

// The kinds of lanes.
const (
	CPULane    LaneKind = iota // a process on its CPU: every ledger term
	InsertLane                 // the NIC taking descriptors (g)
	SendLane                   // the NIC sending bytes (G)
	HelperLane                 // the thread next to a process that does the work of its library
)

// Span is a stretch of time that a lane spent on one thing.
type Span struct {
	Start, End sim.Time
	Message    int32 // index into Timeline.Messages, -1: none
	Term       Term  // what the time went to
	Phase      uint8 // index into Result.Phases (CPU lanes)
}

// Message is the life of one message.
type Message struct {
	From, To  int32 // ranks
	Bytes     int64
	Posted    sim.Time // the CPU handed it over
	Insert    sim.Time // insertion began
	Start     sim.Time // first byte left
	Sent      sim.Time // last byte left
	Delivered sim.Time // last byte in the target's memory
}
