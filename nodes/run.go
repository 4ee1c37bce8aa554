package nodes

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"overlapsim/network"
	"overlapsim/network/calibrated"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// Options of a run.
type Options struct {
	Seed     uint64 // of the noise
	Timeline bool   // record spans and messages
	Calls    bool   // with the Timeline, record calls of NICs too
	Critical bool   // find the critical path, and the derivatives of the makespan along it
	PathOnly bool   // with Critical: only the path, which takes less time and memory
	// Spill makes an empty file for the part of a timeline that is not kept in memory, so that
	// memory does not grow with its length. It is called only if that part is large. The file is
	// read as long as the timeline is used. nil: everything is in memory.
	Spill func() (results.File, error)
	// MostEvents is the largest work of a run: its number of events, and what it takes to find the rates of flows in
	// events that take as long. A run that needs more ends with ErrMostEvents. 0: no limit.
	MostEvents uint64
	// Within is the longest makespan that is of interest. A run of all ranks on one core, or on GPUs, ends with Late once it is certain to
	// take longer. 0: any is.
	Within sim.Time
	// Background is the number of threads that compute alongside each process during the whole run.
	Background int
	Nodes      []int32 // the fabric's node of each rank; nil: block-wise from node 0 on
	NoSymmetry bool    // simulate all ranks, even if a few could represent all
	// All is called before all ranks are simulated because a few could not represent them. Its
	// error ends the run. nil: they may be simulated.
	All func() error
	// Cores is the largest number of cores for one run; 0: one. The result is the same for any
	// number. With several cores, several goroutines ask for the steps of a program at the same
	// time.
	Cores int
	// Fabric makes the fabric that the messages of the run share; nil: ideal.
	Fabric network.Maker
	// Traffic says to record what the links of the Fabric carry over time, and what waits at
	// NICs.
	Traffic bool
	// Point returns the end point of the fabric for a NIC of one of its nodes. nil: the end
	// points of a node are consecutive.
	Point func(node, nic int) int
	// Calibration gives the factors by which messages are slowed if Fabric is nil. nil: none.
	Calibration *calibrated.Calibration
}

// Run runs the program on the machine, with at most perNode ranks on a node, one on each hardware
// context. Run checks that on every rank the ledger sums exactly to the wall time.
func Run(m *machines.Machine, p programs.Program, perNode int, o Options) (*results.Result, error) {
	if result, ok, err := runSymmetric(m, p, perNode, o); ok {
		return result, err
	}
	if o.MostEvents > 0 && uint64(p.Ranks()) > o.MostEvents { // each rank has one at least
		return nil, ErrMostEvents
	}
	if o.All != nil {
		if err := o.All(); err != nil {
			return nil, err
		}
	}
	if InRegions(m, p, o) {
		if result, ok := runInRegions(m, p, perNode, o, fewForTwo); ok {
			return result, nil
		}
	}
	return run(m, p, perNode, o, func(*cluster) {})
}

// run prepares the cluster, passes it to begin, and runs it. A panic in the program, or
// in anything else that the run calls, is returned as its error.
func run(m *machines.Machine, p programs.Program, perNode int, o Options, begin func(*cluster)) (result *results.Result, err error) {
	var c *cluster
	defer func() {
		if value := recover(); value != nil {
			result, err = nil, sim.Caught(c.asking(), value)
		}
		if c != nil {
			c.recorder.end()
		}
	}()
	if err := fits(m, p.Ranks(), perNode); err != nil {
		return nil, err
	}
	p = programs.InRun(p)
	if c, err = newCluster(m, p, perNode, o); err != nil {
		return nil, err
	}
	begin(c)
	for r := range c.ranks {
		c.resume(int32(r), 0)
	}
	c.drive(o.MostEvents, o.Within)
	if c.err != nil {
		return nil, c.err
	}
	if err := c.unfinished(); err != nil {
		return nil, err
	}
	if result, err = c.result(); err == nil && o.Fabric == nil { // the links of a given fabric are read later
		c.kernel.Release()
	}
	return result, err
}

// asking names the rank whose step is being asked for, or returns "" if there is none.
func (c *cluster) asking() string {
	if c == nil || c.asked == nobody {
		return "run"
	}
	return fmt.Sprintf("rank %d", c.asked)
}

// ErrMostEvents says that a run has reached Options.MostEvents.
var ErrMostEvents = errors.New("the run needs more events than it may have")

// Late is the error of a run that takes longer than Options.Within.
type Late struct{ Events uint64 } // the work until then, as of Options.MostEvents

func (Late) Error() string { return "the run takes longer than is of interest" }

