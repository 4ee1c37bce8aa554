package nodes

import (
	"errors"
	"fmt"

	"overlapsim/nodes/cores"
	"overlapsim/sim"
)

// Sharing says how those who share a core or a memory slow each other down
// (package cores).
type Sharing struct {
	Contexts  int     // hardware contexts of a core; 0: one
	PerMemory int     // neighbouring cores that share a memory; 0: all of the node
	Bandwidth float64 // bytes per second of a memory; 0: as many as asked for
	SlowDown  [cores.NumProfiles][cores.NumProfiles]float64

	Waiting       cores.Profile // what a rank does that waits for a message: Poll or Blocked
	Synchronizing cores.Profile // and in a barrier

	OwnCore bool // the helper thread of a Runtime has a core of its own; otherwise a context beside its process
}

// check reports what cannot be.
func (s *Sharing) check(m *Machine) error {
	if m.Runtime != nil && m.Runtime.Progress.By == Testing {
		return errors.New("computation that tests cannot be slowed down by others: Testing and Sharing")
	}
	return s.params(m).Validate()
}

func (s *Sharing) params(m *Machine) *cores.Params {
	return &cores.Params{Contexts: s.Contexts, Cores: m.Cores, Sharing: s.PerMemory, SlowDown: s.SlowDown, Bandwidth: s.Bandwidth}
}

// Contexts is how many ranks a node has room for.
func (m *Machine) Contexts() int {
	if m.Sharing == nil {
		return m.Cores
	}
	return m.Cores * max(1, m.Sharing.Contexts)
}

// sharers are the ranks of a run on their contexts.
type sharers struct {
	contexts *cores.Contexts
	context  []int         // by rank
	helper   []int         // by rank: the context of its helper thread; nil: there are none
	rank     []int32       // by context: the rank that computes there, or nobody
	runs     []computation // by rank
	streams  bool          // the NIC shares memory
}

// computation is what a rank computes on a context that it shares.
type computation struct {
	activity  cores.Activity
	amount    sim.Time   // all of it
	booked    sim.Time   // of that, in the ledger
	suspended bool       // its CPU does jobs
	left      cores.Work // then
}

