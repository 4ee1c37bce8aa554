package nodes

import (
	"slices"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// chain adds moments for CPU work. Time beyond the work alone is interference.
func (t *causes) chain(from cause, b *charge, on where) cause {
	return t.chainFrom(from, from, b.items, b.time, on)
}

// chainFrom adds moments for items that begin at from. The CPU has worked since begin, for cost in all.
func (t *causes) chainFrom(begin, from cause, items []item, cost sim.Time, on where) cause {
	for _, one := range items {
		from = t.add(from, from.At+one.time, one.part, one.amount, on)
	}
	if from.At < begin.At+cost {
		from = t.slows(begin, from, cost, on)
	}
	return from
}

// takesOn says when the CPU of a rank has done a job that it takes on. The CPU notices the job at
// noticed, in a look that began at look and is the last item of the charge if it began before.
// Jobs delay the end of what they interrupt.
func (t *causes) takesOn(c *cluster, r int32, j job, b *charge, noticed, look sim.Time) {
	if t == nil {
		return
	}
	k := &c.ranks[r]
	on := where{results.CPU, r, t.numberOf(&j)}
	by := t.now
	if k.state == waiting && k.wakeAt == noticed && k.jobs.empty() && by.At < noticed { // together with the end of the wait
		by = t.over(c, r, noticed)
	}
	if by.At < noticed && t.busy[r].At >= noticed { // together with another job
		by = t.busy[r]
	}
	begin, items := t.Last(t.notices(c, r, by, noticed), t.busy[r], max(noticed, k.busy)), b.items
	from := begin
	if look < noticed { // the earlier it is noticed, the more of the look is left
		last := len(items) - 1
		one := items[last]
		from, items = t.add(t.at[r], noticed+one.time, one.part, one.amount, on), items[:last]
	}
	t.busy[r] = t.chainFrom(begin, from, items, b.time, on)
	extra := c.extraOf(&j)
	if k.state == computing && c.agent.intrudes && !j.more {
		t.busy[r] = t.interrupts(t.busy[r], extra, on)
	}
	t.jobs[r].push(t.busy[r])
	switch k.state {
	case computing:
		t.stretch[r] = t.busy[r]
		t.end[r] = t.chain(t.end[r], b, on)
		if c.agent.intrudes && !j.more {
			t.end[r] = t.interrupts(t.end[r], extra, on)
		}
	case posting, receiving:
		t.end[r] = t.chain(t.end[r], b, on)
	}
}

// interrupts adds what a job costs in addition to its own work.
func (t *causes) interrupts(from cause, extra sim.Time, on where) cause {
	return t.add(from, from.At+extra, parts.Interrupt, 1, on)
}

// notices adds the time until a waiting process notices something.
func (t *causes) notices(c *cluster, r int32, by cause, at sim.Time) cause {
	switch {
	case by.At >= at:
		return by
	case c.machine.Runtime == nil:
		return t.Is(by, at)
	case c.machine.Runtime.Waiting == machines.Block:
		return t.add(by, at, parts.Wakeup, 1, where{results.CPU, r, -1})
	}
	return t.add(by, at, parts.Schedule, 1, where{results.CPU, r, -1})
}

// helps says when the helper thread of a rank, or its NIC, has done a job.
func (t *causes) helps(c *cluster, r int32, j job, b *charge, begin sim.Time) {
	if t == nil {
		return
	}
	on := where{results.Helper, r, t.numberOf(&j)}
	if c.agent.cpu == noCPU {
		on = where{results.NICReceive, c.place.nic[r], on.message}
	}
	t.helped(c, r, t.delays(c, on), b, begin, on, j.more)
}

// delays adds the delay before a thread begins a job that is possible now.
func (t *causes) delays(c *cluster, on where) cause {
	return t.add(t.now, t.now.At+c.delay, parts.Delay, 1, on)
}

// numberOf returns the number of the message of a job, or -1.
func (t *causes) numberOf(j *job) int32 {
	if j.message == nobody {
		return -1
	}
	return t.message(j.message).number
}

// helped adds a job to the jobs of a thread. The rest of a round is not a separate job.
func (t *causes) helped(c *cluster, r int32, delayed cause, b *charge, begin sim.Time, on where, more bool) {
	t.helper[r] = t.chain(t.Last(delayed, t.helper[r], begin), b, on)
	if !more {
		t.helper[r] = t.interrupts(t.helper[r], c.extra, on)
	}
	t.jobs[r].push(t.helper[r])
}

// helpLater says that the thread of a rank will do a job after the earlier ones. The cost of the
// job is known now, but not yet how long it takes.
func (t *causes) helpLater(c *cluster, r int32, j job, b *charge) {
	if t == nil {
		return
	}
	on := where{results.Helper, r, t.numberOf(&j)}
	t.later[r].push(help{t.delays(c, on), charge{items: slices.Clone(b.items), alone: b.alone}, on, j.more})
}

// helpsNow begins the oldest job of helpLater.
func (t *causes) helpsNow(c *cluster, r int32, cost, begin sim.Time) {
	if t == nil {
		return
	}
	h := t.later[r].pop()
	h.charge.time = cost
	t.helped(c, r, h.delayed, &h.charge, begin, h.on, h.more)
}

// help is a job that a thread will do later.
type help struct {
	delayed cause
	charge  charge
	on      where
	more    bool
}

// pays says when a rank has paid for a post, or for a copy within the node, after the jobs that
// its CPU already has.
func (t *causes) pays(c *cluster, r int32, b *charge, end sim.Time) {
	if t == nil {
		return
	}
	if !t.shared && t.slot[r].At == end-b.time && t.end[r].At == end {
		return // this end is known already; siblings may have changed meanwhile, even if the slow-down is the same
	}
	t.end[r] = t.chain(t.Last(t.slot[r], t.busy[r], end-b.time), b, where{results.CPU, r, t.message(c.ranks[r].awaited).number})
}

// works says when a call has done its own work: a test, or the additional work for a message that
// came before its receive.
func (t *causes) works(r int32, b *charge, end sim.Time) {
	if t == nil {
		return
	}
	t.end[r] = t.chain(t.Last(t.at[r], t.busy[r], end-b.time), b, where{results.CPU, r, -1})
}

// chunks returns the causes of the chunks of a message.
func (t *causes) chunks(id int32) *chunkCauses {
	m := t.message(id)
	if m.chunks == 0 {
		t.chunked = append(t.chunked, chunkCauses{})
		m.chunks = int32(len(t.chunked))
	}
	return &t.chunked[m.chunks-1]
}

// sendsChunk says when bytes that were copied leave the NIC, and arrive.
func (t *causes) sendsChunk(c *cluster, id, from int32, bytes int64, startup bool, start, sent, arrived sim.Time) {
	if t == nil {
		return
	}
	n, number, chunks := c.place.nic[from], t.message(id).number, t.chunks(id)
	part := parts.Transfer
	switch {
	case c.calibration.on() && startup:
		part = parts.CalibratedTransfer
	case c.calibration.on():
		part = parts.CalibratedChunk
	case !startup:
		part = parts.Chunk
	}
	nic := &t.nics[n]
	between := c.messages.at(id).pair()
	began := t.turn(nic, between, start)
	left := t.add(began, sent, part, c.stripe(bytes), where{results.NICSend, n, number})
	nic.sends(began, departure{left, between}, number, c.kernel.Now())
	t.sent[from].Push(left)
	chunks.leaving.push(left)
	chunks.arriving.push(t.travels(c, left, arrived, between, 1, where{results.Wire, n, number}))
}

// passesChunk says when bytes have passed the receiving NIC, and whether they wait in it until then.
func (t *causes) passesChunk(c *cluster, id int32, bytes int64, now, at sim.Time, waits bool) {
	if t == nil {
		return
	}
	passed := t.passes(c, id, c.messages.at(id).to, bytes, 0, now, at)
	t.comes(c, c.between(id, load), passed, now)
	if waits {
		t.chunks(id).passing.push(passed)
	}
}

// leavesChunk, arrivesChunk and hasPassedChunk say that the oldest chunk of a message
// leaves, arrives, or has passed the receiving NIC now.
func (t *causes) leavesChunk(id int32, now sim.Time) {
	if t == nil {
		return
	}
	t.happens(&t.chunks(id).leaving, now)
}

func (t *causes) arrivesChunk(id int32, now sim.Time) {
	if t == nil {
		return
	}
	t.happens(&t.chunks(id).arriving, now)
}

func (t *causes) hasPassedChunk(id int32, now sim.Time) {
	if t == nil {
		return
	}
	t.happens(&t.chunks(id).passing, now)
}

// opens says when the sender of a message knows that its bytes have been copied in now.
func (t *causes) opens(c *cluster, w *connection, id int32, at sim.Time) {
	if t == nil {
		return
	}
	m := c.messages.at(id)
	on := where{results.Wire, c.place.nic[m.to], t.message(id).number}
	w.open.push(t.travels(c, t.now, at, rankPair{m.to, m.from}, 1, on))
}

// opened says that the sender knows it now.
func (t *causes) opened(w *connection, now sim.Time) {
	if t != nil {
		t.happens(&w.open, now)
	}
}

// hasDone says that the oldest job of a process ends now.
func (t *causes) hasDone(r int32, now sim.Time) {
	if t == nil {
		return
	}
	t.happens(&t.jobs[r], now)
}

// happens says that the oldest of the queued moments is now.
func (t *causes) happens(queue *fifo[cause], now sim.Time) { t.now = t.Is(queue.pop(), now) }
