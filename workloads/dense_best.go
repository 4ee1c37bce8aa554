package workloads

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"overlapsim/network/calibrated"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/workloads/dense"
)

// Which of the four variants of an algorithm is best, by the closed forms. The answer
// depends on the number of processes and the size of the matrix, so it is a workload for
// sweeps. Its ranks are the processes; each is busy for as long as the best variant
// takes.
func init() {
	Register(Kind{"dense-best", "the best of 2D and 2.5D, with and without overlap, by the models of dense linear algebra", func() Workload {
		return &denseBest{Algorithm: "cannon", Size: 32768, Layers: 4, Threads: 6}
	}})
}

// Calibrated is a workload that needs the calibration factors of the fabric.
type Calibrated interface {
	Workload
	Calibrate(c *calibrated.Calibration)
}

type denseBest struct {
	Algorithm string `key:"algorithm" unit:"text" doc:"cannon, summa, trsm, cholesky"`
	Size      int64  `key:"size" unit:"count" doc:"rows n of the matrices"`
	Layers    int64  `key:"layers" unit:"count" doc:"copies c of the matrices in 2.5D"`
	Threads   int64  `key:"threads" unit:"count" doc:"threads t of a process"`
	Memory    int64  `key:"memory" unit:"bytes" doc:"what a process has; 0: no limit"`
	factors   dense.Contention
}

// Calibrate implements Calibrated.
func (w *denseBest) Calibrate(c *calibrated.Calibration) { w.factors = c }

// alone is a fabric without contention.
type alone struct{}

func (alone) Average(int) float64      { return 1 }
func (alone) Maximum(int, int) float64 { return 1 }

// contention returns the factors of the fabric's calibration, or no contention if it has
// none.
func (w *denseBest) contention() dense.Contention {
	if w.factors == nil {
		return alone{}
	}
	return w.factors
}

// model is the machine in the terms of the models.
func (w *denseBest) model(m *machines.Machine) (*dense.Machine, error) {
	if m.Peak == 0 {
		return nil, fmt.Errorf("machine %s has no peak, of which the models take a part; add to it peak: 50GF/s, of one process", m.Name)
	}
	last := m.Network.Transfer[len(m.Network.Transfer)-1]
	model := &dense.Machine{
		Peak: m.Peak / float64(w.Threads), Threads: int(w.Threads), Contention: w.contention(),
		Latency: m.Network.Latency.Seconds(), PerByte: last.PerByte * 1e-12,
	}
	return model, errors.Join(
		efficiency(m, "dgemm", &model.Gemm), efficiency(m, "dtrsm", &model.Trsm), efficiency(m, "dpotrf", &model.Potrf))
}

// efficiency appends the rates of a kernel, as fractions of the peak.
func efficiency(m *machines.Machine, kernel string, to *dense.Efficiency) error {
	k, ok := m.Kernels[kernel]
	if !ok {
		return &machines.Unrated{Machine: m.Name, Kernel: kernel}
	}
	for _, p := range k.Rate {
		*to = append(*to, dense.Point{Size: int(p.N), Efficiency: p.Rate / m.Peak})
	}
	return nil
}

func (w *denseBest) algorithm() *dense.Algorithm {
	i := slices.IndexFunc(dense.Algorithms[:], func(a dense.Algorithm) bool { return a.Name == w.Algorithm })
	if i < 0 {
		return nil
	}
	return &dense.Algorithms[i]
}

func (w *denseBest) Program(m *machines.Machine, ranks int) (programs.Program, error) {
	var names []string
	for _, a := range dense.Algorithms {
		names = append(names, a.Name)
	}
	if w.algorithm() == nil {
		return nil, &KeyError{"algorithm", fmt.Sprintf("must be one of %s, got %q", strings.Join(names, ", "), w.Algorithm)}
	}
	if w.Threads < 2 {
		return nil, &KeyError{"threads", "must be at least 2, as one may communicate"}
	}
	if _, err := dense.NewGrid(w.algorithm(), dense.Variant{}, int(w.Size), ranks, 1); err != nil {
		return nil, &KeyError{"size", err.Error()}
	}
	model, err := w.model(m)
	if err != nil {
		return nil, err
	}
	return &bestProgram{ranks: ranks, time: sync.OnceValue(func() sim.Time {
		model.Contention = w.contention() // known by the time the program runs
		_, percent := best(w.percents(model, ranks))
		if percent == 0 {
			return 0
		}
		return sim.Seconds(w.algorithm().Flops(float64(w.Size)) / (float64(ranks) * m.Peak * percent / 100))
	})}, nil
}

// bestProgram is a single computation.
type bestProgram struct {
	ranks int
	time  func() sim.Time
}

func (p *bestProgram) Ranks() int       { return p.ranks }
func (p *bestProgram) Phases() []string { return nil }

func (p *bestProgram) Step(_, step int, do *programs.Ops) bool {
	if step > 0 {
		return false
	}
	do.Compute(machines.Task{Time: p.time()}, 1)
	return true
}

// percents are the percentages of peak of the variants, 0 for a variant that does not
// fit.
func (w *denseBest) percents(model *dense.Machine, processes int) (percents [4]float64) {
	for i, v := range dense.Variants {
		percents[i] = w.percent(model, v, processes)
	}
	return percents
}

// best returns the number of the variant with the largest percentage, counted from 1, and
// that percentage; both are 0 if all percentages are 0.
func best(percents [4]float64) (number int, percent float64) {
	for i, p := range percents {
		if p > percent {
			number, percent = i+1, p
		}
	}
	return number, percent
}

// metricNames are the metrics of the percentages, in the order of dense.Variants.
var metricNames = [4]string{"percent_2d", "percent_2d_overlap", "percent_25d", "percent_25d_overlap"}

// Metrics are: the number of the best variant, 1 to 4 as in the tables (2D, 2D with
// overlap, 2.5D, 2.5D with overlap), 0 if none fits; its percentage of peak; the
// percentages of all variants, 0 for a variant that does not fit the memory or the number
// of processes; and the bytes of a process in 2D and in 2.5D with overlap.
func (w *denseBest) Metrics(m *machines.Machine, r *results.Result) (all Metrics) {
	model, err := w.model(m)
	if err != nil {
		return all // Program has reported the error
	}
	percents := w.percents(model, r.Ranks)
	number, percent := best(percents)
	all.Add("best", float64(number))
	all.Add("best_percent", percent)
	for i, percent := range percents {
		all.Add(metricNames[i], percent)
	}
	all.Add("memory_2d_bytes", w.memory(dense.Variants[0], r.Ranks))
	all.Add("memory_25d_overlap_bytes", w.memory(dense.Variants[3], r.Ranks))
	return all
}

// percent is the percentage of peak of a variant, 0 if it does not fit.
func (w *denseBest) percent(model *dense.Machine, v dense.Variant, processes int) float64 {
	a := w.algorithm()
	g, err := dense.NewGrid(a, v, int(w.Size), processes, int(w.Layers))
	if err != nil || w.Memory > 0 && a.Memory(v, g) > float64(w.Memory) {
		return 0
	}
	return model.Percent(a, int(w.Size), processes, model.Time(a, v, g))
}

// memory is the memory in bytes that a variant needs in a process; 0 if the variant does
// not fit the number of processes.
func (w *denseBest) memory(v dense.Variant, processes int) float64 {
	g, err := dense.NewGrid(w.algorithm(), v, int(w.Size), processes, int(w.Layers))
	if err != nil {
		return 0
	}
	return w.algorithm().Memory(v, g)
}
