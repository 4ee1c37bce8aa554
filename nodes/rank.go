package nodes

import (
	"overlapsim/network"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// rank is the state of one process.
type rank struct {
	ops     []programs.Op // of the current step
	next    int32         // index into ops of the operation under way
	meets   int32         // in a barrier of two threads: the rank that it waits to meet, + 1; 0: none
	step    int
	ended   bool
	state   state
	in      occupation
	phase   uint8
	pattern programs.Pattern

	wakeAt    sim.Time         // when to resume; never: nothing is scheduled
	accounted sim.Time         // the ledger is complete up to here
	opEnd     sim.Time         // computing, posting: when the operation ends
	awaited   int32            // waiting, posting: the message, or nobody
	waitsOn   int32            // waiting: the request
	since     network.Served   // waiting: what the NIC had served at accounted
	flight    sim.Time         // own messages are in flight until then
	unbooked  []results.Span   // not booked yet: from the first wait on whose message made no progress, while only waits follow
	hidden    sim.Time         // how long they were under way while the CPU computed
	requests  []int32          // what each request holds, at index request + 1
	disturbed bool             // computing: the time goes to noise
	posted    int32            // own messages not completely sent, if the NIC does not count them
	flying    int32            // own messages not delivered, if that time is not known at once
	any       bool             // waiting: for the first of the requests of its choice
	choice    *programs.Choice // nil: it has never chosen
	started   *started         // nil: it has started no schedule
	*worker                    // nil: it has had no jobs yet
	least     least
}

// state is what a rank is doing.
type state uint8

const (
	ready     state = iota
	computing       // until opEnd
	stalled         // before a post: the NIC cannot take it yet
	queued          // without RDMA: before a post, until its slot is free
	posting         // o, until opEnd
	copying         // without RDMA: after o, copying what fits; then the agent does
	waiting         // for a message
	receiving       // o of a receive, or other work of a call, until opEnd
	inBarrier
	awaiting // an event of the live environment
)

// firstOps is the number of operations of a step for which every rank has room from the start.
const firstOps = 4

// prepareRanks gives each rank room for its first operations, and a worker where jobs interrupt it.
func (c *cluster) prepareRanks() {
	ops := make([]programs.Op, firstOps*len(c.ranks))
	divide(len(c.ranks), c.cores, func(from, to int) {
		for r := from; r < to; r++ {
			k := &c.ranks[r]
			k.ops = ops[firstOps*r : firstOps*r : firstOps*(r+1)]
			if c.interrupted {
				k.worker = new(worker)
			}
		}
	})
}
