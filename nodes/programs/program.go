package programs

import (
	"slices"

	"overlapsim/nodes/machines"
	"overlapsim/sim"
)

// Program is what every rank does. It is asked step by step, so that a run needs memory for only
// one step of each rank. Step appends the operations of the rank's step (0, 1, 2, ...). When the
// rank has ended, it appends nothing and returns false. Its result depends only on its arguments,
// unless the program is Reactive.
type Program interface {
	Ranks() int
	Phases() []string // names for Ops.Phase; the first one is in force at the start
	Step(rank, step int, do *Ops) bool
}

// Threaded is a program whose processes have several threads, each of which is a rank. Each
// process is this number of neighbouring ranks, which must be on one node.
type Threaded interface {
	Program
	Threads() int
}

// helping is a program some of whose ranks are threads that only communicate, for ranks that compute.
type helping interface {
	Program
	Helps(rank int) bool
}

// Helps tells whether a rank only communicates, for another one.
func Helps(p Program, rank int) bool {
	h, ok := p.(helping)
	return ok && h.Helps(rank)
}

// Threads returns how many ranks a process of the program has.
func Threads(p Program) int {
	if t, ok := p.(Threaded); ok {
		return t.Threads()
	}
	return 1
}

// OpKind is what an operation does.
type OpKind uint8

// The operations of a program.
const (
	OpCompute OpKind = iota
	OpPut
	OpGet
	OpSignal
	OpSend
	OpReceive
	OpWait
	OpTest
	OpBarrier
	OpPhase
	OpPattern
	OpMeet
	OpWaitAny
	OpAwait   // of live processes: their own event
	OpStart   // begins a schedule; its operations follow
	OpStarted // ends the operations of a schedule
)

// Wildcards of a receive.
const (
	AnySource = -1
	AnyTag    = -1
)

// Ops collects the operations of a step.
type Ops struct {
	list   []Op
	now    sim.Time // of reactive programs
	choice *Choice
}

// Collect returns an empty list of operations for a step that is asked for at this time.
// Operations are appended in the given memory. The choice is the one of the rank's previous step;
// nil: the rank has never chosen.
func Collect(memory []Op, now sim.Time, choice *Choice) Ops { return Ops{memory[:0], now, choice} }

// Choice returns what the rank waits or asks for if the last operation is a WaitAny, TestAny or TestOpen.
func (o *Ops) Choice() *Choice { return o.choice }

// Await waits for an event that the run knows of.
func (o *Ops) Await() { o.list = append(o.list, Op{Kind: OpAwait}) }

// Add appends operations as they are.
func (o *Ops) Add(ops ...Op) { o.list = append(o.list, ops...) }

// Grow makes room for operations that will be added.
func (o *Ops) Grow(n int) { o.list = slices.Grow(o.list, n) }

// Reset removes the operations and keeps their memory.
func (o *Ops) Reset() { o.list = o.list[:0] }

// List returns the operations; the next Reset overwrites them.
func (o *Ops) List() []Op { return o.list }

// Collective says that the operations from this number on are part of a blocking collective that
// could be made non-blocking. It does not affect the run.
func (o *Ops) Collective(from int) {
	for i := range o.list[from:] {
		o.list[from+i].Phase = inCollective
	}
}

// Compute runs a task n times.
func (o *Ops) Compute(t machines.Task, n int) {
	if t.Time <= 0 || n <= 0 {
		return
	}
	amount := sim.Forever
	if t.Time <= sim.Forever/sim.Time(n) {
		amount = t.Time * sim.Time(n)
	}
	o.list = append(o.list, taskOp(t, amount))
}

// Put starts a one-sided put and continues. Wait for the request waits until the bytes are in the
// memory of the target. A request may be used again after it was waited for.
func (o *Ops) Put(to int, bytes int64, request int) {
	o.list = append(o.list, Op{Kind: OpPut, Peer: int32(to), Request: int32(request), Amount: bytes})
}

// Combine gives data of the rank to the switches of the network and continues. They combine them with the data of other ranks,
// on several nodes: this many in all, among which first names the group. Each of these does so with the same tag, and is
// followed by next in a ring. Wait for the request waits until the result is in the memory of the rank. The ranks' n-th calls
// of a group with a tag belong together.
func (o *Ops) Combine(next, first, ranks int, bytes int64, tag, request int) {
	o.list = append(o.list, Op{Kind: OpPut, Peer: int32(next), Kernel: int32(first), demand: int32(ranks), Tag: int32(tag),
		Request: int32(request), Amount: bytes})
}

