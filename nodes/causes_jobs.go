package nodes

import (
	"slices"

	"overlapsim/network"
	"overlapsim/sim"
)

// charge is a part of what CPU work costs.
type charge struct {
	part   Part
	amount int64
	time   sim.Time
}

// charges collects what makes up the cost of a post or a job.
type charges []charge

func (l *charges) add(part Part, amount int64, time sim.Time) {
	*l = append(*l, charge{part, amount, time})
}

func (l *charges) cost(part Part, c network.Cost, bytes int64) { l.add(part, bytes, c.Of(bytes)) }

func (l *charges) perByte(part Part, bytes int64, ps float64) {
	l.add(part, bytes, sim.PerByte(bytes, ps))
}

// chain adds moments for CPU work that takes so long; what it takes longer than its
// charges is interference.
func (t *causes) chain(from cause, cost sim.Time, on where) cause {
	begin, alone := from, cost
	for _, one := range t.charges {
		cost -= one.time
		from = t.add(from, t.moments[from].at+one.time, one.part, one.amount, on)
	}
	switch {
	case cost > 0 && t.shared:
		from = t.slows(begin, from, alone, on)
	case cost != 0:
		t.lose("the parts of CPU work miss its cost by %v", cost)
	}
	return from
}

// ofPost collects the charges of a post, as postCost.
func (t *causes) ofPost(c *cluster, op *Op) {
	t.charges = t.charges[:0]
	o := c.machine.Network.SendOverhead
	rt := c.machine.Runtime
	p := c.protocol(op)
	if p == got || p == rendezvous && rt != nil {
		t.charges.cost(PartSendOverhead, o, 0)
	} else {
		t.charges.cost(PartSendOverhead, o, op.Amount)
	}
	if rt == nil || c.machine.Copying != nil {
		return
	}
	switch {
	case p == eager && op.Strided:
		t.charges.perByte(PartPack, op.Amount, rt.Strided.Pack)
	case p == rendezvous && op.Strided:
		t.charges.perByte(PartStridedIn, min(rt.Strided.First, op.Amount), rt.Strided.In)
	case p == rendezvous && rt.Rendezvous == Pipelined:
		t.charges.perByte(PartPipelineIn, min(rt.Pipeline.First, op.Amount), rt.Pipeline.In)
	}
}

// ofCopy collects those of a copy inside the node.
func (t *causes) ofCopy(c *cluster, bytes int64) {
	t.charges = t.charges[:0]
	if in := c.machine.IntraNode; in != nil {
		t.charges.perByte(PartIntraCopy, bytes, in.PerByte)
	}
}

// ofJob collects the charges of a job, as cost, which was asked before.
func (t *causes) ofJob(c *cluster, j job) {
	t.charges = t.charges[:0]
	m := c.messages.at(j.message)
	send, receive := c.machine.Network.SendOverhead, c.machine.Network.ReceiveOverhead
	switch j.step {
	case copyOut:
		t.ofCopyOut(c, m, j.bytes)
	case copyIn:
		t.ofCopyIn(c, m, j.bytes)
	case take:
		t.ofMatching(c, m.to)
		t.charges.cost(PartReceiveOverhead, receive, m.bytes)
		if m.strided {
			t.charges.perByte(PartUnpack, m.bytes, c.machine.Runtime.Strided.Unpack)
		}
	case notice:
		t.ofMatching(c, m.to)
		t.charges.cost(PartReceiveOverhead, receive, 0)
		if first := c.first(m); first > 0 {
			t.charges.perByte(t.pipeline(m, PartPipelineOut), first, c.pipeline(m).Out)
		}
	case handle:
		t.charges.add(PartHandler, 1, c.machine.Runtime.Handler)
	case ask:
		t.charges.cost(PartSendOverhead, send, 0)
	default:
		t.charges.cost(PartReceiveOverhead, receive, 0)
		if j.step == end || j.step == begin && m.way == Write {
			t.charges.cost(PartSendOverhead, send, 0)
		}
	}
}

// pipeline returns the part of a copy into or out of a fragment.
func (t *causes) pipeline(m *message, part Part) Part {
	if m.strided {
		part += PartStridedIn - PartPipelineIn
	}
	return part
}

