package nodes

import (
	"cmp"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/match"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// cluster is one run.
type cluster struct {
	kernel    *sim.Kernel
	self      sim.HandlerID
	machine   *machines.Machine
	program   programs.Program
	do        programs.Ops // of the step being fetched
	asked     int32        // rank whose step that is, or nobody
	place     *placement
	cores     int           // that the run may use
	limit     int32         // of rank.posted; 0: none
	nics      []network.NIC // by node; on a calibrated fabric, by rank
	ranks     []rank
	phases    int
	ledgers   []results.Ledger // rank-major, by phase
	messages  slab[message]
	stagings  slab[staging]
	schedules slab[schedule]
	due       fifo[dueSchedule]      // schedules that continue now
	matching  *match.Matching[int32] // values: a receive's request; a message's id
	sent      uint64
	bytes     int64
	uses      results.Uses
	elsewhere uint64 // events that regions dispatched
	largest   int64  // bytes of the largest message that a run can carry
	barrier   barrier
	noise     noise
	recorder  recorder
	causes    *causes           // nil: no critical path
	live      *liveProgram      // nil: the program is not live
	symmetry  *symmetricProgram // nil: all ranks are simulated
	region    *region           // nil: the run is on one core
	sharers   sharers
	moving    slab[stream] // what NICs are moving through memories
	services  []service    // by NIC
	networkSide

	sendOverhead, receiveOverhead sizeCost // o of a send, of a receive
	occupancy                     sizeCost // of a NIC: Startup + G
	pieceOccupancy                sizeCost // the least cost of bytes in pieces

	charge charge
	empty  sim.Time // o of no bytes
	whole  bool     // a message takes as long in one piece as in several

	agent       *traits  // of the agent that does the jobs
	delay       sim.Time // from when a job becomes possible until it begins
	extra       sim.Time // further CPU time of a job that interrupts, or of a job of the thread
	testCost    sim.Time // CPU time of a Test
	instant     bool     // jobs take no time
	interrupted bool     // jobs may interrupt what a rank does
	leads       int32    // the rank whose job, or call, makes further jobs possible now, or nobody
	prompt      bool     // a post hands its message to the NIC at once; otherwise when the overhead is paid, which jobs may put off
	background  sim.Time // number of threads that share the core of a process
	err         error    // ends the run
}

// rank is the state of one process.
type rank struct {
	ops     []programs.Op // of the current step
	next    int32         // index into ops of the operation under way
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
	flight    sim.Time         // own messages are under way until then
	hidden    sim.Time         // how long they were under way while the CPU computed
	requests  []int32          // what each request holds, at index request + 1
	disturbed bool             // computing: the time goes to noise
	posted    int32            // own messages not completely sent, if the NIC does not count them
	flying    int32            // own messages not delivered, if that time is not known at once
	any       bool             // waiting: for the first of the requests of its choice
	meets     int32            // in a barrier of two threads: the rank that it waits to meet, + 1; 0: none
	choice    *programs.Choice // nil: it has never chosen
	started   *started         // nil: it has started no schedule
	*worker                    // nil: it has had no jobs yet
	least     least
}

const never sim.Time = -1

// schedule schedules an event of the cluster, unless it lies beyond the longest run.
func (c *cluster) schedule(at sim.Time, kind uint32, arg uint64) {
	switch {
	case !c.within(at):
		return
	case c.region != nil:
		c.region.schedule(sim.Event{At: at, Kind: kind, Arg: arg})
		return
	case c.symmetry != nil:
		c.symmetry.schedules(at, kind, arg)
	}
	c.kernel.Schedule(at, c.self, kind, arg)
}

// fail ends the run. Only the first error counts.
func (c *cluster) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.kernel.Stop()
}

