package nodes

import (
	"overlapsim/nodes/cores"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// computation is what a rank computes on a context that it shares.
type computation struct {
	activity  cores.Activity
	amount    sim.Time   // all of it
	booked    sim.Time   // the part of it that is already in the ledger
	suspended bool       // its CPU does jobs
	left      cores.Work // the work left while it is suspended
}

// beginComputing begins a computation. Other activities may move its end.
func (c *cluster) beginComputing(r int32, op *programs.Op, now sim.Time) {
	k := &c.ranks[r]
	k.state, k.in = computing, inCompute
	if k.worker != nil {
		k.computed = true
	}
	k.opEnd = now + sim.Time(op.Amount)
	if c.agent.tests {
		k.opEnd = now + c.beginTests(r, op, now)
	}
	if s := &c.sharers; s.slow() {
		c.wakesUp(r, now)
		s.runs[r] = computation{activity: op.Activity(), amount: sim.Time(op.Amount)}
		k.opEnd = s.contexts.Start(s.context[r], op.Activity(), cores.Alone(sim.Time(op.Amount)), now)
	}
	c.causes.computes(c, r, op, now)
	c.resume(r, k.opEnd)
	if c.agent.intrudes {
		c.progress(r, now)
	}
}

// endMoved is called when the activity of a context will end at another time. If its rank is to
// wake before that time, the rank finds out when it wakes.
func (c *cluster) endMoved(context int, end sim.Time) {
	r := c.sharers.rank[context]
	if r == nobody || c.ranks[r].state != computing || c.sharers.runs[r].suspended {
		return
	}
	c.causes.repaces(c, r, c.kernel.Now())
	k := &c.ranks[r]
	if k.opEnd = end; end < k.wakeAt {
		c.resume(r, end)
	}
}

// show makes the context of a rank do what the rank does now. That is its computation, unless
// jobs of its CPU suspend it, or else an activity without an end.
func (c *cluster) show(r int32, now sim.Time) {
	if c.sharers.slow() {
		c.showOn(&c.sharers, r, now)
	}
}

func (c *cluster) showOn(s *sharers, r int32, now sim.Time) {
	c.causes.shows(r, now)
	k, run := &c.ranks[r], &s.runs[r]
	busy := k.copyEnd() > now
	switch {
	case k.state == computing && !busy:
		if run.suspended {
			run.suspended = false
			k.opEnd = s.contexts.Start(s.context[r], run.activity, run.left, now)
			c.causes.repaces(c, r, now)
			c.resume(r, k.opEnd)
		}
		return
	case k.state == computing && !run.suspended:
		run.suspended, run.left = true, s.contexts.Left(s.context[r], now)
		k.opEnd, k.wakeAt = machines.Longest, never
		c.causes.suspends(c, r, now)
	}
	profile := c.profile(k, busy)
	if profile == cores.Blocked {
		c.fallsAsleep(r, now)
	} else {
		c.wakesUp(r, now)
	}
	if s.has(r) {
		s.contexts.Start(s.context[r], cores.Activity{Profile: profile}, cores.Endless, now)
	}
}

// profile returns the profile of a rank that does not compute.
func (p *cpuSide) profile(k *rank, busy bool) cores.Profile {
	switch {
	case busy || k.state == posting || k.state == copying || k.state == receiving:
		return cores.Stack
	case k.over():
		return cores.Blocked
	case k.state == inBarrier:
		return p.machine.Sharing.Synchronizing
	}
	if rt := p.machine.Runtime; rt != nil && rt.Waiting == machines.Block {
		return cores.Blocked
	}
	return cores.Poll
}

// slowed sets how long CPU work of the communication library takes on a rank alongside the present
// activities of its siblings.
func (c *cluster) slowed(r int32, b *charge) *charge {
	if c.sharers.slow() {
		c.wakesUp(r, c.kernel.Now())
		b.time = c.slowedOn(c.sharers.context[r], b.alone)
	}
	return b
}

// slowedOn returns how long such work takes on a context.
func (c *cluster) slowedOn(context int, alone sim.Time) sim.Time {
	c.causes.notesSiblings(c, context)
	return c.sharers.contexts.Slowed(context, cores.Stack, alone)
}

// queueHelp makes the helper thread of a rank do a job after its earlier ones. How long the job
// takes is known only when it begins.
func (c *cluster) queueHelp(r int32, j job, b *charge, now sim.Time) {
	k := &c.ranks[r]
	j.from, j.cost = now+c.delay, b.alone
	c.causes.helpLater(c, r, j, b)
	idle := k.jobs.empty()
	if k.jobs.push(j); idle {
		c.nextHelp(r, now)
	}
}

// nextHelp begins the next job of a helper thread on a context, or lets the thread sleep.
func (c *cluster) nextHelp(r int32, now sim.Time) {
	s, k := &c.sharers, &c.ranks[r]
	if s.helper == nil {
		return
	}
	if k.jobs.empty() {
		s.contexts.Stop(s.helper[r], now)
		return
	}
	j := k.jobs.first()
	begin := max(now, j.from)
	c.recordJobPoll(r, &j, begin)
	cost := c.slowedOn(s.helper[r], j.cost)
	c.causes.helpsNow(c, r, cost, begin)
	k.helper = begin + cost + c.extraOf(&j)
	k.jobs.left()[0].from = begin
	s.contexts.Start(s.helper[r], cores.Activity{Profile: cores.Stack}, cores.Endless, now)
	c.recorder.helped(r, begin, k.helper, c.recordOf(&j))
	c.schedule(k.helper, evJobDone, uint64(r))
}

// interfere books a computation up to until. The time that it would have taken alone is
// computation, and the rest is interference.
func (c *cluster) interfere(r int32, until sim.Time) {
	s, k := &c.sharers, &c.ranks[r]
	if !s.slow() || until <= k.accounted {
		return
	}
	run := &s.runs[r]
	done := run.amount - s.contexts.Left(s.context[r], until).Time()
	alone := k.accounted + done - run.booked
	run.booked = done
	c.spend(r, results.Compute, alone)
	c.spend(r, results.Interference, until)
}
