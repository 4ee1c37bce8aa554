package nodes

import (
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
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
	evHeard
	evTest
	evDispatched
	evRead
	evReady
	evLeave
	evSignal
	evStream
	evStreamEnd
	evNoticed
	evPartArrived
	evOpened
	evServed
	evBalance
	evRound
	evReceived
)

// resume makes the rank continue at a time, instead of any time requested before.
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
		c.queued[c.place.nic[c.messages.at(int32(uint32(e.Arg))).to]]--
		c.chunkPassed(int32(uint32(e.Arg)), int64(e.Arg>>32), passing, e.At)
	case evJobDone:
		c.jobDone(int32(e.Arg), e.At)
	case evArrive:
		c.causes.messageEvent(e)
		c.arrive(int32(uint32(e.Arg)), leg(e.Arg>>32), e.At)
	case evPassed:
		c.causes.messageEvent(e)
		c.passed(int32(uint32(e.Arg)), leg(e.Arg>>32), e.At)
	case evHeard:
		c.causes.messageEvent(e)
		c.heard(int32(e.Arg), e.At)
	case evTest:
		c.test(int32(e.Arg), e.At)
	case evDispatched:
		c.dispatched(int32(e.Arg), e.At)
	case evRead:
		c.causes.messageEvent(e)
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
	case evPartArrived:
		c.carrier.partArrived(int32(e.Arg), e.At)
	case evOpened:
		c.opened(int32(uint32(e.Arg)), int64(e.Arg>>32), e.At)
	case evServed:
		c.kernelWorked(int32(uint32(e.Arg)), int64(e.Arg>>32), e.At)
	case evBalance:
		c.balance(int(e.Arg), e.At)
	case evRound:
		c.due.push(dueSchedule{int32(e.Arg), nobody})
	case evReceived:
		c.due.push(dueSchedule{int32(uint32(e.Arg)), int32(e.Arg >> 32)})
	case evSignal:
		c.live.fire(int32(e.Arg))
	}
	c.continueSchedules(e.At)
	c.live.drain()
}

// wake continues the operation that the rank was blocked in, and then the program up to
// the next operation that takes time.
func (c *cluster) wake(r int32, now sim.Time) {
	k := &c.ranks[r]
	if k.state == stalled {
		c.causes.looksForRoom(r, now)
		if c.full(r, now) {
			c.delayPost(r, stalled, now)
			return
		}
	}
	if k.state != waiting && k.in == inWait { // what it waits for is there, and its CPU takes on no other job
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
		c.idle(r, results.NICStall, now)
		k.state = ready
		c.post(r, &k.ops[k.next], now)
	case queued:
		c.idle(r, results.NICStall, now)
		c.causes.getsSlot(r, now)
		c.pay(r, now, c.slowed(r, c.postCharge(&k.ops[k.next])))
	case waiting:
		c.endWait(r, now)
	case inBarrier:
		c.idle(r, results.BarrierTime, now)
		c.causes.operationEnds(r, now)
		k.done()
	case awaiting:
		c.idle(r, results.Partner, now)
		k.done()
	}
	for k.state == ready && c.fetch(r, now) {
		op := &k.ops[k.next]
		if c.disturb(r, op, now) {
			return
		}
		c.start(r, op, now)
		if k.state == ready && c.occupied(k, now) {
			c.resume(r, max(k.busy, now))
			return
		}
	}
}

// done ends the current operation.
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
	c.causes.operationEnds(r, now)
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

// fetch makes sure that there is a next operation. It returns false if the rank has ended.
func (c *cluster) fetch(r int32, now sim.Time) bool {
	k := &c.ranks[r]
	c.betweenOperations(r, now)
	for int(k.next) == len(k.ops) {
		if k.ended { // what waited for the next call is done now
			c.causes.continues(r, now)
			c.busyWith(r, inWait, now)
			c.bookWaits(r)
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
	c.causes.continues(r, now)
	if c.vain(r, op, now) {
		k.done()
		return
	}
	if k.in = occupied[op.Kind]; k.worker != nil {
		c.calls(r, now)
		if c.instant && c.occupied(k, now) { // it begins after the rounds that the call begins with
			return
		}
	}
	c.uses.Operation(op)
	switch op.Kind {
	case programs.OpWait, programs.OpWaitAny, programs.OpPhase:
	default:
		c.bookWaits(r)
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
		c.work(r, c.testCharge(), now)
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
	case programs.OpStart:
		c.startSchedule(r)
	case programs.OpAwait:
		k.state = awaiting
		c.causes.refuse("programs that wait for their own events")
		c.live.await(r)
	}
	if k.worker != nil && k.in == inWait && k.state != ready {
		c.progress(r, now)
	}
}

// barrier counts the ranks that have arrived.
type barrier struct{ arrived int }

func (c *cluster) enterBarrier(r int32, now sim.Time) {
	k := &c.ranks[r]
	k.state = inBarrier
	c.causes.entersBarrier(r, now)
	if c.region.entersBarrier(now) {
		return
	}
	if c.barrier.arrived++; c.barrier.arrived < len(c.ranks) {
		return
	}
	c.barrier.arrived = 0
	cost := c.barrierCost()
	exit := now + cost
	c.leastBarrier(cost)
	c.causes.leavesBarrier(c, exit)
	c.exit(exit)
}

func (c *cluster) barrierCost() sim.Time {
	return c.machine.Barrier.Cost(len(c.ranks), len(c.place.count))
}

// exit resumes all ranks after a barrier.
func (c *cluster) exit(at sim.Time) {
	c.symmetry.leaves(true)
	for i := range c.ranks {
		c.resume(int32(i), at)
	}
	c.symmetry.leaves(false)
}
