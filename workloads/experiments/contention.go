package experiments

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"overlapsim/network/packet"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/workloads"
)

// The contention experiments of the OSPRI project (Argonne, 2010), measured on a BlueGene/P torus. After a
// barrier, every node that takes part issues ten nonblocking operations to the node at some displacement and waits
// for all of them. A put is complete when its acknowledgement is back. The DCMF library gets the acknowledgement by
// a get of 0 bytes that follows the data.
func init() {
	workloads.Register(workloads.Kind{Name: "contention-displacement",
		Title: "every node of a torus puts to, or gets from, the node at a displacement",
		New:   func() workloads.Workload { return &contentionDisplacement{newContention(), []int{3, 3, 3}} }})
	workloads.Register(workloads.Kind{Name: "contention-diagonal",
		Title: "some or all nodes of a torus put to, or get from, the node half-way round every dimension",
		New:   func() workloads.Workload { return &contentionDiagonal{newContention(), 100} }})
}

// contention is the common part of both experiments.
type contention struct {
	Op          string   `key:"op" unit:"text" doc:"put or get"`
	Bytes       int64    `key:"bytes" unit:"bytes" doc:"size of an operation"`
	Operations  int64    `key:"operations" unit:"times" doc:"non-blocking operations of a node"`
	Window      int64    `key:"window" unit:"count" doc:"most operations of a node under way; 0: all"`
	Ordered     bool     `key:"ordered" unit:"flag" doc:"puts stay on static routes, regardless of fabric.routing, so that no acknowledgement passes its data"`
	PutOverhead sim.Time `key:"put_overhead" unit:"time" doc:"processor time of a put until it is handed to the NIC"`
	GetOverhead sim.Time `key:"get_overhead" unit:"time" doc:"the same of a get"`
	Completion  sim.Time `key:"completion" unit:"time" doc:"from the last arrival until the processor knows"`
	Skew        sim.Time `key:"skew" unit:"time" doc:"nodes leave the barrier at random times, at most this far apart"`
}

type contentionDisplacement struct {
	contention
	Displacement []int `key:"displacement" unit:"offset" doc:"from a node to its partner, along each dimension"`
}

type contentionDiagonal struct {
	contention
	Percent int64 `key:"percent" unit:"count" doc:"nodes that take part: 100, 50 (even x), 25 (x a multiple of 4) or another divisor of 100"`
}

// newContention returns the parameters as the experiments ran on BlueGene/P.
// docs/validation/bluegene-packets.md gives the origins of the times.
func newContention() contention {
	return contention{Op: "put", Bytes: 16 << 10, Operations: 10, Ordered: true, PutOverhead: 980 * sim.Nanosecond,
		GetOverhead: 1710 * sim.Nanosecond, Completion: 390 * sim.Nanosecond, Skew: sim.Microsecond}
}

// Program implements Workload: an experiment has no program.
func (w *contention) Program(*machines.Machine, int) (programs.Program, error) {
	return nil, errNoProgram
}

// overhead is the processor time of an operation.
func (w *contention) overhead() sim.Time {
	if w.Op == "get" {
		return w.GetOverhead
	}
	return w.PutOverhead
}

// most is the largest number of operations of all nodes together: they are numbered.
const most = math.MaxInt32

// check returns the errors in the parameters that both experiments have.
func (w *contention) check(n Network) (errs []error) {
	wrong := func(key, format string, args ...any) {
		errs = append(errs, &workloads.KeyError{Key: key, Message: fmt.Sprintf(format, args...)})
	}
	processes := int64(max(1, n.Grid.PerRouter))
	for _, size := range n.Grid.Sizes {
		processes *= int64(size)
	}
	if w.Op != "put" && w.Op != "get" {
		wrong("op", "must be put or get, got %s", w.Op)
	}
	if w.Bytes < 1 {
		wrong("bytes", "must be at least 1")
	}
	if w.Operations < 1 || w.Operations > most/processes {
		wrong("operations", "must be 1 to %d on %d nodes, got %d", most/processes, processes, w.Operations)
		return errs
	}
	if all := processes * w.Operations; w.Bytes > math.MaxInt64/all {
		wrong("bytes", "must be at most %d for %d operations on %d nodes, got %d", math.MaxInt64/all, w.Operations, processes, w.Bytes)
	}
	if w.Window > most {
		wrong("window", "must be at most %d, got %d", most, w.Window)
	}
	return append(errs, w.checkTimes(n)...)
}

// checkTimes returns an error for each parameter that makes a node take longer than a run
// can.
func (w *contention) checkTimes(n Network) (errs []error) {
	for _, part := range []struct {
		key  string
		time sim.Time
	}{
		{"bytes", n.Packet.Bandwidth.Time(w.Bytes).Times(w.Operations)},
		{"operations", max(w.PutOverhead, w.GetOverhead).Times(w.Operations)},
		{"completion", w.Completion}, {"skew", w.Skew},
	} {
		if most := machines.Longest / 4; part.time > most {
			errs = append(errs, &workloads.KeyError{Key: part.key,
				Message: fmt.Sprintf("must be less: it makes a node take %v, the most is %v", part.time, most)})
		}
	}
	return errs
}

