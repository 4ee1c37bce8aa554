package nodes

import (
	"fmt"
	"maps"
	"slices"

	"overlapsim/nodes/parts"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// schedule is a schedule that a rank has started (rules 24 to 29). A round is what lies between the
// waits for the round before and its own waits. The program does the first one, as operations of its
// own. To begin a later one is a job.
type schedule struct {
	rank, request int32
	ops           []programs.Op
	next          int32    // the operation that comes next
	stop          int32    // where the waits of the round begin, or end
	left          int32    // what the round still waits for: messages whose end is not known, and jobs for received ones
	open          bool     // all of the round is posted, and the round is not over
	posted        bool     // the job of a round ends now
	last          int32    // of the messages that the latest round waited for, the one that was complete last; nobody: none
	begun         sim.Time // when the job of the round began
	end           sim.Time // when the last of the known ends of the round is
	over          sim.Time // when the schedule is complete
	there         sim.Time // for the bound: the round cannot begin earlier
}

// started is what a rank knows about the schedules that it has started.
type started struct {
	claims   map[int32]int32 // by request: the schedule whose it is
	requests map[int32]int32 // by message: the request of a schedule that holds it
	awaited  map[int32]bool  // by request: its round waits for it, and its end is not known
	opens    int32           // the schedule whose first round the program does; nobody: none
	opening  int32           // where that round ends in the program
	after    int32           // where the schedule ends in the program
}

// scheduleSlot is what a request slot holds for a schedule; scheduleOf is the schedule of a slot.
func scheduleSlot(id int32) int32 { return pendingReceive - 1 - id }
func scheduleOf(slot int32) int32 { return pendingReceive - 1 - slot }

// startSchedule starts a schedule. The operations of its first round come next.
func (c *cluster) startSchedule(r int32) {
	k := &c.ranks[r]
	if c.region.needsOneCore() {
		k.state = inBarrier
		return
	}
	rest := k.ops[k.next+1:]
	n := slices.IndexFunc(rest, func(op programs.Op) bool { return op.Kind == programs.OpStarted })
	if err := c.startable(r, rest, n); err != nil {
		k.state = inBarrier
		c.fail(err)
		return
	}
	first := slices.IndexFunc(rest, func(op programs.Op) bool { return op.Kind == programs.OpWait || op.Kind == programs.OpStarted })
	id := c.schedules.add()
	*c.schedules.at(id) = schedule{
		rank: r, request: k.ops[k.next].Request, ops: slices.Clone(rest[:n]), next: int32(first), last: nobody,
		over: sim.Forever, there: k.least.clock,
	}
	if k.started == nil {
		k.started = &started{map[int32]int32{}, map[int32]int32{}, map[int32]bool{}, nobody, 0, 0}
	}
	for i := range c.schedules.at(id).ops {
		c.leavesNode(r, &c.schedules.at(id).ops[i])
	}
	for _, op := range rest[:n] {
		if op.Kind == programs.OpSend || op.Kind == programs.OpReceive || op.Kind == programs.OpPut {
			k.started.claims[op.Request] = id
		}
	}
	k.started.opens, k.started.opening, k.started.after = id, k.next+1+int32(first), k.next+2+int32(n)
	c.request(r, k.ops[k.next].Request, scheduleSlot(id))
	k.done()
}

// startable returns an error if a schedule of n operations does what no schedule can.
func (c *cluster) startable(r int32, ops []programs.Op, n int) error {
	if n < 0 {
		return fmt.Errorf("rank %d starts a schedule that does not end in the same step", r)
	}
	for _, op := range ops[:n] {
		switch ranks, _ := op.Combined(); {
		case op.Kind == programs.OpCompute && c.background > 0:
			return mistake("background_threads", "rank %d computes in a schedule, but its core is shared with %d background threads: not supported",
				r, c.background)
		case op.Kind == programs.OpCompute:
		case op.Kind != programs.OpSend && op.Kind != programs.OpReceive && op.Kind != programs.OpWait && ranks == 0:
			return fmt.Errorf("rank %d starts a schedule that does something else than compute, send, receive and wait", r)
		case op.Request < 0:
			return fmt.Errorf("rank %d starts a schedule with a message that has no request", r)
		}
	}
	return nil
}

// betweenOperations continues the schedules that can continue before the next operation of a rank.
// One of them may be a schedule whose first round the program has done.
func (c *cluster) betweenOperations(r int32, now sim.Time) {
	k := &c.ranks[r]
	if s := k.started; s != nil && s.opens != nobody && k.next == s.opening {
		id := s.opens
		k.next, s.opens = s.after, nobody
		c.causes.continues(r, now)
		c.causes.comesTo(id)
		c.awaitRound(id, now)
	}
	if !c.due.empty() {
		k.in = inBetween
		c.continueSchedules(now)
	}
}

// claim notes that a request of a rank holds a message, if the request is one of a schedule.
func (c *cluster) claim(r, request, id int32) {
	k := &c.ranks[r]
	if k.started == nil {
		return
	}
	if _, ok := k.started.claims[request]; ok {
		k.started.requests[id] = request
	}
}

// awaitRound finds what a round waits for that is posted now.
func (c *cluster) awaitRound(id int32, now sim.Time) {
	s := c.schedules.at(id)
	k := &c.ranks[s.rank]
	s.open, s.end, s.stop = true, now, s.next
	for ; int(s.stop) < len(s.ops) && s.ops[s.stop].Kind == programs.OpWait; s.stop++ {
		request := s.ops[s.stop].Request
		switch at := c.over(s.rank, request); {
		case at < sim.Forever && c.paysFor(s, request):
			s.left++
			c.receivedAt(id, request, at, now)
		case at < sim.Forever:
			s.end = max(s.end, at)
		case !k.started.awaited[request]:
			k.started.awaited[request] = true
			s.left++
		}
	}
	c.lookAt(id, now)
}

// settlesRound is called when the end of a message is known for a rank that has started schedules.
func (c *cluster) settlesRound(r, id int32) {
	k := &c.ranks[r]
	request, ok := k.started.requests[id]
	if !ok || !k.started.awaited[request] {
		return
	}
	at := c.over(r, request)
	if at == sim.Forever {
		return
	}
	delete(k.started.awaited, request)
	of := k.started.claims[request]
	s := c.schedules.at(of)
	if c.paysFor(s, request) {
		c.receivedAt(of, request, at, c.kernel.Now())
		return
	}
	s.left--
	s.end = max(s.end, at)
	c.lookAt(of, c.kernel.Now())
}

// paysFor tells whether a request is a receive whose overhead its processor pays when it has ended:
// no library pays when the message arrives.
func (c *cluster) paysFor(s *schedule, request int32) bool {
	if c.machine.Runtime != nil || c.agent.cpu == noCPU {
		return false
	}
	id := c.ranks[s.rank].held(request)
	return id != nobody && c.messages.at(id).to == s.rank && c.charge.cost(parts.ReceiveOverhead, c.receivedBytes(c.messages.at(id))) > 0
}

// receivedAt makes the overhead of a receive a job once the receive has ended.
func (c *cluster) receivedAt(id, request int32, at, now sim.Time) {
	m := c.ranks[c.schedules.at(id).rank].held(request)
	if at <= now {
		c.due.push(dueSchedule{id, m})
		return
	}
	c.schedule(at, evReceived, uint64(uint32(id))|uint64(m)<<32)
}

// lookAt lets a schedule continue when its round is over, if that is known now.
func (c *cluster) lookAt(id int32, now sim.Time) {
	s := c.schedules.at(id)
	switch {
	case !s.open || s.left > 0:
	case s.end <= now:
		s.open = false
		c.due.push(dueSchedule{id, nobody})
	default:
		s.open = false
		c.schedule(s.end, evRound, uint64(id))
	}
}

// continueSchedules continues the schedules whose round is over, or whose round is posted.
//
// All jobs that become possible here are possible before an agent takes on one of them, or copies.
func (c *cluster) continueSchedules(now sim.Time) {
	for !c.due.empty() || !c.offered.empty() {
		if c.due.empty() {
			c.progress(c.offered.pop(), now)
			continue
		}
		d := c.due.pop()
		switch s := c.schedules.at(d.id); {
		case d.received != nobody:
			c.causes.receivesForRound(c, d.id, d.received, now)
			c.offerRound(s.rank, job{step: receiveForRound, message: d.received, schedule: d.id}, now)
		case s.posted:
			s.posted = false
			c.bookJob(s, now)
			c.awaitRound(d.id, now)
		default:
			c.endRound(d.id, now)
		}
	}
}

// dueSchedule is a schedule that continues now: its round is posted, or is over, or has received a
// message.
type dueSchedule struct{ id, received int32 }

// held returns the message that a request of the rank holds; nobody: none.
func (k *rank) held(request int32) int32 {
	if !k.inUse(request) {
		return nobody
	}
	return messageOf(k.requests[request+1])
}

// awaits tells whether a rank waits for a schedule, and for nothing else.
func (c *cluster) awaits(s *schedule) bool {
	k := &c.ranks[s.rank]
	return k.state == waiting && !k.any && k.waitsOn == s.request
}

// bookJob books what a wait for a schedule did since the last round was over: the job that began
// the next round ends now.
func (c *cluster) bookJob(s *schedule, now sim.Time) {
	if !c.awaits(s) {
		return
	}
	switch c.agent.cpu {
	case ownCPU:
		c.splitWait(s.rank, now)
	default:
		c.absorb(s.rank, now)
		c.spend(s.rank, results.Progress, s.begun)
		c.spend(s.rank, results.Overhead, now)
	}
	c.ranks[s.rank].since = c.served(s.rank, now)
}

// endRound ends a round, and makes the next one possible. A wait for the schedule is booked by the
// message that was complete last.
func (c *cluster) endRound(id int32, now sim.Time) {
	s := c.schedules.at(id)
	k := &c.ranks[s.rank]
	c.causes.endsRound(c, id, now)
	waits := s.ops[s.next:s.stop]
	last, end := nobody, never
	for i := range waits {
		if m := k.held(waits[i].Request); m != nobody && c.ended(s.rank, m) > end {
			last, end = m, c.ended(s.rank, m)
		}
	}
	if c.awaits(s) {
		k.awaited = last
		c.splitWait(s.rank, now)
		k.awaited = nobody
		k.since = c.served(s.rank, now)
	}
	if last != nobody {
		c.forgetRound(s, waits, last)
	}
	if s.next = s.stop; int(s.next) == len(s.ops) {
		c.completes(id, now)
		return
	}
	c.offerRound(s.rank, job{step: newRound, message: nobody, schedule: id}, now)
}

// forgetRound frees the requests of a round that is over, and its messages. It keeps the message
// that was complete last, and drops the one kept for the round before.
func (c *cluster) forgetRound(s *schedule, waits []programs.Op, last int32) {
	k := &c.ranks[s.rank]
	if s.last != nobody {
		c.drop(s.last)
	}
	s.last = last
	for i := range waits {
		id := k.held(waits[i].Request)
		if id == nobody {
			continue
		}
		m := c.messages.at(id)
		c.leastInRound(s, id, m)
		k.requests[waits[i].Request+1] = noRequest
		delete(k.started.requests, id)
		if id != last {
			c.drop(id)
		}
	}
}

// offerRound makes a job of a schedule possible. Without a library, no other job waits with it. With one,
// continueSchedules lets the agent look at it.
func (c *cluster) offerRound(r int32, j job, now sim.Time) {
	k := &c.ranks[r]
	k.ownWorker()
	if c.instant && c.agent.cpu == ownCPU {
		k.rounds.push(j)
		c.takesRound(r, 0, now)
		return
	}
	k.possible.push(j)
	c.offered.push(r)
}

// takesRound begins the next possible job of a schedule where jobs take no time, if the process waits and
// its CPU has only a given number of other jobs: none, or the one that ends now.
func (c *cluster) takesRound(r int32, others int, now sim.Time) {
	k := &c.ranks[r]
	switch {
	case k.rounds.empty() || k.in != inWait || c.busyBeside(k, others, now) || c.isOver(r, now):
		return
	case k.state == ready && !k.over(), k.state == posting, k.state == receiving:
		return
	}
	c.takeOn(r, k.rounds.pop(), now)
	c.expect(r)
}

// takeRound takes on the next round of a schedule: part by part, each up to a message that it sends.
func (c *cluster) takeRound(r, id int32, now sim.Time) {
	s := c.schedules.at(id)
	part := job{step: roundPart, message: nobody, schedule: id, first: s.next, end: s.next}
	stop := s.next
	for int(stop) < len(s.ops) && s.ops[stop].Kind != programs.OpWait {
		stop++
	}
	k := &c.ranks[r]
	k.inRound = c.agent.cpu == noCPU
	defer func() { k.inRound = false }()
	for s.stop = stop; ; part.first, part.more = part.end, true {
		for sent := false; part.end < stop && !sent; part.end++ {
			sent = s.ops[part.end].Kind == programs.OpSend || s.ops[part.end].Kind == programs.OpPut
		}
		c.takeOn(r, part, now)
		if part.end == stop {
			return
		}
	}
}

// doPart ends a part of a round: its messages go out, and its receives are posted.
func (c *cluster) doPart(j *job, now sim.Time) {
	s := c.schedules.at(j.schedule)
	if !j.more {
		s.begun = j.from
	}
	if k := &c.ranks[s.rank]; c.instant && !k.inRound {
		k.inRound = true
		defer func() { k.inRound = false }()
	}
	for i := j.first; i < j.end; i++ {
		op := &s.ops[i]
		c.uses.Operation(op)
		switch op.Kind {
		case programs.OpSend, programs.OpPut:
			c.sendOfRound(s, op, j.from, now)
		case programs.OpReceive:
			c.receiveOfRound(s, j.schedule, op, now)
		}
	}
	if j.end == s.stop {
		s.next, s.posted = s.stop, true
		c.causes.comesTo(j.schedule)
		c.due.push(dueSchedule{j.schedule, nobody})
	}
}

// sendOfRound sends a message whose overhead has been paid from begun until now.
func (c *cluster) sendOfRound(s *schedule, op *programs.Op, begun, now sim.Time) {
	p, local := c.protocol(op), c.place.inside(s.rank, op.Peer)
	if local {
		p = c.protocolInside(s.rank, op)
	}
	id := c.newMessage(s.rank, op, p, begun)
	m := c.messages.at(id)
	m.byJob, m.paid = true, now
	if k := &c.ranks[s.rank]; k.state == computing && c.agent.cpu != ownCPU { // what it computes from now on, the message hides
		c.compute(s.rank, now)
	}
	c.noteOf(m, begun, results.Overhead)
	c.causes.numbers(c, id)
	if local {
		m.there = s.there + c.insideLatency(m)
	} else {
		m.there = c.leastWay(id, m, s.there)
	}
	if m.held() {
		c.hold(s.rank, op.Request, id)
	}
	if local {
		c.localDone(id, now)
		return
	}
	switch {
	case c.machine.Copying == nil:
		nic, _ := c.nic(s.rank)
		begin, ready := nic.InsertAfter(now)
		m.record = c.recorder.post(s.rank, m, begin, ready-begin)
		if c.within(ready) {
			c.causes.inserts(c, s.rank, id, ready, func() { c.launch(id, now, ready) })
		}
	case p == rendezvous:
		m.record = c.recorder.post(s.rank, m, now, 0)
		c.launch(id, now, now)
	default:
		m.record = c.recorder.post(s.rank, m, now, 0)
		c.ranks[s.rank].flying++
		c.copyBytes(id, now)
	}
}

// receiveOfRound posts a receive. If its message has come before, a further job may have to copy it.
func (c *cluster) receiveOfRound(s *schedule, of int32, op *programs.Op, now sim.Time) {
	c.request(s.rank, op.Request, pendingReceive)
	c.ranks[s.rank].least.receives(op)
	c.causes.receivesInRound(s.rank, op.Request)
	c.wants(s.rank, op.Request, 0)
	id, ok := c.unexpected(s.rank, op)
	if !ok {
		return
	}
	c.matched(s.rank, op.Request, id, now)
	if c.unexpectedCharge(id).time > 0 {
		s.left++
		c.offer(s.rank, job{step: copyUnexpected, message: id, schedule: of}, now)
	}
}

// received ends a job for a message that a round has received.
func (c *cluster) received(id int32, now sim.Time) {
	s := c.schedules.at(id)
	s.left--
	s.end = max(s.end, now)
	c.causes.alsoComesTo(id, now)
	c.lookAt(id, now)
}

// completes completes a schedule.
func (c *cluster) completes(id int32, now sim.Time) {
	s := c.schedules.at(id)
	s.over = now
	k := &c.ranks[s.rank]
	maps.DeleteFunc(k.started.claims, func(_, of int32) bool { return of == id })
	if k.state == waiting && k.any {
		c.settledAny(s.rank, scheduleSlot(id))
	} else if c.awaits(s) {
		c.expect(s.rank)
	}
	c.live.settled(s.rank)
}

// endScheduleWait ends a wait for a schedule. If the rank has waited for any of several requests, the
// last message of the schedule tells what the wait went to.
func (c *cluster) endScheduleWait(r int32, now sim.Time) {
	k := &c.ranks[r]
	id := scheduleOf(k.requests[k.waitsOn+1])
	s := c.schedules.at(id)
	c.causes.waited(c, r, c.charge.reset())
	if k.any {
		k.awaited = s.last
	}
	c.splitWait(r, now)
	k.least.waits(s.there)
	if k.any = false; k.choice != nil {
		k.choice.Ended = programs.Ended{Request: k.waitsOn, At: k.opEnd}
	}
	k.requests[k.waitsOn+1] = noRequest
	if s.last != nobody {
		c.drop(s.last)
	}
	c.schedules.remove(id)
	k.done()
}

// waitsForRound describes a rank that waits for a schedule, by a message of its round.
func (c *cluster) waitsForRound(r int32) (next int32, what string) {
	k := &c.ranks[r]
	s := c.schedules.at(scheduleOf(k.requests[k.waitsOn+1]))
	for _, op := range s.ops[min(s.next, s.stop):s.stop] {
		if k.started.awaited[op.Request] {
			k.waitsOn, k.awaited = op.Request, messageOf(k.requests[op.Request+1])
			return c.waitsFor(r)
		}
	}
	return nobody, "waits for a schedule that stands still (a bug)"
}