func (t *causes) ofMatching(c *cluster, r int32) {
	rt := c.machine.Runtime
	t.charges.add(PartMatching, 1, rt.Matching)
	if rt.Search > 0 {
		posted, _ := c.matching.Waiting(int(r))
		t.charges.add(PartSearch, int64(posted), rt.Search*sim.Time(posted)/2)
	}
}

func (t *causes) ofCopyOut(c *cluster, m *message, bytes int64) {
	cp := c.machine.Copying
	switch {
	case cp == nil:
		t.charges.cost(PartSendOverhead, c.machine.Network.SendOverhead, 0)
		t.charges.perByte(t.pipeline(m, PartPipelineIn), bytes, c.pipeline(m).In)
	case m.strided:
		t.charges.perByte(PartPackedCopyOut, bytes, cp.SendPerByte+c.machine.Runtime.Strided.Pack)
	default:
		t.charges.perByte(PartCopyOut, bytes, cp.SendPerByte)
	}
}

func (t *causes) ofCopyIn(c *cluster, m *message, bytes int64) {
	cp := c.machine.Copying
	switch {
	case cp == nil:
		t.charges.cost(PartReceiveOverhead, c.machine.Network.ReceiveOverhead, 0)
		t.charges.perByte(t.pipeline(m, PartPipelineOut), bytes, c.pipeline(m).Out)
		return
	case m.strided:
		t.charges.perByte(PartUnpackedCopyIn, bytes, cp.ReceivePerByte+c.machine.Runtime.Strided.Unpack)
	default:
		t.charges.perByte(PartCopyIn, bytes, cp.ReceivePerByte)
	}
	if c.detours.at(m.detour).untaken == 0 && m.protocol == eager && c.machine.Runtime != nil {
		t.ofMatching(c, m.to)
		t.charges.cost(PartReceiveOverhead, c.machine.Network.ReceiveOverhead, m.bytes)
	}
}

// takesOn says when the CPU of a rank has done a job that it takes on, and that it
// notices by then; jobs put off the end of what they interrupt.
func (t *causes) takesOn(c *cluster, r int32, j job, cost, noticed sim.Time) {
	k := &c.ranks[r]
	t.ofJob(c, j)
	on := where{CPU, r, t.message(j.message).number}
	by := t.now
	if k.state == waiting && k.wakeAt == noticed && k.jobs.empty() && t.moments[by].at < noticed { // with its end
		by = t.over(c, r, noticed)
	}
	if t.moments[by].at < noticed && t.moments[t.busy[r]].at >= noticed { // with another job
		by = t.busy[r]
	}
	from := t.last(t.notices(c, r, by, noticed), t.busy[r], max(noticed, k.busy))
	t.busy[r] = t.chain(from, cost, on)
	if k.state == computing && c.agent.intrudes {
		t.busy[r] = t.interrupts(t.busy[r], c.extra, on)
	}
	t.jobs[r].push(t.busy[r])
	switch k.state {
	case computing:
		t.stretch[r] = t.busy[r]
		t.end[r] = t.chain(t.end[r], cost, on)
		if c.agent.intrudes {
			t.end[r] = t.interrupts(t.end[r], c.extra, on)
		}
	case posting, receiving:
		t.end[r] = t.chain(t.end[r], cost, on)
	}
}

// interrupts adds what a job costs besides.
func (t *causes) interrupts(from cause, extra sim.Time, on where) cause {
	return t.add(from, t.moments[from].at+extra, PartInterrupt, 1, on)
}

// notices adds what passes until a waiting process notices.
func (t *causes) notices(c *cluster, r int32, by cause, at sim.Time) cause {
	switch {
	case t.moments[by].at >= at:
		return by
	case c.machine.Runtime == nil:
		return t.is(by, at)
	case c.machine.Runtime.Waiting == Block:
		return t.add(by, at, PartWakeup, 1, where{CPU, r, -1})
	}
	return t.add(by, at, PartSchedule, 1, where{CPU, r, -1})
}

// helps says when the thread beside a rank has done a job.
func (t *causes) helps(c *cluster, r int32, j job, cost, begin sim.Time) {
	on := where{Helper, r, t.message(j.message).number}
	t.ofJob(c, j)
	t.helped(c, r, t.delays(c, on), cost, begin, on)
}