// drive dispatches at most this number of events (0: all), until it is certain that the run ends after a time (0: never).
func (c *cluster) drive(most uint64, within sim.Time) {
	if most == 0 && within == 0 {
		c.kernel.Run()
		return
	}
	for c.err == nil && (most == 0 || c.worked() < most) && c.kernel.Step() {
		if within == 0 || c.kernel.Now() <= within {
			continue
		}
		if within = 0; !c.allOver() {
			c.fail(Late{c.worked()})
		}
	}
	if c.kernel.Pending() > 0 {
		c.fail(ErrMostEvents)
	}
}

// worked is the work until now, as of Options.MostEvents.
func (c *cluster) worked() uint64 { return c.kernel.Processed() + c.kernel.Charged() }

// allOver tells whether all ranks have ended.
func (c *cluster) allOver() bool {
	return !slices.ContainsFunc(c.ranks, func(r rank) bool { return !r.over() })
}

// fits returns an error if this number of ranks cannot run on a machine.
func fits(m *machines.Machine, ranks, perNode int) error {
	if err := Validate(m); err != nil {
		return err
	}
	if ranks < 1 || perNode < 1 {
		return fmt.Errorf("ranks and processes per node must be at least 1, got %d and %d", ranks, perNode)
	}
	if perNode > m.Contexts() {
		return fmt.Errorf("%d processes per node, but a node of %s has %s", perNode, m.Name, m.Room())
	}
	if need := (ranks + perNode - 1) / perNode; m.Nodes > 0 && need > m.Nodes {
		return fmt.Errorf("%d ranks at %d per node need %d nodes, %s has %d", ranks, perNode, need, m.Name, m.Nodes)
	}
	return nil
}

// places returns where the ranks are: in order, or as the options say.
func (o *Options) places(ranks, perNode int) (*placement, error) {
	switch {
	case o.Nodes == nil:
		return block(ranks, perNode), nil
	case len(o.Nodes) != ranks:
		return nil, fmt.Errorf("%d ranks are placed, there are %d", len(o.Nodes), ranks)
	}
	return placed(o.Nodes, perNode)
}

// modelled returns an error if a run with these options is not modelled on a machine.
func (o *Options) modelled(m *machines.Machine) error {
	switch {
	case o.Critical && m.Copying != nil && m.Copying.Protocols > 0:
		return mistake("copying.protocols", "a CPU works for processes that are not on it: no critical path is known of that")
	case m.Sharing != nil && m.Sharing.Scheduler != nil && m.Copying != nil && m.Copying.Protocols > 0:
		return mistake("smt.scheduler", "processes that move may come to where the kernel works (copying.protocols)")
	case o.Calibration != nil && o.Fabric != nil:
		return errors.New("messages contend on the fabric, or are slower by a calibration, not both")
	}
	return nil
}

// result collects what the run produced and checks the ledgers.
func (c *cluster) result() (*results.Result, error) {
	n := len(c.ranks)
	res := &results.Result{
		Ranks: n, Events: c.kernel.Processed() + c.elsewhere, Solving: c.kernel.Charged(), Messages: c.sent, Bytes: c.bytes, Uses: c.uses,
		Phases: c.program.Phases(), Kernels: c.machine.KernelNames(),
		Finish: make([]sim.Time, n), Hidden: make([]sim.Time, n),
		Ledgers: make([][]results.Ledger, n),
	}
	var wrong atomic.Pointer[error]
	divide(n, c.cores, func(from, to int) {
		if err := c.collect(res, from, to); err != nil {
			wrong.Store(&err)
		}
	})
	if err := wrong.Load(); err != nil {
		return nil, *err
	}
	var err error
	if res.Bound, err = c.bound(res); err != nil {
		return nil, err
	}
	if res.Timeline, err = c.recorder.timeline(); err != nil {
		return nil, err
	}
	res.Traffic = c.traffic()
	if err := c.causes.explains(res, c.machine); err != nil {
		return nil, err
	}
	return res, nil
}

// collect copies what some ranks have done into a result, and checks their ledgers.
func (c *cluster) collect(res *results.Result, from, to int) error {
	for r := from; r < to; r++ {
		k := &c.ranks[r]
		res.Finish[r], res.Hidden[r] = k.accounted, k.hidden
		res.Ledgers[r] = c.ledgers[r*c.phases : (r+1)*c.phases]
		all := res.OfRank(r)
		if all.Sum() != k.accounted {
			return fmt.Errorf("bug: ledger of rank %d sums to %v, its wall time is %v", r, all.Sum(), k.accounted)
		}
	}
	return nil
}
