package nodes

import (
	"slices"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// scheduler is the operating system, which moves processes between the contexts that share a memory (rule S6). A memory is known
// by its first context.
type scheduler struct {
	*machines.Scheduler
	running []bool     // by context: its rank is awake
	due     []sim.Time // by memory: when an idle core takes a process over; never: all is in balance
}

// newScheduler returns the scheduler of a run, or nil if processes stay where they are. They do if they have several threads.
func newScheduler(c *cluster, contexts int) *scheduler {
	of := c.machine.Sharing.Scheduler
	if of == nil || programs.Threads(c.program) > 1 || c.agent.cpu == helperCPU {
		return nil
	}
	s := &scheduler{of, make([]bool, contexts), make([]sim.Time, contexts)}
	for i := range s.due {
		s.due[i] = never
	}
	return s
}

// has tells whether the context of a rank has not been given to another one while the rank slept.
func (s *sharers) has(r int32) bool { return s.rank[s.context[r]] == r }

// wakesUp gives a rank that slept a context.
func (c *cluster) wakesUp(r int32, now sim.Time) {
	s := &c.sharers
	if s.scheduler == nil || s.awake(r) {
		return
	}
	s.assign(r, s.free(s.context[r]))
	c.causes.shows(r, now)
	c.watch(s.context[r], now)
}

// awake tells whether a rank runs on its context.
func (s *sharers) awake(r int32) bool { return s.has(r) && s.scheduler.running[s.context[r]] }

// assign makes a rank run on a context.
func (s *sharers) assign(r int32, context int) {
	if s.has(r) {
		s.rank[s.context[r]] = nobody
	}
	s.context[r], s.rank[context], s.scheduler.running[context] = context, r, true
}

// fallsAsleep lets the context of a rank run others.
func (c *cluster) fallsAsleep(r int32, now sim.Time) {
	s := &c.sharers
	if s.scheduler == nil || !s.has(r) {
		return
	}
	s.scheduler.running[s.context[r]] = false
	c.watch(s.context[r], now)
}

// free returns the context on which a rank that had this one last wakes up. There is always one, because a memory has no more
// ranks than contexts.
func (s *sharers) free(had int) int {
	running := s.scheduler.running
	memory, end := s.contexts.Neighbours(had)
	first, last := s.contexts.Siblings(had)
	switch sibling := slices.Index(running[first:last], false); {
	case s.scheduler.First && !running[memory]:
		return memory
	case !running[had]:
		return had
	case sibling >= 0:
		return first + sibling
	}
	return memory + slices.Index(running[memory:end], false)
}

// imbalance returns a running context of the fullest core of a memory, and the first one of an idle core. It returns false if
// no core runs several ranks, or if none is idle.
func (s *sharers) imbalance(memory int) (from, to int, ok bool) {
	most, idle := 1, false
	for first, last := s.contexts.Neighbours(memory); first < last; first += s.contexts.PerCore() {
		n, latest := s.scheduler.runs(first, first+s.contexts.PerCore())
		switch {
		case n > most:
			most, from = n, latest
		case n == 0 && !idle:
			idle, to = true, first
		}
	}
	return from, to, idle && most > 1
}

// runs returns how many contexts run, and the last one that does.
func (s *scheduler) runs(first, end int) (n, last int) {
	for i := first; i < end; i++ {
		if s.running[i] {
			n, last = n+1, i
		}
	}
	return n, last
}

// watch plans to balance the cores that share the memory of a context, unless they are in balance.
func (c *cluster) watch(context int, now sim.Time) {
	s := &c.sharers
	memory, _ := s.contexts.Neighbours(context)
	due := &s.scheduler.due[memory]
	if _, _, ok := s.imbalance(memory); !ok {
		*due = never
	} else if *due == never && s.scheduler.Balance <= machines.Longest-now {
		*due = now + s.scheduler.Balance
		c.causes.plansBalance(s.rank[context], memory, *due, now)
		c.schedule(*due, evBalance, uint64(memory))
	}
}

// balance lets an idle core take over a rank, if one has been idle next to a core with several ever since it was planned.
func (c *cluster) balance(memory int, now sim.Time) {
	s := &c.sharers
	if s.scheduler.due[memory] != now {
		return
	}
	c.causes.balances(memory, now)
	s.scheduler.due[memory] = never
	from, to, _ := s.imbalance(memory)
	c.migrate(s.rank[from], to, now)
	c.watch(to, now)
}

// migrate moves what a rank does to another context.
func (c *cluster) migrate(r int32, to int, now sim.Time) {
	s, k := &c.sharers, &c.ranks[r]
	from := s.context[r]
	computes := k.state == computing && !k.disturbed && !s.runs[r].suspended
	if computes {
		c.causes.leavesContext(c, r, now)
	}
	s.scheduler.running[from] = false
	s.assign(r, to)
	end := s.contexts.Move(from, to, now)
	if computes {
		c.causes.repaces(c, r, now)
		k.opEnd = end
		c.resume(r, end)
	}
}

// plansBalance says when the scheduler will act on what a rank has done now.
func (t *causes) plansBalance(r int32, memory int, at, now sim.Time) {
	if t == nil {
		return
	}
	t.balance[memory] = t.add(t.Is(t.now, now), at, parts.Balance, 1, where{results.CPU, r, -1})
}

// balances says that the scheduler acts now.
func (t *causes) balances(memory int, now sim.Time) {
	if t == nil {
		return
	}
	t.now = t.Is(t.balance[memory], now)
}

// leavesContext notes what has slowed down a computation on the context that it leaves.
func (t *causes) leavesContext(c *cluster, r int32, now sim.Time) {
	if t == nil {
		return
	}
	t.affect(c, r, now)
}