// delays adds what passes until a thread begins with what happens.
func (t *causes) delays(c *cluster, on where) cause {
	return t.add(t.now, t.moments[t.now].at+c.delay, PartDelay, 1, on)
}

// helped adds a job to those of a thread that has its charges.
func (t *causes) helped(c *cluster, r int32, delayed cause, cost, begin sim.Time, on where) {
	done := t.chain(t.last(delayed, t.helper[r], begin), cost, on)
	t.helper[r] = t.interrupts(done, c.extra, on)
	t.jobs[r].push(t.helper[r])
}

// helpLater says that the thread of a rank will do a job when it has done those
// before it; what the job costs is known now, how long that takes is not.
func (t *causes) helpLater(c *cluster, r int32, j job) {
	on := where{Helper, r, t.message(j.message).number}
	t.ofJob(c, j)
	t.later[r].push(help{t.delays(c, on), slices.Clone(t.charges), on})
}

// helpsNow begins the oldest of those jobs.
func (t *causes) helpsNow(c *cluster, r int32, cost, begin sim.Time) {
	h := t.later[r].pop()
	t.charges = append(t.charges[:0], h.charges...)
	t.helped(c, r, h.delayed, cost, begin, h.on)
}

// help is a job that a thread will do later.
type help struct {
	delayed cause
	charges charges
	on      where
}

// pays says when a rank has paid for a post or a copy inside the node, after the
// jobs that its CPU has.
func (t *causes) pays(c *cluster, r int32, cost, end sim.Time) {
	k := &c.ranks[r]
	if t.moments[t.slot[r]].at == end-cost && t.moments[t.end[r]].at == end {
		return // as it was known before
	}
	id := k.awaited
	if m := c.messages.at(id); c.inside(m.from, m.to) {
		t.ofCopy(c, m.bytes)
	} else {
		t.ofPost(c, &k.ops[k.next])
	}
	t.end[r] = t.chain(t.last(t.slot[r], t.busy[r], end-cost), cost, where{CPU, r, t.message(id).number})
}

// works says when a call has done its own work: a test, or what a message that came
// before its receive costs.
func (t *causes) works(c *cluster, r int32, cost, end sim.Time) {
	part, bytes := PartTest, int64(1)
	if op := &c.ranks[r].ops[c.ranks[r].next]; op.Kind == OpReceive {
		part, bytes = PartUnexpected, c.unexpectedBytes(c.ranks[r].requests[op.Request+1]-1)
	}
	begin := t.last(t.at[r], t.busy[r], end-cost)
	t.end[r] = t.add(begin, end, part, bytes, where{CPU, r, -1})
}

// chunks returns the causes of the chunks of a message.
func (t *causes) chunks(id int32) *chunkCauses {
	m := t.message(id)
	if m.chunks == nil {
		m.chunks = new(chunkCauses)
	}
	return m.chunks
}

// sendsChunk says when bytes that were copied leave the NIC, and arrive.
func (t *causes) sendsChunk(c *cluster, id, from int32, bytes int64, startup bool, start, sent, arrived sim.Time) {
	n, number, chunks := c.place.nic[from], t.message(id).number, t.chunks(id)
	part := PartTransfer
	switch {
	case c.crowd != nil && startup:
		part = PartCrowdedTransfer
	case c.crowd != nil:
		part = PartCrowdedChunk
	case !startup:
		part = PartChunk
	}
	left := t.add(t.last(t.now, t.nics[n].sent, start), sent, part, bytes, where{NICSend, n, number})
	t.nics[n].sent = left
	t.sent[from].push(left)
	chunks.leaving.push(left)
	chunks.arriving.push(t.add(left, arrived, t.way, 1, where{Wire, n, number}))
}

// passesChunk says when bytes have passed the receiving NIC.
func (t *causes) passesChunk(c *cluster, id int32, bytes int64, now, at sim.Time) {
	passed := t.passes(c, id, c.messages.at(id).to, bytes, now, at)
	if at > now {
		t.chunks(id).passing.push(passed)
	}
}

// happens says that what happens is that the oldest of some moments has come.
func (t *causes) happens(queue *fifo[cause], now sim.Time) { t.now = t.is(queue.pop(), now) }
