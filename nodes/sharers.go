package nodes

import (
	"overlapsim/nodes/cores"
	"overlapsim/nodes/programs"
)

// sharers places the ranks of a run on contexts. With the zero sharers, ranks do not slow each
// other down.
type sharers struct {
	contexts   *cores.Contexts
	context    []int         // by rank
	helper     []int         // by rank: the context of its helper thread; nil: there are none
	rank       []int32       // by context: the rank that computes there; nobody: none
	runs       []computation // by rank
	streams    bool          // the NIC shares memory
	scheduler  *scheduler    // nil: no process moves
	*protocols               // nil: kernel work takes no time
}

// slow tells whether ranks may slow each other down.
func (s *sharers) slow() bool { return s.contexts != nil }

// shareCores puts the ranks on contexts, if they share cores or memory.
func (c *cluster) shareCores() (err error) {
	m, s := c.machine, &c.sharers
	switch {
	case m.Sharing == nil:
		return nil
	case c.background > 0:
		return mistake("background_threads", "background threads take turns on cores, which contexts that are shared do not")
	}
	s.runs, s.streams = make([]computation, len(c.ranks)), m.Sharing.Bandwidth > 0
	s.protocols = newProtocols(m, len(c.place.count))
	if s.contexts, err = cores.New(contextsOf(m), len(c.place.count), c.endMoved); err != nil {
		return err
	}
	s.rank = make([]int32, len(c.place.count)*s.contexts.PerNode())
	c.causes.differentiates(s.contexts, len(s.rank))
	for i := range s.rank {
		s.rank[i] = nobody
	}
	for r := range c.ranks {
		if err := s.settle(c, int32(r)); err != nil {
			return err
		}
	}
	s.scheduler = newScheduler(c, len(s.rank))
	return nil
}

// settle gives a rank a context, and another one to its helper thread. The processes of a node go
// to the cores in turn. When every core has one, they go to the next context of each core. The
// threads of a process are on neighbouring contexts, followed by their helpers. Helpers with
// their own cores are on the cores after all processes.
func (s *sharers) settle(c *cluster, r int32) error {
	threads := programs.Threads(c.program)
	slot, ways := int(c.place.slot[r]), threads
	process, thread := slot/threads, slot%threads
	helped := c.agent.cpu == helperCPU
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
		return 0, mistake("processes_per_node", "rank %d, or its helper thread, has no context: %d cores of %d contexts are too "+
			"few for all threads of its node; give fewer processes_per_node, or machine.smt.contexts",
			r, n, s.contexts.PerCore())
	}
	return node*s.contexts.PerNode() + c.machine.Core(process)*s.contexts.PerCore() + way, nil
}