// Get starts a one-sided get and continues. Wait for the request waits until the bytes are here.
func (o *Ops) Get(from int, bytes int64, request int) {
	o.list = append(o.list, Op{Kind: OpGet, Peer: int32(from), Request: int32(request), Amount: bytes})
}

// Signal starts a put that notifies the target: once the bytes are in its memory they match a
// receive. Wait for the request does the same as for a put.
func (o *Ops) Signal(to int, bytes int64, tag, request int) {
	o.list = append(o.list, Op{Kind: OpSignal, Peer: int32(to), Tag: int32(tag), Request: int32(request), Amount: bytes})
}

// Isend starts a two-sided send and continues. Up to the machine's rendezvous threshold the
// request is complete at once. Above it, the request is complete when the receiver has the bytes.
// A Runtime may define it differently.
func (o *Ops) Isend(to int, bytes int64, tag, request int) {
	o.list = append(o.list, Op{Kind: OpSend, Peer: int32(to), Tag: int32(tag), Request: int32(request), Amount: bytes})
}

// IsendStrided is Isend of bytes that are not contiguous.
func (o *Ops) IsendStrided(to int, bytes int64, tag, request int) {
	o.list = append(o.list, Op{Kind: OpSend, Strided: true, Peer: int32(to), Tag: int32(tag), Request: int32(request), Amount: bytes})
}

// Irecv posts a receive and continues. Messages and receives match as in MPI: by source and tag,
// in order. The argument bytes is the expected size of the message.
func (o *Ops) Irecv(from int, bytes int64, tag, request int) {
	o.list = append(o.list, Op{Kind: OpReceive, Peer: int32(from), Tag: int32(tag), Request: int32(request), Amount: bytes})
}

// Send is a blocking Isend.
func (o *Ops) Send(to int, bytes int64, tag int) {
	o.Isend(to, bytes, tag, -1)
	o.Wait(-1)
}

// Recv is a blocking Irecv.
func (o *Ops) Recv(from int, bytes int64, tag int) {
	o.Irecv(from, bytes, tag, -1)
	o.Wait(-1)
}

// Wait waits for a request.
func (o *Ops) Wait(request int) {
	o.list = append(o.list, Op{Kind: OpWait, Request: int32(request)})
}

// Start starts a schedule as one request and continues. The schedule adds its operations: posts of
// sends and receives, computations, and waits for its own requests, which no one else may use. The
// operations before the first wait are done in the call. The operations after waits that follow each other
// are a round, which the library does as a job once all that is waited for is complete. Wait for the
// request waits until all is done.
func (o *Ops) Start(schedule func(do *Ops), request int) {
	o.list = append(o.list, Op{Kind: OpStart, Request: int32(request)})
	schedule(o)
	o.list = append(o.list, Op{Kind: OpStarted})
}

// Test is a call that does not wait. The library may work in it, and the request stays in use.
func (o *Ops) Test(request int) {
	o.list = append(o.list, Op{Kind: OpTest, Request: int32(request)})
}

// Barrier waits until all ranks have arrived.
func (o *Ops) Barrier() { o.list = append(o.list, Op{Kind: OpBarrier}) }

// Meet is a barrier of two threads of one process, which are ranks of one node. It waits until
// the peer has come to a Meet with this rank.
func (o *Ops) Meet(peer int) {
	o.list = append(o.list, Op{Kind: OpMeet, Peer: int32(peer)})
}

// Phase says that what follows belongs to the phase with this index.
func (o *Ops) Phase(index int) {
	o.list = append(o.list, Op{Kind: OpPhase, Phase: uint8(index)})
}

// Pattern says that the following messages are part of a communication of all ranks over a rank
// distance. If the communication is synchronised, no rank continues before the slowest is done.
// On a calibrated fabric this chooses the factor of the messages; other fabrics ignore it. With
// distance 0, as at the start, each message has the distance between its two ranks.
func (o *Ops) Pattern(distance int, synchronised bool) {
	o.list = append(o.list, Pattern{Distance: int32(distance), Synchronised: synchronised}.op())
}

// PatternAmong is a Pattern that synchronises fewer processes than there are ranks: the processes of one
// layer of a grid, for example, or half the number of ranks if a process has two threads.
func (o *Ops) PatternAmong(processes, distance int) {
	o.list = append(o.list, Pattern{int32(distance), int32(processes), true}.op())
}
