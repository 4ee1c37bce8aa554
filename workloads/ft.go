package workloads

import (
	"errors"
	"fmt"
	"math"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// The FT communication benchmark of Nishtala, "Architectural Probes for Measuring
// Communication Overlap Potential", section 5.1: every process has an N x R array of
// complex numbers, does an FFT on each row, and sends N/P of the rows to each process.
func init() {
	Register(Kind{"ft-exchange", "FT, all FFTs and then one exchange (Algorithm 3)",
		func() Workload { return &ft{algorithm: exchange, Rows: 8192, RowLength: 512, Computation: 1} }})
	Register(Kind{"ft-slabs", "FT, each process's rows sent as soon as they are done (Algorithm 4)",
		func() Workload { return &ft{algorithm: slabs, Rows: 8192, RowLength: 512, Computation: 1} }})
	Register(Kind{"ft-pencils", "FT, each row sent as soon as it is done (Algorithm 5)",
		func() Workload { return &ft{algorithm: pencils, Rows: 8192, RowLength: 512, Computation: 1} }})
	Register(Kind{"ft-overlap", "FT, the continuum between slabs and pencils: X messages of RN/X words, or some rows each",
		func() Workload {
			return &ftContinuum{ft: ft{algorithm: continuum, Rows: 8192, RowLength: 512, Computation: 1}, Messages: 1024}
		}})
}

type ftAlgorithm int

const (
	exchange ftAlgorithm = iota
	slabs
	pencils
	continuum
)

// complexBytes is gamma of eq. (2): the bytes of a double-precision complex number.
const complexBytes = 16

type ft struct {
	Rows        int64   `key:"rows" unit:"count" doc:"rows N of the local array"`
	RowLength   int64   `key:"row_length" unit:"large" doc:"complex elements R of a row"`
	Computation float64 `key:"computation" unit:"number" doc:"fraction of the flops of full-length FFTs, 0 to 1"`
	Flops       float64 `key:"flops" unit:"number" doc:"flops of a process, instead of computation; 0: not used"`
	algorithm   ftAlgorithm
	messages    int64 // of continuum
	granularity int64 // of continuum, instead of messages; 0: not used
}

type ftContinuum struct {
	ft
	Messages    int64 `key:"messages" unit:"count" doc:"messages X of a process, P to N"`
	Granularity int64 `key:"granularity" unit:"count" doc:"rows of a message, instead of messages, 1 (pencils) to N/P (slabs); 0: not used"`
}

func (w *ftContinuum) Program(m *machines.Machine, ranks int) (programs.Program, error) {
	w.messages, w.granularity = w.Messages, w.Granularity
	return w.ft.Program(m, ranks)
}

// Range implements Ranged.
func (w *ftContinuum) Range(key string, ranks int) string {
	switch key {
	case "granularity":
		return fmt.Sprintf("1..%d", max(1, w.Rows/int64(max(1, ranks))))
	case "messages":
		return fmt.Sprintf("%d..%d", ranks, w.Rows)
	}
	return ""
}

// Model implements Modeled: section 7 of the paper, with a message of several rows in
// place of a row. Processes that share a NIC share its rate. The copies that the CPUs
// make on both sides count as overhead. There is no model for machines on which messages
// inside a node do not use the NIC, or leave before their overhead is paid.
func (w *ftContinuum) Model(m *machines.Machine, ranks, perNode int) (string, sim.Time, bool) {
	row, err := w.task(m)
	chunk := w.chunk(ranks)
	if err != nil || ranks < 2 || w.check(ranks) != nil || w.Rows/int64(ranks)%chunk > 0 ||
		m.IntraNode != nil || m.NICs != nil || m.Network.Early {
		return "", 0, false
	}
	bytes := complexBytes * w.RowLength * chunk
	model := FTModel{
		P: int64(ranks), N: w.Rows / chunk,
		Compute: row.Time * sim.Time(chunk), Overhead: m.Network.SendOverhead.Of(bytes), Gap: m.Network.Gap,
		Transfer: (m.Network.Startup + m.Network.Transfer.Of(bytes)) * sim.Time(perNode),
	}
	if c := m.Copying; c != nil {
		model.Overhead += sim.PerByte(bytes, c.SendPerByte+c.ReceivePerByte)
	}
	return "LogGP model, eq. (7)", model.Total(), true
}

// The phases are the papers' timers: lines 3, 5, 6; 7; 11; 13 of the
// algorithms.
var ftPhases = []string{"Local Computation", "Comm Init", "Comm Sync", "Barrier"}

const (
	localComputation = iota
	commInit
	commSync
	barrier
)

// ftProgram is Algorithm 3, 4 or 5, with chunk rows in a message.
type ftProgram struct {
	ranks, rows int
	chunk       int           // rows of a message; the last message to a process may have fewer
	row         machines.Task // FFT of one row
	rowBytes    int64
	bulk        bool // all computation comes first
	byPeer      bool // waits first for the put to the next process, not for the put of the first row
}

func (w *ft) Program(m *machines.Machine, ranks int) (programs.Program, error) {
	if err := w.check(ranks); err != nil {
		return nil, err
	}
	row, err := w.task(m)
	if err != nil {
		return nil, err
	}
	return &ftProgram{
		ranks: ranks, rows: int(w.Rows), chunk: int(w.chunk(ranks)),
		row: row, rowBytes: complexBytes * w.RowLength, bulk: w.algorithm == exchange, byPeer: w.algorithm == exchange || w.algorithm == slabs,
	}, nil
}

// chunk returns the number of rows of a message.
func (w *ft) chunk(ranks int) int64 {
	switch {
	case w.algorithm == pencils:
		return 1
	case w.granularity > 0:
		return w.granularity
	case w.algorithm == continuum:
		return w.Rows / w.messages
	}
	return w.Rows / int64(ranks)
}

const maxRows, maxRowLength = 1 << 24, 1 << 32

func (w *ft) check(ranks int) error {
	var errs []error
	wrong := func(key, format string, args ...any) {
		errs = append(errs, &KeyError{key, fmt.Sprintf(format, args...)})
	}
	p := int64(ranks)
	switch {
	case w.Rows < 1 || w.Rows > maxRows:
		wrong("rows", "must be 1 to %d, got %d", maxRows, w.Rows)
	case w.Rows%p != 0:
		wrong("rows", "must be a multiple of the %d ranks, got %d", p, w.Rows)
	case w.granularity > w.Rows/p:
		wrong("granularity", "must be at most the %d rows for each of the %d ranks, got %d", w.Rows/p, p, w.granularity)
	case w.algorithm == continuum && w.granularity == 0 && (w.messages < p || w.messages > w.Rows || w.messages%p != 0 ||
		w.Rows%w.messages != 0):
		wrong("messages", "must be a multiple of the %d ranks and divide the %d rows, got %d", p, w.Rows, w.messages)
	}
	if w.RowLength < 1 || w.RowLength > maxRowLength {
		wrong("row_length", "must be 1 to %d, got %d", int64(maxRowLength), w.RowLength)
	}
	if !(w.Computation >= 0 && w.Computation <= 1) {
		wrong("computation", "must be 0 to 1, got %g", w.Computation)
	}
	if full := w.fullFlops(); !(w.Flops >= 0) || w.Flops > full*(1+1e-9) {
		wrong("flops", "must be 0 to %.6g, which full rows need, got %g", full, w.Flops)
	}
	return errors.Join(errs...)
}

func (w *ft) fullFlops() float64 {
	return float64(w.Rows) * machines.FFTFlops(float64(w.RowLength))
}

// task is the FFT of R' <= R elements that has the given fraction of the flops of a full row
// (section 6.3).
func (w *ft) task(m *machines.Machine) (machines.Task, error) {
	full := machines.FFTFlops(float64(w.RowLength))
	want := w.Computation * full
	if w.Flops > 0 {
		want = min(full, w.Flops/float64(w.Rows))
	}
	return m.Task("fft", fftLength(want))
}

// fftLength is the n with 5 n log2 n = flops, by Newton's method. The function is smooth
// and convex for n >= 1.
func fftLength(flops float64) float64 {
	if flops <= 0 {
		return 0
	}
	n := 2 + flops/5
	for range 100 {
		step := (machines.FFTFlops(n) - flops) / (5 * (math.Log2(n) + math.Log2E))
		n -= step
		if math.Abs(step) <= 1e-12*n {
			break
		}
	}
	return n
}

func (p *ftProgram) Ranks() int       { return p.ranks }
func (p *ftProgram) Phases() []string { return ftPhases }

// Symmetry implements programs.Symmetric. Where a process waits for its puts in the order of
// their targets' numbers, that order differs from process to process.
func (p *ftProgram) Symmetry() programs.Grid {
	if !p.byPeer {
		return nil
	}
	return programs.Grid{p.ranks}
}

// waits is the number of requests that a step waits for.
const waits = 64

// Step is an iteration of the outer loop, then the waits and the barrier. The outer loop
// is the phase of line 2 for Pencils; for Exchange and Slabs all loops together are one
// iteration. The barrier of line 1 is if omitted: all ranks start at time 0.
func (p *ftProgram) Step(me, step int, do *programs.Ops) bool {
	groups := p.groups()
	if step < groups {
		p.group(me, step, do)
		return true
	}
	requests := groups * p.ranks
	if first := (step - groups) * waits; first < requests {
		do.Phase(commSync)
		for i := first; i < min(first+waits, requests); i++ { // lines 9 to 12
			do.Wait(i)
		}
		return true
	}
	if (step-groups)*waits < requests+waits {
		do.Phase(barrier)
		do.Barrier() // line 13
		return true
	}
	return false
}

// groups returns the number of messages to each process.
func (p *ftProgram) groups() int { return (p.rows/p.ranks + p.chunk - 1) / p.chunk }

// group computes and sends one chunk of rows for every process, its own last (Algorithm
// 5, lines 3 to 8).
func (p *ftProgram) group(me, i int, do *programs.Ops) {
	if p.bulk {
		do.Phase(localComputation)
		do.Compute(p.row, p.rows)
	}
	rows := min(p.chunk, p.rows/p.ranks-i*p.chunk)
	for t := 1; t <= p.ranks; t++ {
		to := (t + me) % p.ranks
		if !p.bulk {
			do.Phase(localComputation)
			do.Compute(p.row, rows)
		}
		request := to*p.groups() + i
		if p.byPeer {
			request = t - 1
		}
		do.Phase(commInit)
		do.Put(to, p.rowBytes*int64(rows), request)
	}
}

// Metrics are the bars of the paper's figures, means over the ranks.
func (w *ft) Metrics(_ *machines.Machine, r *results.Result) Metrics {
	return phaseMetrics(r, "local_computation_s", "comm_init_s", "comm_sync_s", "barrier_s")
}
