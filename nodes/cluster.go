package nodes

import (
	"cmp"
	"errors"
	"fmt"

	"overlapsim/network"
	"overlapsim/network/calibrated"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/match"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// Options of a run.
type Options struct {
	Seed     uint64 // of the noise
	Timeline bool   // record spans and messages
	Calls    bool   // and calls of NICs
	Critical bool   // find the critical path
	// Spill makes an empty file for what a timeline does not hold in memory, which then does not grow
	// with its length. It is called if there is much of that, and the file is read as long as the
	// timeline is. nil: everything is in memory.
	Spill func() (results.File, error)
	// MostEvents is how many events a run may need. One that needs more ends with
	// ErrMostEvents. 0: any number.
	MostEvents uint64
	// Background is how many threads compute beside each process all the time.
	Background int
	Nodes      []int32 // the fabric's node of each rank; nil: block-wise from node 0 on
	NoSymmetry bool    // simulate all ranks, even if few tell the time of all
	// All is asked before all ranks are simulated after all because few did not tell their
	// time. Its error ends the run. nil: they may be.
	All func() error
	// Cores is how many cores one run may use; the result is the same for all. 0: one. The
	// steps of a program are then asked for by several goroutines at once.
	Cores int
	// Fabric makes the fabric that the messages of the run share; nil: ideal.
	Fabric network.Maker
	// Traffic: record what the links of the Fabric carry when, and what waits at NICs.
	Traffic bool
	// Point says at which end point of the fabric a NIC of one of its nodes is; nil: those of
	// a node follow each other.
	Point func(node, nic int) int
	// Calibration says how much longer than alone messages take if Fabric is nil; nil: no longer.
	Calibration *calibrated.Calibration
}

// Run runs the program on the machine, with at most perNode ranks on a node, one per
// hardware context. The run is checked: on every rank the ledger sums exactly to its wall
// time.
func Run(m *machines.Machine, p programs.Program, perNode int, o Options) (*results.Result, error) {
	if result, ok, err := symmetric(m, p, perNode, o); ok {
		return result, err
	}
	if o.All != nil {
		if err := o.All(); err != nil {
			return nil, err
		}
	}
	if InRegions(m, p, o) {
		if result, ok := splitRun(m, p, perNode, o, fewForTwo); ok {
			return result, nil
		}
	}
	return run(m, p, perNode, o, func(*cluster) {})
}

// run prepares the cluster, passes it to begin, and runs it. A panic in the program, or
// in anything else that the run calls, is returned as its error.
func run(m *machines.Machine, p programs.Program, perNode int, o Options, begin func(*cluster)) (result *results.Result, err error) {
	var c *cluster
	defer func() {
		if value := recover(); value != nil {
			result, err = nil, sim.Caught(c.asking(), value)
		}
		if c != nil {
			c.recorder.end()
		}
	}()
	if err := fits(m, p.Ranks(), perNode); err != nil {
		return nil, err
	}
	p = programs.InRun(p)
	if c, err = newCluster(m, p, perNode, o); err != nil {
		return nil, err
	}
	begin(c)
	for r := range c.ranks {
		c.resume(int32(r), 0)
	}
	c.drive(o.MostEvents)
	if c.err != nil {
		return nil, c.err
	}
	if err := c.unfinished(); err != nil {
		return nil, err
	}
	if result, err = c.result(); err == nil && o.Fabric == nil { // a fabric is asked for its links later
		c.kernel.Release()
	}
	return result, err
}

// asking names the rank whose step is being asked for, if there is one.
func (c *cluster) asking() string {
	if c == nil || c.asked == nobody {
		return "run"
	}
	return fmt.Sprintf("rank %d", c.asked)
}

// ErrMostEvents says that a run has reached Options.MostEvents.
var ErrMostEvents = errors.New("the run needs more events than it may have")

// drive dispatches at most that many events; 0: all there are.
func (c *cluster) drive(most uint64) {
	if most == 0 {
		c.kernel.Run()
		return
	}
	for c.err == nil && c.kernel.Processed() < most && c.kernel.Step() {
	}
	if c.kernel.Pending() > 0 {
		c.fail(ErrMostEvents)
	}
}

// fits reports why that many ranks cannot run on a machine.
func fits(m *machines.Machine, ranks, perNode int) error {
	if err := Validate(m); err != nil {
		return err
	}
	if ranks < 1 || perNode < 1 {
		return fmt.Errorf("ranks and processes per node must be at least 1, got %d and %d", ranks, perNode)
	}
	if perNode > m.Contexts() {
		return fmt.Errorf("%d processes per node, but a node of %s has %s", perNode, m.Name, m.Room())
	}
	if need := (ranks + perNode - 1) / perNode; m.Nodes > 0 && need > m.Nodes {
		return fmt.Errorf("%d ranks at %d per node need %d nodes, %s has %d", ranks, perNode, need, m.Name, m.Nodes)
	}
	return nil
}

// cluster is one run.
type cluster struct {
	kernel      *sim.Kernel
	self        sim.HandlerID
	machine     *machines.Machine
	program     programs.Program
	do          programs.Ops // of the step being fetched
	asked       int32        // rank whose step that is, or nobody
	place       *placement
	limit       int32 // of rank.posted; 0: none
	fabric      network.Fabric
	carrier     *carrier      // nil: the fabric is ideal
	nics        []network.NIC // by node; on a calibrated fabric, by rank
	ranks       []rank
	phases      int
	ledgers     []results.Ledger // rank-major, by phase
	messages    slab[message]
	detours     slab[detour]
	matching    *match.Matching[int32] // values: a receive's request; a message's id
	sent        uint64
	bytes       int64
	uses        results.Uses
	elsewhere   uint64 // events that regions have dispatched
	largest     int64  // bytes of the largest message that a run can carry
	barrier     barrier
	noise       []disturber  // by rank; nil: none
	meeting     []int32      // by rank: the rank it waits to meet, + 1; nil: none has waited
	recorder    *recorder    // nil: no timeline
	causes      *causes      // nil: no critical path
	crowd       *crowd       // nil: the fabric is not calibrated
	live        *liveProgram // nil: compiled
	folded      *folded      // nil: all ranks are simulated
	region      *region      // nil: the run is on one core
	sharers     *sharers     // nil: ranks do not slow each other down
	moving      slab[stream] // what NICs move through memories
	services    []service    // by NIC
	connections *connections // nil: connections hold any number of bytes

	sending, receiving tariff // o of a send, of a receive
	carrying           tariff // of a NIC: Startup + G
	piecing            tariff // the least for bytes in pieces

	bill  bill
	empty sim.Time // o of no bytes
	whole bool     // a message takes as long whole as in pieces

	agent       *traits  // of the agent that does the jobs
	delay       sim.Time // from when a job becomes possible until it begins
	extra       sim.Time // CPU time of a job that interrupts, or of the thread, besides its own
	testCost    sim.Time // CPU time of a Test
	instant     bool     // jobs take no time
	interrupted bool     // jobs may interrupt what a rank does
	background  sim.Time // threads that share the core of a process
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
	flight    sim.Time         // own messages are under way until here
	hidden    sim.Time         // how long they were under way while the CPU computed
	requests  []int32          // by request + 1
	disturbed bool             // computing: for noise
	posted    int32            // own messages not completely sent, if the NIC does not count them
	flying    int32            // own messages not delivered, if that time is not known at once
	any       bool             // waiting: for whichever request of its choice is over first
	choice    *programs.Choice // nil: it has never chosen
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
	case c.folded != nil:
		c.folded.schedules(at, kind, arg)
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

// within tells whether a time to come lies within a run. If it does not, or if no Time
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

// Kinds of kernel events. The argument is a rank, or a message with its leg, or a message
// with the bytes of a chunk.
const (
	evResume uint32 = iota
	evChunkSent
	evChunkArrived
	evChunkPassed
	evJobDone
	evArrive
	evPassed
	evTest
	evDispatched
	evRead
	evReady
	evLeave
	evSignal
	evStream
	evStreamEnd
	evNoticed
	evLand
	evOpened
	evServed
)

// firstOps is for how many operations of a step every rank has room from the start.
const firstOps = 4

func newCluster(m *machines.Machine, p programs.Program, perNode int, o Options) (*cluster, error) {
	n := p.Ranks()
	place, err := o.places(n, perNode)
	if err = cmp.Or(err, o.modelled(m)); err != nil {
		return nil, err
	}
	c := &cluster{
		asked:   nobody,
		kernel:  sim.NewKernel(),
		machine: m,
		program: p,
		place:   place,
		fabric:  network.Ideal{L: m.Network.Latency},
		ranks:   make([]rank, n),
		phases:  max(1, len(p.Phases())),
		largest: largest(m),
		noise:   newDisturbers(m.Noise, n, o.Seed),
	}
	c.self = c.kernel.Register(c)
	c.ledgers = make([]results.Ledger, n*c.phases)
	c.matching = match.NewMatching[int32](n)
	limit := m.Network.Limit(n)
	if m.Copying != nil || o.Fabric != nil { // whole messages are counted here
		c.limit, limit = int32(limit), 0
	}
	if cp := m.Copying; cp != nil && cp.Window > 0 {
		c.connections = newConnections(cp.Window)
	}
	place.seat(m, programs.Threads(p))
	if o.Calibration != nil {
		all := ranksOf(p)
		c.crowd = &crowd{Factors: o.Calibration.For(all), ranks: all}
		place.ownNICs()
	}
	ways := 1
	if o.Fabric != nil {
		ways = lanes(m)
	}
	c.nics = network.NewNICs(&m.Network, place.users, limit, ways)
	c.services = make([]service, len(c.nics))
	c.priceMessages()
	c.chooseAgent()
	if err := c.setBackground(perNode, o.Background); err != nil {
		return nil, err
	}
	ops := make([]programs.Op, firstOps*n)
	for r := range c.ranks {
		k := &c.ranks[r]
		k.ops = ops[firstOps*r : firstOps*r : firstOps*(r+1)]
		if c.interrupted {
			k.worker = new(worker)
		}
	}
	if o.Timeline {
		c.recorder = newRecorder(c, &o)
	}
	if o.Critical {
		c.causes = newCauses(c, o, limit, ways)
	}
	if m.Sharing != nil {
		c.sharers, err = c.newSharers()
	}
	if o.Fabric == nil || err != nil {
		return c, err
	}
	return c, c.connect(o)
}

// places returns where the ranks are: in order, or as the options say.
func (o *Options) places(ranks, perNode int) (*placement, error) {
	switch {
	case o.Nodes == nil:
		return block(ranks, perNode), nil
	case len(o.Nodes) != ranks:
		return nil, fmt.Errorf("%d ranks are placed, there are %d", len(o.Nodes), ranks)
	}
	return placed(o.Nodes, perNode)
}

// modelled returns why there is no such run on a machine.
func (o *Options) modelled(m *machines.Machine) error {
	switch {
	case o.Critical && m.Copying != nil && m.Copying.Protocols > 0:
		return mistake("copying.protocols", "a CPU works for processes that are not on it: no critical path is known of that")
	case o.Calibration != nil && o.Fabric != nil:
		return errors.New("messages contend on the fabric, or are slower by a calibration, not both")
	}
	return nil
}

// connect makes the fabric on which messages contend.
func (c *cluster) connect(o Options) error {
	c.carrier = newCarrier(c, o.Point)
	fabric, err := o.Fabric(c.kernel, c.carrier)
	c.carrier.fabric, c.fabric = fabric, fabric
	if err != nil {
		return err
	}
	c.causes.explain(c, fabric)
	if o.Traffic {
		c.carrier.watch(fabric)
	}
	return nil
}

// chooseAgent says who does the jobs. In the library of LogGOPS jobs take no time.
func (c *cluster) chooseAgent() {
	rt, cp := c.machine.Runtime, c.machine.Copying
	by := machines.InCalls
	switch {
	case rt != nil:
		p := &rt.Progress
		by, c.delay, c.extra, c.testCost = p.By, p.Delay, p.Cost, p.Test
	case cp != nil && cp.Interrupts:
		by, c.extra = machines.Interrupts, cp.Interrupt
	}
	c.agent = traitsOf(by)
	c.interrupted = rt != nil || cp != nil
	c.instant = !c.interrupted || c.agent.cpu == noCPU
}

// priceMessages prepares the costs of messages by size.
func (c *cluster) priceMessages() {
	p := &c.machine.Network
	c.bill.prices = parts.Prices(c.machine)
	c.sending, c.receiving = newTariff(p.SendOverhead.Of), newTariff(p.ReceiveOverhead.Of)
	c.carrying = newTariff(func(bytes int64) sim.Time { return p.Startup + p.Transfer.Of(c.stripe(bytes)) })
	c.empty = p.SendOverhead.Of(0)
	c.whole = len(p.Transfer) <= 1 && c.machine.Runtime == nil && c.machine.Copying == nil && c.crowd == nil
	c.piecing = newTariff(func(bytes int64) sim.Time { return p.Startup + p.Transfer.InPieces(c.stripe(bytes), 1+bytes/maxChunk) })
}

// length returns how long a message of that many bytes occupies a NIC.
func (c *cluster) length(bytes int64) sim.Time { return c.carrying.ask(bytes) }

// stripe returns the most bytes of a message that one NIC carries.
func (c *cluster) stripe(bytes int64) int64 {
	if c.crowd != nil {
		return bytes
	}
	return c.machine.Stripe(bytes)
}

// far returns what the way from or to a rank takes longer because its NIC is on another socket.
func (c *cluster) far(r int32) sim.Time {
	if c.place.far == nil {
		return 0
	}
	return c.place.far[r]
}

// nic returns the NIC of a rank, and the rank's number among the users of that NIC.
func (c *cluster) nic(r int32) (nic *network.NIC, process int) {
	return &c.nics[c.place.nic[r]], int(c.place.user[r])
}

func (c *cluster) node(r int32) int32 { return c.place.home[r] }

// latency returns the latency of the fabric between the nodes of two ranks.
func (c *cluster) latency(from, to int32) sim.Time {
	if c.carrier == nil { // ideal or calibrated
		return c.machine.Network.Latency + c.far(from) + c.far(to)
	}
	return c.latencyOf(from, to, network.Bytes)
}

// latencyOf returns the latency of a transfer of that kind: of its part with the longest way.
func (c *cluster) latencyOf(from, to int32, kind network.Kind) sim.Time {
	way := sim.Time(0)
	for part := range c.carrier.stripes {
		way = max(way, c.latencyOfPart(from, to, part, kind))
	}
	return way
}

// latencyOfPart returns the latency of a part of a transfer of that kind.
func (c *cluster) latencyOfPart(from, to int32, part int, kind network.Kind) sim.Time {
	one, other := c.carrier.way(from, to, part)
	return c.fabric.Latency(one, other, kind) + c.far(from) + c.far(to)
}

// resume lets the rank go on at that time, in place of any time asked for before.
func (c *cluster) resume(r int32, at sim.Time) {
	c.ranks[r].wakeAt = at
	c.schedule(at, evResume, uint64(r))
}

// Handle implements sim.Handler.
func (c *cluster) Handle(e sim.Event) {
	c.causes.prune(e.At)
	switch e.Kind {
	case evResume:
		if k := &c.ranks[e.Arg]; k.wakeAt == e.At {
			k.wakeAt = never
			c.wake(int32(e.Arg), e.At)
			c.show(int32(e.Arg), e.At)
		}
	case evChunkSent:
		c.causes.leavesChunk(int32(uint32(e.Arg)), e.At)
		c.chunkSent(int32(uint32(e.Arg)), int64(e.Arg>>32), e.At)
	case evChunkArrived:
		c.causes.arrivesChunk(int32(uint32(e.Arg)), e.At)
		c.chunkArrived(int32(uint32(e.Arg)), int64(e.Arg>>32), e.At)
	case evChunkPassed:
		c.causes.hasPassedChunk(int32(uint32(e.Arg)), e.At)
		c.chunkPassed(int32(uint32(e.Arg)), int64(e.Arg>>32), passing, e.At)
	case evJobDone:
		c.jobDone(int32(e.Arg), e.At)
	case evArrive:
		c.causes.begins(e)
		c.arrive(int32(uint32(e.Arg)), leg(e.Arg>>32), e.At)
	case evPassed:
		c.causes.begins(e)
		c.pass(int32(uint32(e.Arg)), leg(e.Arg>>32), e.At)
	case evTest:
		c.test(int32(e.Arg), e.At)
	case evDispatched:
		c.dispatched(int32(e.Arg), e.At)
	case evRead:
		c.causes.begins(e)
		c.serveRead(int32(e.Arg), e.At)
	case evReady:
		c.carrier.isReady(int32(e.Arg), e.At)
	case evLeave:
		c.carrier.leave(int32(e.Arg))
	case evStream:
		c.streamed(int32(e.Arg), +1, e.At)
	case evStreamEnd:
		c.streamed(int32(e.Arg), -1, e.At)
	case evNoticed:
		c.noticed(int32(e.Arg), e.At)
	case evLand:
		c.carrier.land(int32(e.Arg), e.At)
	case evOpened:
		c.opened(int32(uint32(e.Arg)), int64(e.Arg>>32), e.At)
	case evServed:
		c.kernelWorked(int32(uint32(e.Arg)), int64(e.Arg>>32), e.At)
	case evSignal:
		c.live.fire(int32(e.Arg))
	}
	if c.live != nil {
		c.live.env.Drain()
	}
}

// wake continues the operation that the rank was blocked in, and then the program up to
// the next operation that takes time.
func (c *cluster) wake(r int32, now sim.Time) {
	k := &c.ranks[r]
	if k.state == stalled && c.full(r, now) {
		c.hesitate(r, stalled, now)
		return
	}
	if k.state == stalled || k.state == queued {
		k.in = inPost
	}
	if c.occupied(k, now) { // jobs come first
		c.resume(r, max(k.busy, now))
		return
	}
	switch k.state {
	case computing, posting, receiving:
		if now < k.opEnd { // interrupts have moved the end
			c.resume(r, k.opEnd)
			return
		}
		c.endTimed(r, now)
	case stalled:
		c.spend(r, results.NICStall, now)
		k.state = ready
		c.post(r, &k.ops[k.next], now)
	case queued:
		c.spend(r, results.NICStall, now)
		c.pay(r, now, c.slowed(r, c.postBill(&k.ops[k.next])))
	case waiting:
		c.endWait(r, now)
	case inBarrier:
		c.spend(r, results.BarrierTime, now)
		c.causes.ends(r, now)
		k.done()
	case awaiting:
		c.spend(r, results.Partner, now)
		k.done()
	}
	for k.state == ready && c.fetch(r, now) {
		if c.noise != nil && c.disturb(r, &k.ops[k.next], now) {
			return
		}
		c.start(r, &k.ops[k.next], now)
		if k.state == ready && c.occupied(k, now) {
			c.resume(r, max(k.busy, now))
			return
		}
	}
}

// done ends the operation under way.
func (k *rank) done() {
	k.state = ready
	k.next++
}

// endTimed ends a computation or the overhead of a post.
func (c *cluster) endTimed(r int32, now sim.Time) {
	k := &c.ranks[r]
	if k.state == computing {
		c.causes.computed(c, r, now)
	}
	c.causes.ends(r, now)
	switch k.state {
	case computing:
		c.compute(r, now)
		if k.disturbed {
			k.disturbed, k.state = false, ready
			return
		}
		k.done()
	case receiving:
		c.spend(r, results.Overhead, now)
		k.done()
	case posting:
		c.spend(r, results.Overhead, now)
		c.posted(r, now)
	}
}

// fetch makes sure that there is a next operation; false: the rank has ended.
func (c *cluster) fetch(r int32, now sim.Time) bool {
	k := &c.ranks[r]
	for int(k.next) == len(k.ops) {
		if k.ended { // what waited for the next call is done now
			c.causes.goesOn(r, now)
			c.busyWith(r, inWait, now)
			return false
		}
		c.do, c.asked = programs.Collect(k.ops, now, k.choice), r
		more := c.program.Step(int(r), k.step, &c.do)
		c.asked = nobody
		k.ops, k.next, k.choice = c.do.List(), 0, c.do.Choice()
		k.step++
		if !more {
			k.ended = true
		}
	}
	return true
}

// start begins an operation of a ready rank.
func (c *cluster) start(r int32, op *programs.Op, now sim.Time) {
	k := &c.ranks[r]
	c.uses.Operation(op)
	c.causes.goesOn(r, now)
	if k.in = occupied[op.Kind]; k.worker != nil && c.agent.works[k.in] {
		c.enterLibrary(r, now)
	}
	switch op.Kind {
	case programs.OpCompute:
		if c.background > 0 {
			k.state = computing
			c.fail(mistake("background_threads", "rank %d computes, but its core is shared with %d background threads: not supported", r,
				c.background))
			return
		}
		k.least.works(sim.Time(op.Amount))
		c.beginComputing(r, op, now)
	case programs.OpPut, programs.OpGet, programs.OpSignal, programs.OpSend:
		c.post(r, op, now)
	case programs.OpReceive:
		c.receive(r, op, now)
	case programs.OpWait:
		c.wait(r, op.Request, now)
	case programs.OpWaitAny:
		c.waitAny(r, now)
	case programs.OpTest:
		c.work(r, c.testBill(), now)
	case programs.OpBarrier:
		c.enterBarrier(r, now)
	case programs.OpMeet:
		c.meet(r, op.Peer, now)
	case programs.OpPhase:
		k.phase = op.Phase
		k.done()
	case programs.OpPattern:
		k.pattern = op.Pattern()
		k.done()
	case programs.OpAwait:
		k.state = awaiting
		c.causes.refuse("programs that wait for events of their own")
		c.live.await(r)
	}
}

// barrier counts the ranks that have come.
type barrier struct{ come int }

func (c *cluster) enterBarrier(r int32, now sim.Time) {
	k := &c.ranks[r]
	k.state = inBarrier
	c.causes.comes(r, now)
	if c.region != nil {
		c.region.comes(now)
		return
	}
	if c.barrier.come++; c.barrier.come < len(c.ranks) {
		return
	}
	c.barrier.come = 0
	cost := c.machine.Barrier.Cost(len(c.ranks))
	exit := now + cost
	c.leastBarrier(cost)
	c.causes.leaves(c, exit)
	c.exit(exit)
}

// exit resumes all ranks after a barrier.
func (c *cluster) exit(at sim.Time) {
	if c.folded != nil {
		c.folded.together = true
		defer func() { c.folded.together = false }()
	}
	for i := range c.ranks {
		c.resume(int32(i), at)
	}
}

// result collects what the run produced and checks the ledgers.
func (c *cluster) result() (*results.Result, error) {
	n := len(c.ranks)
	res := &results.Result{
		Ranks: n, Events: c.kernel.Processed() + c.elsewhere, Messages: c.sent, Bytes: c.bytes, Uses: c.uses,
		Phases: c.program.Phases(), Kernels: c.machine.KernelNames(),
		Finish: make([]sim.Time, n), Hidden: make([]sim.Time, n),
		Ledgers: make([][]results.Ledger, n),
	}
	for r := range c.ranks {
		k := &c.ranks[r]
		res.Finish[r], res.Hidden[r] = k.accounted, k.hidden
		res.Ledgers[r] = c.ledgers[r*c.phases : (r+1)*c.phases]
		all := res.OfRank(r)
		if all.Sum() != k.accounted {
			return nil, fmt.Errorf("bug: ledger of rank %d sums to %v, its wall time is %v", r, all.Sum(), k.accounted)
		}
	}
	var err error
	if res.Bound, err = c.bound(res); err != nil {
		return nil, err
	}
	if c.recorder != nil {
		if res.Timeline, err = c.recorder.timeline(); err != nil {
			return nil, err
		}
	}
	if c.carrier != nil {
		res.Traffic = c.carrier.traffic
	}
	if err := c.causes.explains(res, c.machine); err != nil {
		return nil, err
	}
	return res, nil
}
