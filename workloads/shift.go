package workloads

import (
	"errors"
	"fmt"
	"slices"

	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// The microbenchmark of Gonzalez-Dominguez et al., "Modelling of parallel dense linear
// algebra on Cray XE systems", section IV. It measures how much slower communication gets
// when all processes communicate: every rank sends to the rank a distance ahead, at the
// same time.
func init() {
	Register(Kind{"shift", "every rank sends to the rank a distance ahead, again and again, all at once",
		func() Workload { return &shift{Bytes: 64 << 20, Distance: 1, Repeat: 10} }})
}

type shift struct {
	Bytes    int64 `key:"bytes" unit:"bytes" doc:"size of a message"`
	Distance int64 `key:"distance" unit:"count" doc:"rank difference d between sender and receiver"`
	Repeat   int64 `key:"repeat" unit:"times" doc:"operations of each rank, one after the other"`
	Together bool  `key:"synchronised" unit:"flag" doc:"a barrier after every operation, so that all wait for the slowest"`
}

type shiftProgram struct {
	ranks, distance, repeat int
	bytes                   int64
	together                bool
}

func (w *shift) Program(_ *machines.Machine, ranks int) (programs.Program, error) {
	var errs []error
	if w.Bytes < 1 {
		errs = append(errs, &KeyError{"bytes", "must be at least 1"})
	}
	if w.Distance < 1 || w.Distance >= int64(ranks) {
		errs = append(errs, &KeyError{"distance", fmt.Sprintf("must be 1 to %d, one less than the ranks, got %d", ranks-1, w.Distance)})
	}
	return &shiftProgram{ranks, int(w.Distance), int(w.Repeat), w.Bytes, w.Together}, errors.Join(errs...)
}

func (p *shiftProgram) Ranks() int       { return p.ranks }
func (p *shiftProgram) Phases() []string { return []string{"communication"} }

// Symmetry implements programs.Symmetric.
func (p *shiftProgram) Symmetry() programs.Grid { return programs.Grid{p.ranks} }

// Step is one operation: one message sent and one received.
func (p *shiftProgram) Step(me, step int, do *programs.Ops) bool {
	if step >= p.repeat {
		return false
	}
	if step == 0 {
		do.Pattern(p.distance, p.together)
	}
	do.Irecv((me-p.distance+p.ranks)%p.ranks, p.bytes, step, 0)
	do.Isend((me+p.distance)%p.ranks, p.bytes, step, 1)
	do.Wait(0)
	do.Wait(1)
	if p.together {
		do.Barrier()
	}
	return true
}

// Metrics are the smallest, mean and largest time of an operation over the ranks, its
// time when there is no other message, and the ratios to that time: the paper's
// calibration factors C_avg(d) and C_max(p, d).
func (w *shift) Metrics(m *machines.Machine, r *results.Result) (all Metrics) {
	least, most := slices.Min(r.Finish), slices.Max(r.Finish)
	each := func(t float64) float64 { return t / float64(w.Repeat) }
	mean := each(sim.TotalOf(r.Finish...).Mean(r.Ranks))
	alone := w.alone(m)
	all.Add("min_s", each(least.Seconds()))
	all.Add("avg_s", mean)
	all.Add("max_s", each(most.Seconds()))
	all.Add("alone_s", alone)
	all.AddOr("c_avg", mean/alone, noTime)
	all.AddOr("c_max", each(most.Seconds())/alone, noTime)
	return all
}

// noTime is the reason why there is no ratio to the time of a message.
const noTime = "a message takes no time on this machine"

// alone is the time in seconds of an operation of two ranks that exchange messages, each
// on its own node, with nothing else: no other rank, no noise, and no links between them.
func (w *shift) alone(m *machines.Machine) float64 {
	r, err := w.pair(m)
	if err != nil {
		return 0
	}
	return r.Makespan().Seconds() / float64(w.Repeat)
}

// pair runs these two ranks.
func (w *shift) pair(m *machines.Machine) (*results.Result, error) {
	quiet := *m
	quiet.Processes, quiet.Noise = 1, nil
	return nodes.Run(&quiet, &shiftProgram{2, 1, int(w.Repeat), w.Bytes, false}, 1, nodes.Options{})
}

// Beside implements Besides.
func (w *shift) Beside(m *machines.Machine) (uses results.Uses) {
	if r, err := w.pair(m); err == nil {
		uses = r.Uses
	}
	return uses
}
