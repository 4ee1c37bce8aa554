package nodes

import (
	"math"
	"slices"

	"overlapsim/network"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// worker does the jobs of a process: the work for which its communication library, or a NIC
// without RDMA, needs a CPU. The agent determines whose CPU that is and when it may work (rules
// 11 and 12). Work that takes no time under the rules is done at once.
type worker struct {
	possible  fifo[job]   // not yet taken on
	polled    int         // how many of them a call that does not wait, or a test, still takes on
	copies    int         // jobs that copy out, possible or taken on
	untaken   int         // jobs that copy out, possible and not taken on
	handlers  fifo[int32] // signals whose handlers wait for the thread
	rounds    fifo[job]   // where other jobs take no time: possible jobs of schedules
	outgoing  fifo[int32] // messages with bytes to copy out, which come after the possible jobs
	jobs      fifo[job]   // taken on, in the order of their ends
	reading   read        // that the last job was part of
	busy      sim.Time    // the process's CPU works until then
	helper    sim.Time    // the helper thread, or the NIC on rounds, works until then
	buffered  int64       // bytes in, or being copied into, the send buffer
	fragments int         // fragments copied, or being copied, and not sent
	waits     []worked    // jobs during the wait under way
	idle      sim.Time    // when that wait began
	computed  bool        // the process has computed since its last job, of a call
	notices   sim.Time    // in that wait, if the process has had nothing to do: when it notices a job
	wanted    []sim.Time  // by request + 1: when the program posted the receive
	inserted  sim.Time    // posting: when the NIC has the descriptor
	inRound   bool        // a round, or a part of one, begins, and a NIC does what that leads to afterwards
	tests                 // of the computation under way
}

// job is one step of processing a message.
type job struct {
	step    step
	message int32 // nobody: of a round
	bytes   int64 // of a copy

	schedule   int32 // whose round it is part of
	first, end int32 // the operations of that part
	more       bool  // it is not the first part of the round
	behind     bool  // it is part of the read of the job before

	from, cost sim.Time // when it begins; for a helper thread whose core is shared: at the earliest, and the time alone
}

// step is what a job does.
type step uint8

const (
	copyOut         step = iota // user memory into a chunk or fragment, which then leaves
	copyIn                      // a chunk or fragment into user memory
	take                        // an eager message has arrived
	notice                      // the request of a rendezvous has arrived
	ask                         // ask for the bytes, by a read or a reply
	begin                       // the reply has arrived: write, or copy
	end                         // the bytes that were read have arrived
	finished                    // the finish has arrived
	handle                      // a signal has been delivered
	answer                      // the request of a get has arrived
	protocolWork                // a chunk has arrived that needs kernel work
	newRound                    // a round of a schedule may begin
	roundPart                   // of such a round, up to a message that it sends
	copyUnexpected              // a receive of a round was posted after its message had come
	receiveForRound             // a receive of a round has ended, and no library has paid for it
)

// worked is a stretch of time in which jobs were done, with what the NIC had served at its ends.
type worked struct {
	from, to      sim.Time
	before, after network.Served
}

// copyEnd returns the time until which the process's CPU does jobs.
func (k *rank) copyEnd() sim.Time {
	if k.worker == nil {
		return 0
	}
	return k.busy
}

// occupied tells whether the process's CPU has jobs that have not ended. One of them may end now.
func (p *cpuSide) occupied(k *rank, now sim.Time) bool { return p.busyBeside(k, 0, now) }

// busyBeside tells whether the process's CPU has jobs besides a given number of them: none, or the one that ends now.
func (p *cpuSide) busyBeside(k *rank, others int, now sim.Time) bool {
	return k.worker != nil && p.agent.cpu == ownCPU && (k.busy > now || k.jobs.len() > others)
}

// offer makes a job of a process possible. If a job or call of the process itself leads to it, it
// is done next.
func (c *cluster) offer(r int32, j job, now sim.Time) {
	k := &c.ranks[r]
	k.ownWorker()
	if j.notes() && j.step != copyIn {
		c.note(j.message, now, results.Progress)
	}
	if c.leads == r {
		c.takeOn(r, j, now)
		return
	}
	if j.step == take {
		c.messages.at(j.message).lay = k.in == inCompute && c.agent.cpu == ownCPU && !c.instant && !c.agent.intrudes
	}
	k.possible.push(j)
	c.progress(r, now)
}

// progress lets the agent of a process take on what is possible, if it may work.
func (c *cluster) progress(r int32, now sim.Time) {
	k := &c.ranks[r]
	switch {
	case k.inRound:
	case c.leads == r:
		c.copyNext(r, now)
	case c.instant || c.agent.cpu != ownCPU:
		if c.agent.works[k.in] {
			c.takeAll(r, now)
		}
		c.takesRound(r, 0, now)
	case c.pulls(k):
		c.pull(r, 0, now)
	case c.agent.tests && k.on && k.in == inCompute && k.jobs.empty():
		c.planTest(r, now)
	}
}

// takeAll takes on all that is possible.
func (c *cluster) takeAll(r int32, now sim.Time) {
	k := &c.ranks[r]
	for !k.possible.empty() {
		c.takeOn(r, k.possible.pop(), now)
	}
	c.copyNext(r, now)
}

// copyNext takes on the copies that go out next, while there is room for them. None overtakes one that is
// possible and waits to be taken on.
func (c *cluster) copyNext(r int32, now sim.Time) {
	for k := &c.ranks[r]; !k.outgoing.empty() && k.untaken == 0; {
		j, ok := c.nextCopy(k)
		if !ok {
			return
		}
		c.takeOn(r, j, now)
	}
}

// pulls tells whether the process's CPU takes on jobs one after the other: in a wait, in the copies
// of a post, in its pass of a call that does not wait, and by interrupts.
func (c *cluster) pulls(k *rank) bool {
	return k.in == inWait || k.polled > 0 || k.state == copying || c.agent.intrudes && k.in == inCompute
}

// pull takes on the next job, if the process's CPU has only a given number of others: none, or the
// one that ends now.
func (c *cluster) pull(r int32, others int, now sim.Time) {
	k := &c.ranks[r]
	if !c.pulls(k) || c.isOver(r, now) {
		return
	}
	c.admitCopies(k)
	if k.jobs.len() > others || k.possible.empty() || k.state == copying && k.copies == 0 {
		return
	}
	k.polled = max(0, k.polled-1)
	j := k.possible.pop()
	if j.step == copyOut {
		k.untaken--
	}
	c.takeOn(r, j, now)
}

// admitCopies makes the copies that go out next possible, while there is room for them.
func (c *cluster) admitCopies(k *rank) {
	for !k.outgoing.empty() {
		j, ok := c.nextCopy(k)
		if !ok {
			return
		}
		k.untaken++
		k.possible.push(j)
	}
}

// isOver tells whether what a call waits for is there. Jobs that are still possible then wait for
// the next call.
func (c *cluster) isOver(r int32, now sim.Time) bool {
	k := &c.ranks[r]
	switch k.state {
	case waiting:
		return c.awaitedEnd(r) <= now
	case stalled, queued, inBarrier, awaiting:
		return k.wakeAt != never && k.wakeAt <= now
	}
	return false
}

// busyWith sets what a rank is busy with from now on. If its agent may work then, it does.
func (c *cluster) busyWith(r int32, in occupation, now sim.Time) {
	k := &c.ranks[r]
	k.in = in
	if k.worker != nil && c.agent.works[in] {
		c.progress(r, now)
	}
}

// calls lets the agent of a process work when a call begins. A call that waits finds out first
// whether it has to.
func (c *cluster) calls(r int32, now sim.Time) {
	k := &c.ranks[r]
	switch {
	case !c.agent.works[k.in]:
	case c.instant || c.agent.cpu != ownCPU:
		c.takeAll(r, now)
		if !k.rounds.empty() && (k.in == inPost || k.in == inTest) {
			c.takeOn(r, k.rounds.pop(), now)
		}
	case k.in == inPost:
		c.poll(r, 1, now)
	case k.in == inTest:
		c.poll(r, math.MaxInt, now)
	}
}

// poll makes the process's CPU do the jobs that are possible now, at most this number, and what they
// lead to.
func (c *cluster) poll(r int32, most int, now sim.Time) {
	k := &c.ranks[r]
	c.admitCopies(k)
	k.polled = min(most, k.possible.len())
	if most > 1 && c.machine.Runtime != nil && c.machine.Runtime.Progress.OneRead {
		k.polled = c.oneRead(r)
	}
	c.pull(r, 0, now)
}

// hasWork tells whether anything is possible.
func (c *cluster) hasWork(k *rank) bool {
	return !k.possible.empty() || !k.outgoing.empty() && c.room(k, k.outgoing.first())
}

// takeOn makes the agent do a job after its earlier ones.
func (c *cluster) takeOn(r int32, j job, now sim.Time) {
	if j.step == newRound {
		c.takeRound(r, j.schedule, now)
		return
	}
	k := &c.ranks[r]
	if c.takesNoTime(k, &j) {
		j.from = now
		c.taken(j, now)
		c.complete(j, now)
		return
	}
	b := c.jobCharge(j)
	at := &k.busy
	if c.sharers.helper != nil {
		c.taken(j, now+c.delay)
		c.queueHelp(r, j, b, now)
		return
	}
	if c.agent.cpu != ownCPU {
		at = &k.helper
		c.taken(j, now+c.delay)
		j.from = max(now+c.delay, k.helper)
		c.recordJobPoll(r, &j, j.from)
		c.causes.helps(c, r, j, b, j.from)
		k.helper = j.from + b.time + c.extraOf(&j)
		c.recorder.helped(r, j.from, k.helper, c.recordOf(&j))
	} else {
		begin := c.jobNoticed(k, r, now)
		c.taken(j, begin)
		j.from = max(begin, k.busy)
		c.recordJobPoll(r, &j, j.from)
		look := begin
		if j.step == take {
			look = c.addFirstLook(k, b, c.messages.at(j.message), begin, now)
		}
		c.slowed(r, b)
		cost := b.time
		c.causes.takesOn(c, r, j, b, begin, look)
		if k.state == computing && c.agent.intrudes {
			cost += c.extraOf(&j)
			c.uses.Message(results.Interrupting)
		}
		c.book(r, cost, begin, now)
	}
	k.jobs.push(j)
	c.schedule(*at, evJobDone, uint64(r))
}

// takesNoTime tells whether a job is done at once. A NIC does the parts of rounds one after the other.
func (c *cluster) takesNoTime(k *rank, j *job) bool {
	switch {
	case !c.instant || j.step == receiveForRound:
		return false
	case j.step != roundPart:
		return true
	}
	return c.agent.cpu == noCPU && k.jobs.empty() && c.jobCharge(*j).time == 0
}

// extraOf returns what a job costs in addition to its work. The parts of a round are one job.
func (p *cpuSide) extraOf(j *job) sim.Time {
	if j.more {
		return 0
	}
	return p.extra
}

// notes tells whether a job is noted in the life of its message.
func (j *job) notes() bool { return j.message != nobody && j.step < newRound }

// recordOf returns the index in the timeline of the message of a job, or -1.
func (c *cluster) recordOf(j *job) int32 {
	if j.message == nobody {
		return -1
	}
	return c.messages.at(j.message).record
}

// taken notes that a job is taken on.
func (c *cluster) taken(j job, now sim.Time) {
	switch j.step {
	case roundPart, copyUnexpected, receiveForRound:
	case copyOut:
		c.move(j.message, gone, copied, now)
	case copyIn:
		c.move(j.message, lying, takenOn, now)
		c.stagings.at(c.messages.at(j.message).staging).untaken -= j.bytes
	default:
		c.note(j.message, now, results.Overhead)
	}
}

// jobNoticed returns when the process's CPU notices a job that is possible now.
func (c *cluster) jobNoticed(k *rank, r int32, now sim.Time) sim.Time {
	if k.state != waiting {
		return now
	}
	if k.jobs.empty() && now > k.idle {
		k.notices = c.notices(r, max(k.busy, k.idle), now)
		if k.wakeAt != never { // it is about to notice something else
			k.notices = min(k.notices, k.wakeAt)
		}
	}
	return max(now, k.notices)
}

// book makes the process's CPU work for cost from some time on, after its earlier jobs.
func (c *cluster) book(r int32, cost, from, now sim.Time) {
	k := &c.ranks[r]
	begin := max(from, k.busy)
	switch k.state {
	case computing:
		c.compute(r, begin)
		k.opEnd += cost
		k.stretch = begin + cost
	case posting, receiving:
		c.spend(r, results.Overhead, begin)
		k.opEnd += cost
	case waiting:
		c.interruptWait(r, begin, begin+cost, now)
	case stalled, queued:
		c.idle(r, results.NICStall, begin)
	case inBarrier:
		c.idle(r, results.BarrierTime, begin)
	case awaiting:
		c.idle(r, results.Partner, begin)
	}
	k.busy = begin + cost
	if !k.over() && len(k.waits) == 0 {
		c.spend(r, results.Overhead, k.busy)
	}
	c.show(r, now)
}

// over tells whether the program of the rank has ended.
func (k *rank) over() bool { return k.ended && int(k.next) == len(k.ops) }

// jobDone ends the oldest job of a process.
func (c *cluster) jobDone(r int32, now sim.Time) {
	k := &c.ranks[r]
	c.causes.hasDone(r, now)
	k.computed = k.computed && k.state == computing
	j := k.jobs.first()
	if j.step == protocolWork { // what follows may be copied at the same time from now on
		c.show(r, now)
	} else if c.agent.cpu == ownCPU && !c.instant {
		c.leads = r
	}
	c.recordJobPost(r, &j, now)
	takes := c.machine.Runtime != nil && c.machine.Runtime.Progress.Chains() && c.connection(r, &j) != nobody
	if takes && !j.behind {
		k.reading = c.reads(r, &j)
	}
	c.complete(j, now)
	c.leads = nobody
	if k.state == waiting {
		c.resumeWait(r, now)
	}
	c.continueSchedules(now)
	switch {
	case c.instant:
		c.progress(r, now)
		c.takesRound(r, 1, now)
	case c.agent.cpu == ownCPU:
		if takes {
			c.readAhead(r, now)
		}
		c.pull(r, 1, now)
	default:
		c.progress(r, now)
	}
	k.jobs.pop()
	c.endsJobs(r, now)
	c.nextHelp(r, now)
	c.show(r, now)
}

// read is what a read of a connection takes in: what it asks for, and what has come behind (rule 12).
type read struct {
	from  int32 // the rank at the other end
	left  int64 // bytes that it may still take in
	of    int32 // it takes in this message, after an earlier fragment of it; nobody: none
	ended bool
}

// reads begins a read with a job that the process's CPU takes on next, or that ends now.
func (c *cluster) reads(r int32, j *job) read {
	w := read{from: c.connection(r, j), of: nobody, left: c.machine.Runtime.Progress.Ahead}
	if c.machine.Runtime.Progress.OneRead && j.step == copyIn {
		m := c.messages.at(j.message)
		switch left, all := c.stagings.at(m.staging).undelivered, m.bytes-c.first(m); {
		case left < all:
			w.of = j.message
		case left > j.bytes:
			w.ended = true
		}
	}
	return w
}

// takesIn tells whether a read continues with a job that is not taken on.
func (c *cluster) takesIn(r int32, w *read, j *job) bool {
	switch {
	case w.ended || c.connection(r, j) != w.from:
		return false
	case w.of != nobody:
		return j.step == copyIn && j.message == w.of
	case c.bytesRead(j) > w.left:
		return false
	}
	w.left -= c.bytesRead(j)
	w.ended = c.reads(r, j).ended
	return true
}

// readAhead makes a process in a Wait take on the next possible job, if the read of its last job continues with it.
func (c *cluster) readAhead(r int32, now sim.Time) {
	k := &c.ranks[r]
	if k.state != waiting || k.possible.empty() || c.machine.Runtime.Progress.Ahead == 0 && k.reading.of == nobody {
		return
	}
	if next := k.possible.first(); c.takesIn(r, &k.reading, &next) {
		next.behind = true
		k.possible.pop()
		c.takeOn(r, next, now)
	}
}

// oneRead brings to the front the possible jobs that one read of each connection takes in, and those that take in
// nothing. It returns how many they are.
func (c *cluster) oneRead(r int32) (n int) {
	all := c.ranks[r].possible.left()
	var reads []read
	var later []job
	for i := range all {
		j := all[i]
		from := c.connection(r, &j)
		at := slices.IndexFunc(reads, func(w read) bool { return w.from == from })
		switch {
		case from == nobody:
		case at < 0:
			reads = append(reads, c.reads(r, &j))
		case !c.takesIn(r, &reads[at], &j):
			reads[at].ended = true
			later = append(later, j)
			continue
		}
		all[n] = j
		n++
	}
	copy(all[n:], later)
	return n
}

// connection returns the rank that sent what a job takes in; nobody: it takes in nothing.
func (c *cluster) connection(r int32, j *job) int32 {
	switch j.step {
	case copyIn, take, notice, begin, end, finished:
		return c.messages.at(j.message).other(r)
	}
	return nobody
}

// bytesRead is the number of user bytes that a job takes in.
func (c *cluster) bytesRead(j *job) int64 {
	m := c.messages.at(j.message)
	switch j.step {
	case copyIn:
		return j.bytes
	case take, end:
		return m.bytes
	case notice:
		return c.first(m)
	}
	return 0
}

// endsJobs lets a process continue that has done its jobs for now.
func (c *cluster) endsJobs(r int32, now sim.Time) {
	k := &c.ranks[r]
	switch {
	case k.state == copying:
		c.endCopying(r)
		if k.state == ready {
			c.wake(r, now)
		}
	case c.agent.tests && k.on && k.in == inCompute && k.jobs.empty():
		c.planTest(r, now)
	}
}

// tests are the tests that a process does while it computes (agent Testing).
type tests struct {
	stretch sim.Time // when it began to compute undisturbed, at the start or after the jobs of a test
	left    sim.Time // tests left, counted from stretch
	on      bool     // it tests; not in what the library computes
	planned bool     // one of them will find something to do
}

// beginTests returns how long a computation takes with its tests. What the library computes has none, and noise has none.
func (c *cluster) beginTests(r int32, op *programs.Op, now sim.Time) sim.Time {
	k := &c.ranks[r]
	if k.tests = (tests{}); op.ByLibrary() || k.disturbed {
		return sim.Time(op.Amount)
	}
	p := &c.machine.Runtime.Progress
	k.tests = tests{stretch: now, left: (sim.Time(op.Amount) - 1) / p.Every, on: true}
	c.planTest(r, now)
	return sim.Time(op.Amount) + multiple(p.Test, int64(k.left))
}

// planTest plans the next test, if there is something to do in it.
func (c *cluster) planTest(r int32, now sim.Time) {
	k := &c.ranks[r]
	if k.planned || !c.hasWork(k) {
		return
	}
	every := c.testPeriod()
	i := max(1, (now-k.stretch+every-1)/every)
	if i <= k.left {
		k.planned = true
		c.schedule(k.stretch+i*every, evTest, uint64(r))
	}
}

// test does what is possible at the end of a test.
func (c *cluster) test(r int32, now sim.Time) {
	k := &c.ranks[r]
	c.compute(r, now)
	n := (now - k.stretch) / c.testPeriod()
	c.causes.tests(r, &k.ops[k.next], n, c.machine.Runtime.Progress.Test, now)
	k.left -= n
	k.stretch, k.planned = now, false
	c.poll(r, math.MaxInt, now)
}

// testPeriod is the time from the end of a test to the end of the next one.
func (p *cpuSide) testPeriod() sim.Time {
	by := &p.machine.Runtime.Progress
	return by.Every + by.Test
}
