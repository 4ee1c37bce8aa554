package workloads

import (
	"errors"
	"fmt"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
)

// The sparse matrix-vector multiplication of Nishtala, "Architectural Probes for
// Measuring Communication Overlap Potential", section 5.2: an N x N matrix of uniformly
// distributed nonzeros, N/P rows for each process. A process needs the whole source
// vector, N/P elements from every process.
func init() {
	Register(Kind{"spmv-bulk-gather", "SpMV, all of the source vector first, then the computation (Algorithm 6)", newSpMV(bulkGather)})
	Register(Kind{"spmv-gather", "SpMV, gets of the source vector some blocks ahead (Algorithm 7)", newSpMV(gather)})
	Register(Kind{"spmv-scatter", "SpMV, signalling puts of the source vector some blocks ahead (Algorithm 8)", newSpMV(scatter)})
}

type spmvAlgorithm int

const (
	bulkGather spmvAlgorithm = iota
	gather
	scatter
)

type spmv struct {
	Dimension     int64   `key:"dimension" unit:"large" doc:"rows and columns N of the matrix"`
	NonzeroRatio  float64 `key:"nonzero_ratio" unit:"number" doc:"nonzeros over N squared, 0 to 1; 0: no computation"`
	Prefetch      int64   `key:"prefetch" unit:"count" doc:"blocks eta asked for, or sent, ahead; 0 is as 1; not of the bulk gather"`
	Communication bool    `key:"communication" unit:"flag" doc:"false: only computation, as if all messages had arrived"`
	algorithm     spmvAlgorithm
}

func newSpMV(a spmvAlgorithm) func() Workload {
	return func() Workload {
		return &spmv{algorithm: a, Dimension: 1 << 20, NonzeroRatio: 4e-6, Prefetch: 1, Communication: true}
	}
}

// The phases are the paper's timers (section 6.2, 6.3): lines 4 to 8 of
// Algorithm 7 and 4 to 12 of Algorithm 8; 11 to 15 and 15 to 23; 16 to 18 and 24
// to 26; the diagonal block; the other blocks; the last line.
var spmvPhases = []string{"Prefetch Comm Init", "Pipeline Comm Init", "Comm Sync", "Local Computation", "Remote Dep Computation", "Barrier"}

const (
	prefetchInit = iota
	pipelineInit
	spmvSync
	spmvLocal
	spmvRemote
	spmvBarrier
)

// The bytes of a double, and of the indices of compressed rows (CSR): a column index for
// each nonzero, a row pointer for each row.
const (
	doubleBytes  = 8
	indexBytes   = 4
	pointerBytes = 4
)

type spmvProgram struct {
	algorithm   spmvAlgorithm
	ranks       int
	ahead       int // gets or puts that start before the first block
	bytes       int64
	block       []machines.Task // what a block is computed by, one after the other
	communicate bool
}

func (w *spmv) Program(m *machines.Machine, ranks int) (programs.Program, error) {
	if err := w.check(ranks); err != nil {
		return nil, err
	}
	rows := w.Dimension / int64(ranks)
	block, err := spmvBlock(m, float64(rows), w.NonzeroRatio)
	if err != nil {
		return nil, err
	}
	ahead := min(max(0, int(w.Prefetch)-1), ranks-1)
	if w.algorithm == bulkGather {
		ahead = ranks - 1
	}
	return &spmvProgram{w.algorithm, ranks, ahead, doubleBytes * rows, block, w.Communication}, nil
}

// spmvBlock returns what a square block takes: its bytes, and on a machine that has rates for them the loops over
// its rows and nonzeros, which ask nothing of the memory.
func spmvBlock(m *machines.Machine, rows, ratio float64) (tasks []machines.Task, err error) {
	amounts := []struct {
		kernel string
		n      float64
	}{{"spmv", spmvTraffic(rows, ratio)}, {"spmv-row", rows}, {"spmv-nonzero", ratio * rows * rows}}
	for i, a := range amounts {
		if i > 0 && (ratio == 0 || m.KernelNumber(a.kernel) == 0) {
			continue
		}
		task, err := m.Task(a.kernel, a.n)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, task)
	}
	return tasks, nil
}

// Range implements Ranged: from one block ahead to all blocks.
func (w *spmv) Range(key string, ranks int) string {
	if key != "prefetch" || w.algorithm == bulkGather {
		return ""
	}
	return fmt.Sprintf("1..%d", ranks)
}

