package workloads

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
)

// The advection equation, solved by an upwind scheme that uses the values of the new time
// step: Goumas, Anastopoulos, Koziris, Ioannou, "Overlapping Computation and
// Communication in SMT Clusters with Commodity Interconnects", sections II to IV. The
// iteration space is time x X x Y (x Z). The process grid divides space; all time steps
// of a point are mapped to one process, in tiles of several time steps. A tile needs the
// tile before it. In each dimension it also needs the last layer of cells of the
// neighbour below, at the same time steps.
func init() {
	Register(Kind{"advection-std", "upwind advection, receive, compute, send: schedule [1,..,1] (Algorithm 3)",
		func() Workload { return newAdvection(standard) }})
	Register(Kind{"advection-ovrlp", "upwind advection, computation between post and wait: schedule [2,..,1,..,2] (Algorithm 4)",
		func() Workload { return newAdvection(overlapping) }})
	Register(Kind{"advection-asym", "upwind advection, ranks in pairs, one computes and one communicates (Algorithm 5)",
		func() Workload { return newAdvection(asymmetric) }})
}

type advectionAlgorithm int

const (
	standard advectionAlgorithm = iota
	overlapping
	asymmetric
)

type advection struct {
	X         int64  `key:"x" unit:"count" doc:"cells along x"`
	Y         int64  `key:"y" unit:"count" doc:"cells along y"`
	Z         int64  `key:"z" unit:"count" doc:"cells along z; 0: two dimensions"`
	Steps     int64  `key:"steps" unit:"count" doc:"time steps"`
	Tile      int64  `key:"tile" unit:"count" doc:"time steps of a tile; 0: the best of all powers of two"`
	Grid      string `key:"grid" unit:"text" doc:"processes along x, y (and z), such as 4x2; if omitted: the best grid"`
	algorithm advectionAlgorithm
	chosen    *advectionProgram // set by Tune
}

func newAdvection(a advectionAlgorithm) *advection {
	return &advection{algorithm: a, X: 1024, Y: 1024, Steps: 256}
}

// The phases: MPI calls; packing and unpacking; Compute; the barriers of Algorithm 5.
var advectionPhases = []string{"Communication", "Packing", "Computation", "Synchronization"}

const (
	advectionCommunication = iota
	advectionPacking
	advectionComputation
	advectionSynchronization
)

const cellBytes = 8 // double precision

// Program returns the program for the given tile and grid. Where one of them is not
// given, it takes the value that is fastest by the closed form.
func (w *advection) Program(m *machines.Machine, ranks int) (programs.Program, error) {
	if err := w.check(ranks); err != nil {
		return nil, err
	}
	best, least := (*advectionProgram)(nil), 0.0
	for _, grid := range w.grids(ranks) {
		for _, tile := range w.tiles() {
			p, err := w.program(m, grid, tile)
			if err != nil {
				return nil, err
			}
			if t := p.estimate(m); best == nil || t < least {
				best, least = p, t
			}
		}
	}
	return best, nil
}

// Range implements Ranged: it returns the powers of two, which Tune tries too.
func (w *advection) Range(key string, _ int) string {
	if key != "tile" {
		return ""
	}
	return fmt.Sprintf("1..%d*2", w.Steps)
}

// threads is the number of ranks of a process.
func (w *advection) threads() int {
	if w.algorithm == asymmetric {
		return 2
	}
	return 1
}

func (w *advection) cells() []int64 {
	if w.Z == 0 {
		return []int64{w.X, w.Y}
	}
	return []int64{w.X, w.Y, w.Z}
}

const maxCells = 1 << 20 // along a dimension

func (w *advection) check(ranks int) error {
	var errs []error
	wrong := func(key, format string, args ...any) {
		errs = append(errs, &KeyError{key, fmt.Sprintf(format, args...)})
	}
	for d, n := range w.cells() {
		if n < 1 || n > maxCells {
			wrong(axes[d], "must be 1 to %d, got %d", maxCells, n)
		}
	}
	if w.Steps < 1 || w.Steps > maxCells {
		wrong("steps", "must be 1 to %d, got %d", maxCells, w.Steps)
	}
	if w.Tile < 0 || w.Tile > w.Steps {
		wrong("tile", "must be 1 to the %d steps, or 0, got %d", w.Steps, w.Tile)
	}
	if ranks%w.threads() != 0 {
		wrong("name", "needs an even number of ranks, two threads for each process, got %d", ranks)
	}
	if _, err := w.grid(ranks); err != nil {
		wrong("grid", "%s", err)
	} else if len(errs) == 0 && len(w.grids(ranks)) == 0 {
		wrong("grid", "no grid of %d processes has a cell for each along every dimension", ranks/w.threads())
	}
	return errors.Join(errs...)
}

var axes = [...]string{"x", "y", "z"}

// grid reads the process grid, nil if none is given.
func (w *advection) grid(ranks int) ([]int, error) {
	if w.Grid == "" {
		return nil, nil
	}
	words := strings.Split(w.Grid, "x")
	grid, processes := make([]int, len(words)), 1
	for i, word := range words {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > ranks {
			return nil, fmt.Errorf("must be numbers of processes such as 4x2, got %q", w.Grid)
		}
		grid[i] = n
		processes *= n
	}
	if len(words) != len(w.cells()) || processes*w.threads() != ranks {
		return nil, fmt.Errorf("must be %d numbers whose product is the %d processes, got %s", len(w.cells()), ranks/w.threads(), w.Grid)
	}
	return grid, nil
}

// grids returns the process grids to try: the given one, or all in which every process
// has cells.
func (w *advection) grids(ranks int) [][]int {
	cells := w.cells()
	if grid, _ := w.grid(ranks); grid != nil {
		if fits(grid, cells) {
			return [][]int{grid}
		}
		return nil
	}
	var all [][]int
	for _, grid := range factorisations(ranks/w.threads(), len(cells)) {
		if fits(grid, cells) {
			all = append(all, grid)
		}
	}
	return all
}

func fits(grid []int, cells []int64) bool {
	for d, n := range grid {
		if int64(n) > cells[d] {
			return false
		}
	}
	return true
}

// factorisations returns all ways to write n as a product of the given number of factors;
// the order of the factors matters.
func factorisations(n, factors int) [][]int {
	if factors == 1 {
		return [][]int{{n}}
	}
	var all [][]int
	for first := 1; first <= n; first++ {
		if n%first != 0 {
			continue
		}
		for _, rest := range factorisations(n/first, factors-1) {
			all = append(all, append([]int{first}, rest...))
		}
	}
	return all
}

// tiles returns the tile sizes to try, in time steps.
func (w *advection) tiles() []int {
	if w.Tile > 0 {
		return []int{int(w.Tile)}
	}
	var all []int
	for tile := 1; int64(tile) <= w.Steps; tile *= 2 {
		all = append(all, tile)
	}
	return all
}

// Metrics are the times of the paper's figures: the whole run, the computation (mean over
// the processes that compute), and the difference of the two.
func (w *advection) Metrics(m *machines.Machine, r *results.Result) Metrics {
	var computation float64
	for i := 0; i < r.Ranks; i += w.threads() {
		computation += r.Ledgers[i][advectionComputation].Sum().Seconds() * float64(w.threads()) / float64(r.Ranks)
	}
	total := r.Makespan().Seconds()
	all := metrics(Metric{"total_s", total}, Metric{"computation_s", computation}, Metric{"communication_s", total - computation})
	if w.chosen != nil {
		all.Add("tile", float64(w.chosen.tile))
		for d, g := range w.chosen.grid {
			all.Add("grid_"+axes[d], float64(g))
		}
	}
	return all
}
