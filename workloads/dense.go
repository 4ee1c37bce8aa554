package workloads

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/workloads/dense"
)

// The algorithms of Gonzalez-Dominguez, Georganas, Zheng, Martin, Constructing
// Performance Models for Dense Linear Algebra Algorithms on Cray XE Systems, as programs.
// Their closed-form models are in package dense. A process has t threads. If one thread
// communicates while the others compute (SUMMA, TRSM and Cholesky with overlap), it is a
// separate rank: process i computes as rank 2i and communicates as rank 2i+1.
func init() {
	for i := range dense.Algorithms {
		a := &dense.Algorithms[i]
		Register(Kind{a.Name, denseTitles[a.Name] + ", in 2D or 2.5D, with or without overlap", func() Workload {
			return &denseWorkload{algorithm: a, Size: 8192, Layers: 1, Threads: 6}
		}})
	}
}

var denseTitles = map[string]string{
	"cannon":   "matrix product by Cannon's algorithm",
	"summa":    "matrix product by SUMMA",
	"trsm":     "triangular solve",
	"cholesky": "Cholesky factorisation",
}

type denseWorkload struct {
	Size      int64 `key:"size" unit:"count" doc:"rows n of the matrices"`
	Layers    int64 `key:"layers" unit:"count" doc:"copies c of the matrices; 1: 2D, more: 2.5D"`
	Overlap   bool  `key:"overlap" unit:"flag" doc:"communication while computing; of summa, trsm and cholesky a thread of each process communicates and is another rank: two ranks for each process"`
	Block     int64 `key:"block" unit:"count" doc:"rows b of a block of trsm and cholesky; 0: by blocks"`
	Blocks    int64 `key:"blocks" unit:"count" doc:"blocks r of a process along each side of a matrix, block-cyclic, of trsm and cholesky; 0: 4 and 8, as in the models"`
	Threads   int64 `key:"threads" unit:"count" doc:"threads t of a process, which the rates of dgemm, dtrsm and dpotrf are of"`
	algorithm *dense.Algorithm
}

// schedules are the programs of the algorithms. Each appends the operations of a step,
// for the part of a process that do belongs to, and returns false after the last step.
var schedules = map[string]func(do *denseOps, step int) bool{
	"cannon": cannon, "summa": summa, "trsm": trsm, "cholesky": cholesky,
}

// variant is the column of the workload in the paper's tables.
func (w *denseWorkload) variant() dense.Variant {
	return dense.Variant{Replicated: w.Layers > 1, Overlap: w.Overlap}
}

// twins tells whether one thread of a process is a separate rank.
func (w *denseWorkload) twins() bool { return w.Overlap && !w.cannon() }

func (w *denseWorkload) cannon() bool { return w.algorithm.Name == "cannon" }

func (w *denseWorkload) ranksPerProcess() int {
	if w.twins() {
		return 2
	}
	return 1
}

func (w *denseWorkload) Program(m *machines.Machine, ranks int) (programs.Program, error) {
	per := w.ranksPerProcess()
	if ranks%per != 0 {
		return nil, &KeyError{"overlap", "needs an even number of ranks, two for each process"}
	}
	if w.Threads < int64(per) {
		return nil, &KeyError{"threads", fmt.Sprintf("must be at least %d", per)}
	}
	if w.Size > math.MaxInt32 {
		return nil, &KeyError{"size", "must be at most 2147483647"}
	}
	if w.Block != 0 && (w.algorithm.Blocks == 1 || w.Blocks != 0 || w.Block < 0) {
		return nil, &KeyError{"block", "must be positive, of trsm and cholesky without blocks, or 0"}
	}
	if w.Blocks != 0 && (w.algorithm.Blocks == 1 || w.Blocks < 1 || w.Blocks > mostBlocks) {
		return nil, &KeyError{"blocks", fmt.Sprintf("must be 1 to %d, of trsm and cholesky, or 0", mostBlocks)}
	}
	grid, err := w.grid(ranks)
	if wrong := (*dense.Mistake)(nil); errors.As(err, &wrong) {
		key, says := wrong.Of, wrong.Says
		if key == "processes" {
			key = "ranks"
			if w.twins() {
				says = fmt.Sprintf("overlap takes two ranks for each process, and %d ranks are %s", ranks, says)
			}
		}
		return nil, &KeyError{key, says}
	}
	p := &denseProgram{Grid: grid, overlap: w.Overlap, twins: w.twins(), alike: w.cannon(), schedule: schedules[w.algorithm.Name]}
	var errs []error
	runs := map[string]*machines.Task{"dgemm": &p.gemm, "dtrsm": &p.trsm, "dpotrf": &p.potrf}
	for _, kernel := range w.algorithm.Kernels {
		errs = append(errs, p.task(m, kernel, w, runs[kernel]))
	}
	return p, errors.Join(errs...)
}