// Check implements Experiment.
func (w *contentionDisplacement) Check(_ *machines.Machine, n Network) error {
	errs := w.check(n)
	if sizes := n.Grid.Sizes; len(w.Displacement) != len(sizes) {
		errs = append(errs, &workloads.KeyError{Key: "displacement",
			Message: fmt.Sprintf("must have a number for each of the %d dimensions %v, got %v", len(sizes), sizes, w.Displacement)})
	}
	return errors.Join(errs...)
}

// Check implements Experiment.
func (w *contentionDiagonal) Check(_ *machines.Machine, n Network) error {
	errs := w.check(n)
	if w.Percent < 1 || w.Percent > 100 || 100%w.Percent != 0 {
		errs = append(errs, &workloads.KeyError{Key: "percent",
			Message: fmt.Sprintf("must be a divisor of 100, such as 100, 50 or 25, got %d", w.Percent)})
	}
	return errors.Join(errs...)
}

// Run implements Experiment.
func (w *contentionDisplacement) Run(_ *machines.Machine, n Network) (*results.Result, *packet.Fabric, error) {
	return w.run(n, w.Displacement, 100)
}

// Run implements Experiment.
func (w *contentionDiagonal) Run(_ *machines.Machine, n Network) (*results.Result, *packet.Fabric, error) {
	half := make([]int, len(n.Grid.Sizes))
	for d, size := range n.Grid.Sizes {
		half[d] = size / 2
	}
	return w.run(n, half, int(w.Percent))
}

// run lets a percentage of the nodes access the node at a displacement, and splits the time of each into the
// barrier, the overhead, the time that the operations would take if no other node took part, and the time that the
// other nodes add.
func (w *contention) run(n Network, displacement []int, percent int) (*results.Result, *packet.Fabric, error) {
	t, err := w.try(n, displacement, percent, everyNode)
	if err != nil {
		return nil, nil, err
	}
	ranks := len(t.nodes)
	r := &results.Result{
		Ranks: ranks, Events: t.kernel.Processed(), Phases: []string{"communication"},
		Finish: make([]sim.Time, ranks), Hidden: make([]sim.Time, ranks), Ledgers: make([][]results.Ledger, ranks), Traffic: t.traffic,
	}
	overhead := w.overhead() * sim.Time(w.Operations)
	alone := map[int]sim.Time{} // by length of the route: nothing else matters to a node alone
	n.Traffic = false
	for i, p := range t.nodes {
		r.Ledgers[i] = make([]results.Ledger, 1)
		if p.posted == 0 {
			continue
		}
		hops := t.torus.Hops(i, int(p.target))
		if alone[hops] == 0 {
			if alone[hops], err = w.alone(n, displacement, i); err != nil {
				return nil, nil, err
			}
		}
		r.Finish[i] = p.end
		took := p.end - p.start
		free := min(took, alone[hops])
		r.Ledgers[i][0] = results.Ledger{results.BarrierTime: p.start, results.Overhead: overhead,
			results.Transfer: free - overhead, results.Contention: took - free}
		r.Messages += uint64(w.Operations)
	}
	r.Bytes = int64(r.Messages) * w.Bytes
	return r, t.fabric, nil
}

// times returns the times of the nodes that took part.
func (w *contention) times(r *results.Result) (times []sim.Time) {
	for i, end := range r.Finish {
		if end > 0 {
			times = append(times, end-r.Ledgers[i][0][results.BarrierTime])
		}
	}
	return times
}

// Metrics are the mean bandwidth between two nodes, and the number of nodes over which it is a
// mean.
func (w *contentionDisplacement) Metrics(_ *machines.Machine, r *results.Result) (m workloads.Metrics) {
	times, sum := w.times(r), 0.0
	for _, t := range times {
		sum += float64(w.Operations) * float64(w.Bytes) / t.Seconds()
	}
	m.Add("bandwidth_MiBps", sum/float64(len(times))/(1<<20))
	m.Add("pairs", float64(len(times)))
	return m
}

// Metrics are the times of an operation over the nodes that took part; NaN if there are none.
func (w *contentionDiagonal) Metrics(_ *machines.Machine, r *results.Result) (m workloads.Metrics) {
	times := w.times(r)
	us := func(seconds float64) float64 { return seconds * 1e6 / float64(w.Operations) }
	mean, least, most := math.NaN(), math.NaN(), math.NaN()
	if len(times) > 0 {
		mean = us(sim.TotalOf(times...).Seconds()) / float64(len(times))
		least, most = us(slices.Min(times).Seconds()), us(slices.Max(times).Seconds())
	}
	m.Add("avg_us", mean)
	m.Add("min_us", least)
	m.Add("max_us", most)
	m.Add("pairs", float64(len(times)))
	return m
}
