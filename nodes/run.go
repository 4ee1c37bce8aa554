package nodes

import (
	"errors"
	"fmt"

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
	Calls    bool   // and calls of NICs
	Critical bool   // find the critical path
	// Spill makes an empty file for what a timeline does not hold in memory, which then does not grow
	// with its length. It is called if there is much of that, and the file is read as long as the
	// timeline is. nil: everything is in memory.
	Spill func() (results.File, error)
	// MostEvents is how many events a run may need. One that needs more ends with
	// ErrMostEvents. 0: any number.
	MostEvents uint64
	// Background is how many threads compute beside each process all the time.
	Background int
	Nodes      []int32 // the fabric's node of each rank; nil: block-wise from node 0 on
	NoSymmetry bool    // simulate all ranks, even if few tell the time of all
	// All is asked before all ranks are simulated after all because few did not tell their
	// time. Its error ends the run. nil: they may be.
	All func() error
	// Cores is how many cores one run may use; the result is the same for all. 0: one. The
	// steps of a program are then asked for by several goroutines at once.
	Cores int
	// Fabric makes the fabric that the messages of the run share; nil: ideal.
	Fabric network.Maker
	// Traffic: record what the links of the Fabric carry when, and what waits at NICs.
	Traffic bool
	// Point says at which end point of the fabric a NIC of one of its nodes is; nil: those of
	// a node follow each other.
	Point func(node, nic int) int
	// Calibration says how much longer than alone messages take if Fabric is nil; nil: no longer.
	Calibration *calibrated.Calibration
}

// Run runs the program on the machine, with at most perNode ranks on a node, one per
// hardware context. The run is checked: on every rank the ledger sums exactly to its wall
// time.
func Run(m *machines.Machine, p programs.Program, perNode int, o Options) (*results.Result, error) {
	if result, ok, err := symmetric(m, p, perNode, o); ok {
		return result, err
	}
	if o.All != nil {
		if err := o.All(); err != nil {
			return nil, err
		}
	}
	if InRegions(m, p, o) {
		if result, ok := splitRun(m, p, perNode, o, fewForTwo); ok {
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
	c.drive(o.MostEvents)
	if c.err != nil {
		return nil, c.err
	}
	if err := c.unfinished(); err != nil {
		return nil, err
	}
	if result, err = c.result(); err == nil && o.Fabric == nil { // a fabric is asked for its links later
		c.kernel.Release()
	}
	return result, err
}

// asking names the rank whose step is being asked for, if there is one.
func (c *cluster) asking() string {
	if c == nil || c.asked == nobody {
		return "run"
	}
	return fmt.Sprintf("rank %d", c.asked)
}

// ErrMostEvents says that a run has reached Options.MostEvents.
var ErrMostEvents = errors.New("the run needs more events than it may have")

// drive dispatches at most that many events; 0: all there are.
func (c *cluster) drive(most uint64) {
	if most == 0 {
		c.kernel.Run()
		return
	}
	for c.err == nil && c.kernel.Processed() < most && c.kernel.Step() {
	}
	if c.kernel.Pending() > 0 {
		c.fail(ErrMostEvents)
	}
}

// fits reports why that many ranks cannot run on a machine.
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

// modelled returns why there is no such run on a machine.
func (o *Options) modelled(m *machines.Machine) error {
	switch {
	case o.Critical && m.Copying != nil && m.Copying.Protocols > 0:
		return mistake("copying.protocols", "a CPU works for processes that are not on it: no critical path is known of that")
	case o.Calibration != nil && o.Fabric != nil:
		return errors.New("messages contend on the fabric, or are slower by a calibration, not both")
	}
	return nil
}

// result collects what the run produced and checks the ledgers.
func (c *cluster) result() (*results.Result, error) {
	n := len(c.ranks)
	res := &results.Result{
		Ranks: n, Events: c.kernel.Processed() + c.elsewhere, Messages: c.sent, Bytes: c.bytes, Uses: c.uses,
		Phases: c.program.Phases(), Kernels: c.machine.KernelNames(),
		Finish: make([]sim.Time, n), Hidden: make([]sim.Time, n),
		Ledgers: make([][]results.Ledger, n),
	}
	for r := range c.ranks {
		k := &c.ranks[r]
		res.Finish[r], res.Hidden[r] = k.accounted, k.hidden
		res.Ledgers[r] = c.ledgers[r*c.phases : (r+1)*c.phases]
		all := res.OfRank(r)
		if all.Sum() != k.accounted {
			return nil, fmt.Errorf("bug: ledger of rank %d sums to %v, its wall time is %v", r, all.Sum(), k.accounted)
		}
	}
	var err error
	if res.Bound, err = c.bound(res); err != nil {
		return nil, err
	}
	if c.recorder != nil {
		if res.Timeline, err = c.recorder.timeline(); err != nil {
			return nil, err
		}
	}
	if c.carrier != nil {
		res.Traffic = c.carrier.traffic
	}
	if err := c.causes.explains(res, c.machine); err != nil {
		return nil, err
	}
	return res, nil
}
