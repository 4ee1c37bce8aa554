package experiments

import (
	"errors"
	"fmt"
	"math"

	"overlapsim/network/packet"
	"overlapsim/network/packet/ospri"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/workloads"
)

// The contention experiments of the OSPRI project (Argonne, 2010), measured on a
// BlueGene/P torus; package ospri describes them.
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
	b := ospri.BlueGeneP()
	return contention{
		Op: "put", Bytes: 16 << 10, Operations: int64(b.Operations), Ordered: b.DynamicPut == packet.Static,
		PutOverhead: b.PutOverhead, GetOverhead: b.GetOverhead, Completion: b.Completion, Skew: b.Skew,
	}
}

// Program implements Workload: an experiment has no program.
func (w *contention) Program(*machines.Machine, int) (programs.Program, error) {
	return nil, errNoProgram
}

// benchmark returns the experiment on a network.
func (w *contention) benchmark(n Network) ospri.Benchmark {
	b := ospri.Benchmark{
		Params: n.Packet, Grid: n.Grid,
		PutOverhead: w.PutOverhead, GetOverhead: w.GetOverhead, Completion: w.Completion,
		Operations: int(w.Operations), Window: int(w.Window), Skew: w.Skew, Seed: n.Seed, Traffic: n.Traffic,
	}
	if w.Ordered {
		b.Put = packet.Static
	}
	return b
}

// op is the operation, a put if the key does not name one.
func (w *contention) op() ospri.Op {
	op, _ := ospri.OpOf(w.Op)
	return op
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
	if _, known := ospri.OpOf(w.Op); !known {
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
	b := w.benchmark(n)
	for _, part := range []struct {
		key  string
		time sim.Time
	}{
		{"bytes", n.Packet.Bandwidth.Time(w.Bytes).Times(w.Operations)},
		{"operations", max(b.PutOverhead, b.GetOverhead).Times(w.Operations)},
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
	return w.run(w.benchmark(n), w.Displacement, 100)
}

// Run implements Experiment.
func (w *contentionDiagonal) Run(_ *machines.Machine, n Network) (*results.Result, *packet.Fabric, error) {
	b := w.benchmark(n)
	return w.run(b, b.Halfway(), int(w.Percent))
}

// run runs the experiment and splits the time of each node into the barrier, the
// overhead, the time that the operations would take if no other node took part, and the
// time that the other nodes add.
func (w *contention) run(b ospri.Benchmark, displacement []int, percent int) (*results.Result, *packet.Fabric, error) {
	run, err := b.Run(w.op(), displacement, w.Bytes, percent)
	if err != nil {
		return nil, nil, err
	}
	n := len(run.Nodes)
	r := &results.Result{
		Ranks: n, Events: run.Events, Phases: []string{"communication"},
		Finish: make([]sim.Time, n), Hidden: make([]sim.Time, n), Ledgers: make([][]results.Ledger, n), Traffic: run.Traffic,
	}
	overhead := b.PutOverhead
	if w.op() == ospri.Get {
		overhead = b.GetOverhead
	}
	overhead *= sim.Time(w.Operations)
	alone := map[int]sim.Time{} // by length of the route: nothing else matters to a node alone
	for i, s := range run.Nodes {
		r.Finish[i], r.Ledgers[i] = s.End, make([]results.Ledger, 1)
		if s.End == 0 {
			continue
		}
		hops := run.Torus.Hops(i, int(s.Partner))
		if alone[hops] == 0 {
			if alone[hops], err = b.Alone(w.op(), displacement, w.Bytes, i); err != nil {
				return nil, nil, err
			}
		}
		took := s.End - s.Start
		free := min(took, alone[hops])
		r.Ledgers[i][0] = results.Ledger{results.BarrierTime: s.Start, results.Overhead: overhead,
			results.Transfer: free - overhead, results.Contention: took - free}
		r.Messages += uint64(w.Operations)
	}
	r.Bytes = int64(r.Messages) * w.Bytes
	return r, run.Fabric, nil
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

// Metrics are the bandwidth between two nodes, and the number of nodes over which it is a
// mean.
func (w *contentionDisplacement) Metrics(_ *machines.Machine, r *results.Result) (m workloads.Metrics) {
	b, times := ospri.Benchmark{Operations: int(w.Operations)}, w.times(r)
	m.Add("bandwidth_MiBps", b.Bandwidth(times, w.Bytes))
	m.Add("pairs", float64(len(times)))
	return m
}

// Metrics are the times of an operation over the nodes that took part.
func (w *contentionDiagonal) Metrics(_ *machines.Machine, r *results.Result) (m workloads.Metrics) {
	b, times := ospri.Benchmark{Operations: int(w.Operations)}, w.times(r)
	l := b.Latency(times)
	m.Add("avg_us", l.Mean)
	m.Add("min_us", l.Min)
	m.Add("max_us", l.Max)
	m.Add("pairs", float64(len(times)))
	return m
}