// newSharers puts the ranks on contexts.
func (c *cluster) newSharers() (*sharers, error) {
	m := c.machine
	if c.background > 0 {
		return nil, errors.New("background threads take turns on cores, which contexts that are shared do not")
	}
	s := &sharers{runs: make([]computation, len(c.ranks)), streams: m.Sharing.Bandwidth > 0}
	var err error
	if s.contexts, err = cores.New(m.Sharing.params(m), len(c.place.count), c.endMoved); err != nil {
		return nil, err
	}
	s.rank = make([]int32, len(c.place.count)*s.contexts.PerNode())
	for i := range s.rank {
		s.rank[i] = nobody
	}
	for r := range c.ranks {
		if err := s.settle(c, int32(r)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// settle gives a rank its context, and one to its helper thread: the processes
// of a node are on one core after the other, and when all have one, on the
// cores' next contexts; threads of a process are on neighbouring contexts,
// and so are their helpers, unless those are on the cores behind all processes.
func (s *sharers) settle(c *cluster, r int32) error {
	threads := Threads(c.program)
	slot, ways := int(c.place.slot[r]), threads
	process, thread := slot/threads, slot%threads
	helped := c.agent == Thread
	if helped && !c.machine.Sharing.OwnCore {
		ways = 2 * threads
	}
	node := int(c.place.home[r])
	context, err := s.at(c, r, node, process, thread, ways)
	if err != nil {
		return err
	}
	s.context = append(s.context, context)
	s.rank[context] = r
	if !helped {
		return nil
	}
	if c.machine.Sharing.OwnCore {
		process += (int(c.place.count[node]) + threads - 1) / threads
		thread -= threads
	}
	context, err = s.at(c, r, node, process, threads+thread, ways)
	s.helper = append(s.helper, context)
	return err
}

// at returns the context of a thread of a process, if there is one.
func (s *sharers) at(c *cluster, r int32, node, process, thread, ways int) (int, error) {
	n := c.machine.Cores
	way := process/n*ways + thread
	if way >= s.contexts.PerCore() {
		return 0, fmt.Errorf("rank %d, or its helper thread, has no context: %d cores of %d contexts are too few for all threads of its node",
			r, n, s.contexts.PerCore())
	}
	return node*s.contexts.PerNode() + process%n*s.contexts.PerCore() + way, nil
}

// beginComputing begins a computation; what others do moves its end.
func (c *cluster) beginComputing(r int32, op *Op, now sim.Time) {
	k := &c.ranks[r]
	k.state = computing
	k.opEnd = now + sim.Time(op.Amount)
	if c.agent == Testing {
		k.opEnd = now + c.beginTests(r, sim.Time(op.Amount), now)
	}
	if s := c.sharers; s != nil {
		s.runs[r] = computation{activity: op.Activity(), amount: sim.Time(op.Amount)}
		k.opEnd = s.contexts.Start(s.context[r], op.Activity(), cores.Alone(sim.Time(op.Amount)), now)
	}
	c.resume(r, k.opEnd)
}

// endMoved hears that what a context does will end at another time. A rank
// that is to wake before finds out then.
func (c *cluster) endMoved(context int, end sim.Time) {
	r := c.sharers.rank[context]
	if r == nobody || c.ranks[r].state != computing || c.sharers.runs[r].suspended {
		return
	}
	k := &c.ranks[r]
	if k.opEnd = end; end < k.wakeAt {
		c.resume(r, end)
	}
}

// show lets the context of a rank do what the rank does now: its computation,
// which jobs of its CPU suspend, or something without an end.
func (c *cluster) show(r int32, now sim.Time) {
	s := c.sharers
	if s == nil {
		return
	}
	k, run := &c.ranks[r], &s.runs[r]
	busy := k.copyEnd() > now
	switch {
	case k.state == computing && !busy:
		if run.suspended {
			run.suspended = false
			k.opEnd = s.contexts.Start(s.context[r], run.activity, run.left, now)
			c.resume(r, k.opEnd)
		}
		return
	case k.state == computing && !run.suspended:
		run.suspended, run.left = true, s.contexts.Left(s.context[r], now)
		k.opEnd, k.wakeAt = horizon, never
	}
	s.contexts.Start(s.context[r], cores.Activity{Profile: c.profile(k, busy)}, cores.Endless, now)
}

// profile is that of a rank that does not compute.
func (c *cluster) profile(k *rank, busy bool) cores.Profile {
	switch {
	case busy || k.state == posting || k.state == copying || k.state == receiving:
		return cores.Stack
	case k.over():
		return cores.Blocked
	case k.state == inBarrier:
		return c.machine.Sharing.Synchronizing
	}
	return c.machine.Sharing.Waiting
}

// slowed is how long CPU work of the communication library takes a rank beside
// what its siblings do now.
func (c *cluster) slowed(r int32, t sim.Time) sim.Time {
	if c.sharers == nil {
		return t
	}
	return c.sharers.contexts.Slowed(c.sharers.context[r], cores.Stack, t)
}

// queueHelp lets the helper thread of a rank do a job after those it has. How
// long it takes is known when it begins.
func (c *cluster) queueHelp(r int32, j job, cost, now sim.Time) {
	k := &c.ranks[r]
	j.from, j.cost = now+c.delay, cost
	idle := k.jobs.empty()
	if k.jobs.push(j); idle {
		c.nextHelp(r, now)
	}
}

// nextHelp begins the next job of a helper thread on a context, or lets it sleep.
func (c *cluster) nextHelp(r int32, now sim.Time) {
	s, k := c.sharers, &c.ranks[r]
	if s == nil || s.helper == nil {
		return
	}
	if k.jobs.empty() {
		s.contexts.Stop(s.helper[r], now)
		return
	}
	j := k.jobs.first()
	begin := max(now, j.from)
	k.helper = begin + s.contexts.Slowed(s.helper[r], cores.Stack, j.cost) + c.extra
	s.contexts.Start(s.helper[r], cores.Activity{Profile: cores.Stack}, cores.Endless, now)
	if c.recorder != nil {
		c.recorder.helped(r, begin, k.helper, c.messages.at(j.message).record)
	}
	c.schedule(k.helper, evJobDone, uint64(r))
}

// interfere books, of a computation up to then, what it would have taken alone,
// and the rest as interference.
func (c *cluster) interfere(r int32, until sim.Time) {
	s, k := c.sharers, &c.ranks[r]
	if s == nil || until <= k.accounted {
		return
	}
	run := &s.runs[r]
	done := run.amount - s.contexts.Left(s.context[r], until).Time()
	alone := k.accounted + done - run.booked
	run.booked = done
	c.spend(r, Compute, alone)
	c.spend(r, Interference, until)
}

// dma lets the transfer of a message load the memories at both its ends.
func (c *cluster) dma(from, to int32, bytes int64, start, sent, arrived sim.Time) {
	if c.sharers == nil || !c.sharers.streams || sent <= start || bytes == 0 {
		return
	}
	rate := max(1, int64(float64(bytes)/(sent-start).Seconds()/megabyte))
	c.stream(from, rate, start, sent)
	c.stream(to, rate, arrived-(sent-start), arrived)
}

// stream lets the NIC move so many MB/s in the memory of a rank for a while.
func (c *cluster) stream(r int32, rate int64, begin, end sim.Time) {
	arg := uint64(c.sharers.context[r]) | uint64(rate)<<32
	c.schedule(begin, evStream, arg)
	c.schedule(end, evStreamEnd, arg)
}

// moves tells that the NIC of a contended fabric begins (+1) or ends (-1) to move
// bytes in the memory of a rank, at the speed of the NIC.
func (c *cluster) moves(r int32, bytes int64, sign int64) {
	if s := c.sharers; s != nil && s.streams && bytes > 0 {
		cost := c.machine.Network.Transfer
		rate := int64(1e12 / max(1, cost[len(cost)-1].PerByte))
		s.contexts.Stream(s.context[r], sign*rate, c.kernel.Now())
	}
}

// streamed changes what a NIC moves.
func (c *cluster) streamed(arg uint64, sign int64, now sim.Time) {
	c.sharers.contexts.Stream(int(uint32(arg)), sign*int64(arg>>32)*megabyte, now)
}
