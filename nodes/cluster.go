package nodes

import (
	"cmp"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/match"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
)

// cluster is one run: what its ranks do, and the messages between them. Four sides own the rest of the
// state, each in a separate file: the CPUs, the NICs, the way between NICs, and what observes the run.
// The cluster embeds their fields and methods.
type cluster struct {
	kernel    *sim.Kernel
	self      sim.HandlerID
	machine   *machines.Machine
	program   programs.Program
	do        programs.Ops // of the step being fetched
	asked     int32        // rank whose step that is; nobody: none
	place     *placement
	cores     int // that the run may use
	ranks     []rank
	messages  slab[message]
	stagings  slab[staging]
	schedules slab[schedule]
	due       fifo[dueSchedule]      // schedules that continue now
	offered   fifo[int32]            // ranks whose schedules made jobs possible now
	matching  *match.Matching[int32] // values: a receive's request; a message's id
	barrier   barrier
	largest   int64             // bytes of the largest message that a run can carry
	live      *liveProgram      // nil: the program is not live
	symmetry  *symmetricProgram // nil: all ranks are simulated
	region    *region           // nil: the run is on one core
	err       error             // ends the run

	cpuSide
	nicSide
	networkSide
	observers
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
	case c.symmetry != nil:
		c.symmetry.schedules(at, kind, arg)
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

// within tells whether a future time lies within the longest run. If it does not, or if no Time
// could hold it, the run ends.
func (c *cluster) within(at sim.Time) bool {
	if at > machines.Longest || at < c.kernel.Now() {
		c.fail(tooLong)
		return false
	}
	return true
}

func newCluster(m *machines.Machine, p programs.Program, perNode int, o Options) (*cluster, error) {
	n := p.Ranks()
	place, err := o.places(n, perNode)
	if err = cmp.Or(err, o.modelled(m)); err != nil {
		return nil, err
	}
	c := &cluster{
		asked:     nobody,
		kernel:    sim.NewKernel(),
		machine:   m,
		program:   p,
		place:     place,
		cores:     o.Cores,
		ranks:     make([]rank, n),
		matching:  match.NewMatching[int32](n),
		largest:   largest(m),
		observers: newObservers(n, len(p.Phases())),
	}
	c.self = c.kernel.Register(c)
	place.assignNICs(m, programs.Threads(p))
	c.networkSide = newNetworkSide(m, p, place, o.Calibration)
	c.nicSide.init(m, place, n, &o)
	c.cpuSide = newCPUSide(m, place, n, o.Seed)
	if err := c.setBackground(perNode, o.Background); err != nil {
		return nil, err
	}
	c.prepareRanks()
	c.observe(&o)
	if err := c.shareCores(); err != nil {
		return c, err
	}
	return c, c.connect(o)
}