// mostBlocks is the largest number of blocks of a process along a side of a matrix.
const mostBlocks = 1024

// grid distributes the matrices over the processes of the given number of ranks.
func (w *denseWorkload) grid(ranks int) (dense.Grid, error) {
	a := *w.algorithm
	processes := ranks / w.ranksPerProcess()
	switch {
	case w.Blocks > 0:
		a.Blocks = int(w.Blocks)
	case w.Block > 0:
		a.Blocks = a.BlocksOf(w.variant(), int(w.Size), int(w.Block), processes, int(w.Layers))
	}
	return dense.NewGrid(&a, w.variant(), int(w.Size), processes, int(w.Layers))
}

// Range implements Ranged: the powers of two up to 64 that a grid can have.
func (w *denseWorkload) Range(key string, ranks int) string {
	var values []string
	for v := int64(1); v <= 64; v *= 2 {
		with := *w
		switch {
		case key == "layers":
			with.Layers = v
		case key == "blocks" && w.algorithm.Blocks > 1:
			with.Blocks = v
		default:
			return ""
		}
		if _, err := with.grid(ranks); err == nil {
			values = append(values, strconv.FormatInt(v, 10))
		}
	}
	return strings.Join(values, ",")
}

// denseProgram is one of the algorithms on a process grid.
type denseProgram struct {
	dense.Grid
	overlap, twins    bool
	alike             bool          // the processes of a layer do the same
	gemm, trsm, potrf machines.Task // of one block
	schedule          func(do *denseOps, step int) bool
}

// task is the cost of a routine on a block. It takes longer if a thread does not run it.
func (p *denseProgram) task(m *machines.Machine, kernel string, w *denseWorkload, to *machines.Task) (err error) {
	if *to, err = m.Task(kernel, p.Block); err == nil {
		run := w.algorithm.Threads(w.variant(), kernel, int(w.Threads))
		to.Time = sim.Time(math.Round(float64(to.Time) * float64(w.Threads) / float64(run)))
	}
	return err
}

func (p *denseProgram) Ranks() int {
	if p.twins {
		return 2 * p.Processes
	}
	return p.Processes
}

var densePhases = []string{"computation", "communication"}

func (p *denseProgram) Phases() []string { return densePhases }

// Symmetry implements programs.Symmetric: in Cannon's algorithm on one layer all processes do
// the same.
func (p *denseProgram) Symmetry() programs.Grid {
	if !p.alike || p.Layers > 1 {
		return nil
	}
	return programs.Grid{p.Side, p.Side}
}

// Helps tells the communicating ranks: of twins the second one communicates.
func (p *denseProgram) Helps(rank int) bool { return p.twins && rank%2 == 1 }

// Step implements programs.Program.
func (p *denseProgram) Step(rank, step int, do *programs.Ops) bool {
	d := &denseOps{denseProgram: p, do: do, me: rank, computes: true, communicates: true}
	if p.twins {
		d.me, d.computes, d.communicates = rank/2, rank%2 == 0, rank%2 == 1
	}
	return p.schedule(d, step)
}

// Metrics are the time of the run, the percentage of the machine's peak that it reached,
// the mean time that the processes computed, and the rest of the run, which is exposed
// communication.
func (w *denseWorkload) Metrics(m *machines.Machine, r *results.Result) (all Metrics) {
	var last sim.Time
	var computation float64
	per := w.ranksPerProcess()
	for i, t := range r.Finish {
		last = max(last, t)
		if i%per == 0 {
			computation += r.Ledgers[i][0][results.Compute].Seconds() * float64(per) / float64(r.Ranks)
		}
	}
	seconds := last.Seconds()
	flops := w.algorithm.Flops(float64(w.Size))
	all.Add("total_s", seconds)
	all.AddOr("percent_of_peak", 100*flops/(seconds*m.Peak*float64(r.Ranks/per)), "machine.peak, or the makespan, is 0")
	all.Add("computation_s", computation)
	all.Add("exposed_s", seconds-computation)
	return all
}
