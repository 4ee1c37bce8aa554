// Package overlap runs the benchmark suite of Denis and Trahay, "MPI Overlap: Benchmark
// and Analysis" (ICPP 2016), on a machine: for every message size and every computation
// time, in steps of the square root of 2, it measures how much of a message hides behind
// the computation.
package overlap

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/scenarios/files"
	"overlapsim/sim"
	"overlapsim/workloads"
)

// Library is the suite on one machine with its communication library.
type Library struct {
	Name    string // of the row in the paper's figures, or of the machine
	Machine *files.Machine
	Sizes   []int64 // bytes
	Maps    []*Map  // in the order of the paper's columns
	Slowest bool    // ledgers are of the slowest rank, else of node 0
	Nodes   int     // of collectives
}

// Map is one benchmark: by computation time, or threads, and by size.
type Map struct {
	Name, Title   string
	Compute       []sim.Time // rows; nil: they are Threads
	Threads       []int
	Communication []sim.Time // T_comm by size
	Cells         [][]Cell   // by row, by size
}

// Cell is the benchmark at one point.
type Cell struct {
	Measured sim.Time
	Ratio    float64        // eq. (1); of threads: Measured / T_comm; NaN where communication takes no time
	Ledger   results.Ledger // of node 0, or of the slowest rank
}

// The paper's range: sizes up to 16 MiB, computation up to 20 ms.
const (
	mostBytes   = 16 << 20
	mostCompute = 20 * sim.Millisecond
)

// steps returns powers of the square root of 2 from 1 to last.
func steps(last float64) (all []float64) {
	for i := 0; ; i++ {
		x := math.Exp2(float64(i) / 2)
		if x > last {
			return all
		}
		all = append(all, x)
	}
}

// sizes returns the message sizes in whole bytes, each once.
func sizes() (all []int64) {
	for _, x := range steps(mostBytes) {
		if b := int64(math.Round(x)); len(all) == 0 || b != all[len(all)-1] {
			all = append(all, b)
		}
	}
	return all
}

// computations returns the computation times, from 1 us on.
func computations() (all []sim.Time) {
	for _, x := range steps(mostCompute.Seconds() * 1e6) {
		all = append(all, sim.Seconds(x/1e6))
	}
	return all
}

// Run runs the suite. It leaves out the benchmark of N threads unless the machine has a library, which
// says how threads share cores, and a time slice if one is needed. It calls do with each benchmark. If do stops, the
// library has the benchmarks that were done.
func Run(name string, m *files.Machine, do Doing) (*Library, error) {
	l := &Library{Name: name, Machine: m, Sizes: sizes()}
	fabric, err := m.Behind(2)
	if err != nil {
		return nil, err
	}
	suite, err := workloads.NewOverlapSuite(m.Machine, fabric)
	if err != nil {
		return nil, err
	}
	for _, b := range workloads.OverlapBenchmarks {
		done, err := do(func() (*Map, error) { return l.benchmark(suite, b) })
		if err != nil {
			return l, within(b.Title, err)
		}
		l.Maps = append(l.Maps, done)
	}
	load, err := do(func() (*Map, error) { return l.load(suite) })
	if err != nil {
		return l, within("threads", err)
	}
	if load.Threads != nil {
		l.Maps = append(l.Maps, load)
	}
	return l, nil
}

// Doing does what fills a map, or stops.
type Doing func(work func() (*Map, error)) (*Map, error)

// Done is a Doing that never stops.
func Done(work func() (*Map, error)) (*Map, error) { return work() }

// within says in which benchmark an error is, unless the user has stopped it.
func within(title string, err error) error {
	if errors.Is(err, scenarios.ErrStopped) {
		return err
	}
	return fmt.Errorf("%s: %w", title, err)
}

// benchmark fills a map by computation time.
func (l *Library) benchmark(suite *workloads.OverlapSuite, b *workloads.OverlapBenchmark) (*Map, error) {
	m := &Map{Name: b.Name, Title: b.Title, Compute: computations()}
	if err := m.base(suite, b, l.Sizes); err != nil {
		return nil, err
	}
	return m, m.measure(len(m.Compute), len(l.Sizes), func(y, x int) (Cell, error) {
		measured, result, err := suite.Measure(b, workloads.OverlapPoint{Bytes: l.Sizes[x], Compute: m.Compute[y]})
		if err != nil {
			return Cell{}, err
		}
		return Cell{measured, workloads.OverlapRatio(measured, m.Communication[x], m.Compute[y]), result.OfRank(0)}, nil
	})
}

// measure fills every row at every size, several rows at a time.
func (m *Map) measure(rows, sizes int, at func(y, x int) (Cell, error)) error {
	m.Cells = make([][]Cell, rows)
	errs := make([]error, rows)
	scenarios.Parallel(rows, func(y int) {
		m.Cells[y] = make([]Cell, sizes)
		for x := 0; x < sizes && errs[y] == nil; x++ {
			m.Cells[y][x], errs[y] = at(y, x)
		}
	})
	return cmp.Or(errs...)
}

// base measures T_comm of every size.
func (m *Map) base(suite *workloads.OverlapSuite, b *workloads.OverlapBenchmark, sizes []int64) error {
	for _, bytes := range sizes {
		t, err := suite.Communication(b, bytes)
		if err != nil {
			return err
		}
		m.Communication = append(m.Communication, t)
	}
	return nil
}

// NeedsSlice tells whether threads cannot run alongside a process, because they would share
// its core with a process that never sleeps, and the machine does not state the length of
// a time slice.
func (l *Library) NeedsSlice() bool {
	rt := l.Machine.Runtime
	return rt != nil && rt.Bound && rt.Waiting != machines.Block && l.Machine.Slice <= 0
}

// times is the ratio of two times; NaN if both are 0.
func times(measured, alone sim.Time) float64 {
	if alone <= 0 {
		return math.NaN()
	}
	return float64(measured) / float64(alone)
}

// denseThreads is up to how many threads each number of them is a row.
const denseThreads = 64

// threads returns numbers of computing threads, up to one for all cores but one: every number
// while they are few, then steps.
func threads(cores int) (all []int) {
	for n := range min(cores, denseThreads) {
		all = append(all, n)
	}
	for _, x := range steps(float64(cores - 1)) {
		if n := int(math.Round(x)); n >= denseThreads && n < cores-1 {
			all = append(all, n)
		}
	}
	if cores > denseThreads {
		all = append(all, cores-1)
	}
	return all
}

// load fills the map of blocking calls alongside computing threads.
func (l *Library) load(suite *workloads.OverlapSuite) (*Map, error) {
	m := &Map{Name: "load", Title: "blocking calls alongside N computing threads"}
	if err := m.base(suite, workloads.OverlapLoad, l.Sizes); err != nil || l.Machine.Runtime == nil || l.NeedsSlice() {
		return m, err
	}
	m.Threads = threads(l.Machine.Cores)
	return m, m.measure(len(m.Threads), len(l.Sizes), func(y, x int) (Cell, error) {
		measured, result, err := suite.Load(l.Sizes[x], m.Threads[y])
		if err != nil {
			return Cell{}, err
		}
		return Cell{measured, times(measured, m.Communication[x]), result.OfRank(0)}, nil
	})
}