// spmvTraffic is the number of bytes that the multiplication of a square block moves
// between memory and the processor (section 4.1: every element of the matrix once):
// values and indices; for each row its pointer and the destination, read and written; and
// the piece of the source vector, which then stays in the cache. Without nonzeros nothing
// is done.
func spmvTraffic(rows, ratio float64) (bytes float64) {
	if ratio == 0 {
		return 0
	}
	nonzeros := ratio * rows * rows
	return float64(nonzeros*(doubleBytes+indexBytes)) + float64(rows*(pointerBytes+2*doubleBytes)) + float64(rows*doubleBytes)
}

const maxDimension = 1 << 40

func (w *spmv) check(ranks int) error {
	var errs []error
	wrong := func(key, format string, args ...any) {
		errs = append(errs, &KeyError{key, fmt.Sprintf(format, args...)})
	}
	switch p := int64(ranks); {
	case w.Dimension < 1 || w.Dimension > maxDimension:
		wrong("dimension", "must be 1 to %d, got %d", int64(maxDimension), w.Dimension)
	case w.Dimension%p != 0:
		wrong("dimension", "must be a multiple of the %d ranks, got %d", p, w.Dimension)
	}
	if !(w.NonzeroRatio >= 0 && w.NonzeroRatio <= 1) {
		wrong("nonzero_ratio", "must be 0 to 1, got %g", w.NonzeroRatio)
	}
	return errors.Join(errs...)
}

func (p *spmvProgram) Ranks() int       { return p.ranks }
func (p *spmvProgram) Phases() []string { return spmvPhases }

// Step is the prefetch before the loop over blocks, one block, or the barrier.
func (p *spmvProgram) Step(me, step int, do *programs.Ops) bool {
	switch {
	case step == 0:
		p.before(me, do)
	case step <= p.ranks:
		p.oneBlock(me, step-1, do)
	case step == p.ranks+1:
		do.Phase(spmvBarrier)
		do.Barrier()
	default:
		return false
	}
	return true
}

// before starts the prefetch transfers; the bulk gather also waits for all of them.
func (p *spmvProgram) before(me int, do *programs.Ops) {
	do.Phase(prefetchInit)
	for count := 1; count <= p.ahead; count++ {
		p.initiate(me, count, do)
	}
	if p.algorithm != bulkGather {
		return
	}
	do.Phase(spmvSync)
	for t := 1; t < p.ranks; t++ {
		p.awaitBlock(me, t, do)
	}
}

// oneBlock is iteration t of the loop over blocks (line 9 of Algorithm 7, 13 of
// Algorithm 8).
func (p *spmvProgram) oneBlock(me, t int, do *programs.Ops) {
	computation := spmvLocal
	if p.algorithm != bulkGather {
		if count := p.ahead + t + 1; count < p.ranks {
			do.Phase(pipelineInit)
			p.initiate(me, count, do)
		}
		if t > 0 {
			do.Phase(spmvSync)
			p.awaitBlock(me, t, do)
		}
	}
	if t > 0 {
		computation = spmvRemote
	}
	do.Phase(computation)
	for _, task := range p.block {
		do.Compute(task, 1)
	}
}

// initiate starts transfer number count, from 1: a get from the process count places up,
// or a signalling put to the process count places down. A process does not wait for its
// puts.
func (p *spmvProgram) initiate(me, count int, do *programs.Ops) {
	if !p.communicate {
		return
	}
	if p.algorithm == scatter {
		do.Signal((me+p.ranks-count)%p.ranks, p.bytes, 0, p.ranks+count)
		return
	}
	do.Get((me+count)%p.ranks, p.bytes, count)
}

// awaitBlock waits for the source vector of block t.
func (p *spmvProgram) awaitBlock(me, t int, do *programs.Ops) {
	if !p.communicate {
		return
	}
	if p.algorithm == scatter {
		do.Irecv((me+t)%p.ranks, p.bytes, 0, t)
	}
	do.Wait(t)
}

// Metrics are the bars of the paper's figures, means over the ranks.
func (w *spmv) Metrics(_ *machines.Machine, r *results.Result) Metrics {
	return phaseMetrics(r, "prefetch_init_s", "pipeline_init_s", "comm_sync_s", "local_computation_s", "remote_computation_s", "barrier_s")
}