// within tells whether a future time lies within the longest run. If it does not, or if no Time
// could hold it, the run ends.
func (c *cluster) within(at sim.Time) bool {
	if at > machines.Longest || at < c.kernel.Now() {
		c.fail(tooLong)
		return false
	}
	return true
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

func newCluster(m *machines.Machine, p programs.Program, perNode int, o Options) (*cluster, error) {
	n := p.Ranks()
	place, err := o.places(n, perNode)
	if err = cmp.Or(err, o.modelled(m)); err != nil {
		return nil, err
	}
	c := &cluster{
		asked:   nobody,
		leads:   nobody,
		kernel:  sim.NewKernel(),
		machine: m,
		program: p,
		place:   place,
		cores:   o.Cores,
		ranks:   make([]rank, n),
		phases:  max(1, len(p.Phases())),
		largest: largest(m),
		noise:   newNoise(m.Noise, n, o.Seed),
	}
	c.self = c.kernel.Register(c)
	c.ledgers = make([]results.Ledger, n*c.phases)
	c.matching = match.NewMatching[int32](n)
	limit := m.Network.Limit(n)
	if m.Copying != nil || o.Fabric != nil { // whole messages are counted here
		c.limit, limit = int32(limit), 0
	}
	place.assignNICs(m, programs.Threads(p))
	c.networkSide = newNetworkSide(m, p, place, o.Calibration)
	c.nics = make([]network.NIC, len(place.users))
	divide(len(c.nics), c.cores, func(from, to int) {
		network.PrepareNICs(c.nics[from:to], &m.Network, place.users[from:to], limit)
	})
	c.services = make([]service, len(c.nics))
	c.priceMessages()
	c.chooseAgent()
	if err := c.setBackground(perNode, o.Background); err != nil {
		return nil, err
	}
	c.prepareRanks()
	if o.Timeline {
		c.recorder.begin(c, &o)
	}
	if o.Critical {
		c.causes = newCauses(c, o, limit)
	}
	if err := c.shareCores(); err != nil {
		return c, err
	}
	return c, c.connect(o)
}

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

// chooseAgent finds who does the jobs. In the library of LogGOPS jobs take no time.
func (c *cluster) chooseAgent() {
	rt, cp := c.machine.Runtime, c.machine.Copying
	by := machines.InCalls
	switch {
	case rt != nil:
		p := &rt.Progress
		by, c.delay, c.extra, c.testCost = p.By, p.Delay, p.Cost, p.Test
	case cp != nil && cp.Interrupts:
		by, c.extra = machines.Interrupts, cp.Interrupt
	case cp == nil && c.machine.Offloaded:
		by = machines.Offload
	}
	c.agent = traitsOf(by)
	c.interrupted = rt != nil || cp != nil
	c.prompt = !c.interrupted || c.machine.Network.Early && cp == nil
	c.instant = !c.interrupted || c.agent.cpu == noCPU
}

// priceMessages prepares the costs of messages by size.
func (c *cluster) priceMessages() {
	p := &c.machine.Network
	c.charge.prices = parts.Prices(c.machine)
	c.sendOverhead, c.receiveOverhead = newSizeCost(p.SendOverhead.Of), newSizeCost(p.ReceiveOverhead.Of)
	c.occupancy = newSizeCost(func(bytes int64) sim.Time { return p.Startup + p.Transfer.Of(c.stripe(bytes)) })
	c.empty = p.SendOverhead.Of(0)
	c.whole = len(p.Transfer) <= 1 && c.machine.Runtime == nil && c.machine.Copying == nil && !c.calibration.on()
	c.pieceOccupancy = newSizeCost(func(bytes int64) sim.Time { return p.Startup + p.Transfer.InPieces(c.stripe(bytes), 1+bytes/maxChunk) })
}

// length returns how long a message occupies a NIC.
func (c *cluster) length(bytes int64) sim.Time { return c.occupancy.of(bytes) }

// stripe returns the most bytes of a message that one NIC carries.
func (c *cluster) stripe(bytes int64) int64 {
	if c.place.own {
		return bytes
	}
	return c.machine.Stripe(bytes)
}

// nic returns the NIC of a rank, and the rank's number among the users of that NIC.
func (c *cluster) nic(r int32) (nic *network.NIC, process int) {
	return &c.nics[c.place.nic[r]], int(c.place.user[r])
}
