package stragglers

import (
	"fmt"
	"path/filepath"
	"slices"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/nodes/without"
	"overlapsim/sim"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
)

// A table of the operations of a training job.
func init() {
	workloads.Register(workloads.Kind{Name: "straggler-trace",
		Title: "the operations of a traced training job, run again without launch delays: what slow workers cost",
		New:   func() workloads.Workload { return &replay{Step: -1} }})
}

type replay struct {
	experiments.NoProgram
	File  string `key:"file" unit:"text" doc:"the table next to the scenario, Parquet or CSV: dp_rank, stage, step, optype, start_ts, duration, seq_id, mc, gmc"`
	Equal bool   `key:"equal" unit:"flag" doc:"every operation takes as long as its kind: the mean of computation, the median of communication"`
	Step  int64  `key:"step" unit:"offset" doc:"only the step that has this number in the table; -1: all steps"`

	job         *job
	took, equal [][]float64
	answer      *results.Stragglers
	sizes       *results.JobSizes
}

// Filename implements workloads.Filed.
func (w *replay) Filename() (key, name string) { return "file", w.File }

// Open implements workloads.Filed.
func (w *replay) Open(path string) error {
	rows, err := read(path)
	if err != nil {
		return err
	}
	if w.job, err = newJob(rows); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	sizes, beside, err := readSizes(path)
	if err == nil && sizes != nil {
		err = w.job.fits(sizes)
	}
	if err != nil {
		return fmt.Errorf("%s, next to %s: %w", beside, filepath.Base(path), err)
	}
	w.sizes = sizes
	w.took = w.job.took()
	w.equal = w.job.equal(w.took)
	return nil
}

// Ranks implements workloads.Sized: a rank for each stage of each data-parallel rank.
func (w *replay) Ranks() int { return w.job.ranks * w.job.stages }

// OwnTimes implements workloads.OwnTimes.
func (w *replay) OwnTimes() string {
	return "the operations of a training job have their own times"
}

// Closed implements experiments.Closed.
func (w *replay) Closed() string { return w.OwnTimes() }

// CheckGPUs implements experiments.OnGPUs.
func (w *replay) CheckGPUs(*machines.Machine, experiments.Place) error {
	if w.job == nil {
		return experiments.NotOpened()
	}
	if w.Step != -1 && w.number() < 0 {
		return &workloads.KeyError{Key: "step", Message: fmt.Sprintf("the table has no step %d; it has %d to %d, or some of them, or -1 for all", w.Step,
			w.job.steps[0], w.job.steps[len(w.job.steps)-1])}
	}
	sum := 0.0
	for _, t := range w.job.stepTimes(w.job.run(w.took)) {
		sum += t
	}
	if err := experiments.TooLong(sum); err != nil {
		return &workloads.KeyError{Key: "file", Message: err.Error()}
	}
	return nil
}

// RunGPUs implements experiments.OnGPUs: all steps, one after the other. Ranks compute, or wait for
// each other and for transfers.
func (w *replay) RunGPUs(_ *machines.Machine, p experiments.Place) (*results.Result, error) {
	if p.Without != 0 {
		return nil, &without.Refused{Cause: p.Without.String(),
			Reason: "operations take the times of a trace; --set workload.equal=true gives all of a kind the same"}
	}
	took := w.took
	if w.Equal {
		took = w.equal
	}
	schedule := w.job.run(took)
	if w.answer == nil {
		w.answer = w.job.analyse(w.took, w.equal)
		w.answer.Sizes, w.answer.Variation = w.sizes, w.job.variation()
	}
	r := &results.Result{Ranks: p.Ranks, On: results.GPUs, Phases: []string{"step"}, Finish: make([]sim.Time, p.Ranks),
		Hidden: make([]sim.Time, p.Ranks), Ledgers: make([][]results.Ledger, p.Ranks), Stragglers: w.answer,
		Events: uint64(len(w.job.ops) * w.job.cells())}
	times := w.job.stepTimes(schedule)
	if n := w.number(); n >= 0 {
		times = times[n : n+1]
	}
	whole := picoseconds(times...)
	for rank := range r.Ledgers {
		l := results.Ledger{results.Compute: min(whole, w.computing(rank, took))}
		l[results.Partner] = whole - l[results.Compute]
		r.Ledgers[rank], r.Finish[rank] = []results.Ledger{l}, whole
	}
	return r, nil
}

// number is the place of the only step to report; -1: all steps, or there is none.
func (w *replay) number() int { return slices.Index(w.job.steps, w.Step) }

// computing is how long a rank computes. Ranks are counted stage by stage.
func (w *replay) computing(rank int, took [][]float64) (sum sim.Time) {
	stage, dp := rank/w.job.ranks, rank%w.job.ranks
	for i, o := range w.job.ops {
		if o.stage != stage || o.group >= 0 {
			continue
		}
		for step := range w.job.steps {
			if n := w.number(); n < 0 || n == step {
				sum += picoseconds(took[i][step*w.job.ranks+dp])
			}
		}
	}
	return sum
}

// picoseconds is the sum of times in seconds.
func picoseconds(seconds ...float64) (sum sim.Time) {
	for _, s := range seconds {
		sum += sim.Time(max(0, s) * float64(sim.Second))
	}
	return sum
}

// Metrics are the mean time of a step, the median of steps and what 99 in 100 do not exceed, the slow-down, and the
// slow-downs of the rank, the stage and the kind that are most to blame.
func (w *replay) Metrics(_ *machines.Machine, r *results.Result) (all workloads.Metrics) {
	steps := float64(len(w.job.steps))
	if w.Step != -1 {
		steps = 1
	}
	all.Add("step_s", r.Makespan().Seconds()/steps)
	if a := r.Stragglers; a != nil {
		traced := func(s *results.StragglerStep) float64 { return s.Traced }
		all.Add("traced_median_s", a.Within(0.5, traced))
		all.Add("traced_99_in_100_s", a.Within(0.99, traced))
		all.Add("equal_median_s", a.Within(0.5, func(s *results.StragglerStep) float64 { return s.Equal }))
		all.Add("slowdown", a.Slowdown)
		all.Add("launch_slowdown", a.LaunchSlowdown)
		all.Add("slowdown_by_stage", largest(a.ByStage))
		all.Add("slowdown_by_rank", largest(a.ByRank))
	}
	return all
}

func largest(of map[int]float64) (most float64) {
	values := []float64{0}
	for _, x := range of {
		values = append(values, x)
	}
	return slices.Max(values)
}
