package workloads

import (
	"errors"
	"fmt"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// Nishtala's measurement of o and g, "Architectural Probes", section 7.5: the time to
// initiate a put, once with computation between the puts that is longer than the gap, and
// once without. The paper uses Pencils, whose rows of 8 KiB keep the wire busy. Here a
// message is one word, so the measurement gives the gap and not the time of the bytes.
func init() {
	Register(Kind{"overhead-gap", "overhead o and gap g, measured as Nishtala does (section 7.5)",
		func() Workload {
			return &overheadGap{Bytes: complexBytes, Puts: 64, Compute: 100 * sim.Microsecond}
		}})
}

type overheadGap struct {
	Bytes   int64    `key:"bytes" unit:"bytes" doc:"size of a put"`
	Puts    int64    `key:"puts" unit:"count" doc:"puts of a process, with and without computation"`
	Compute sim.Time `key:"compute" unit:"time" doc:"computation before each put; longer than the gap"`
}

type overheadGapProgram struct {
	overheadGap
	ranks int
}

const maxPuts = 1 << 20

func (w *overheadGap) Program(_ *machines.Machine, ranks int) (programs.Program, error) {
	var errs []error
	if ranks < 2 {
		errs = append(errs, errors.New("ranks: must be at least 2"))
	}
	if w.Puts < 1 || w.Puts > maxPuts {
		errs = append(errs, &KeyError{"puts", fmt.Sprintf("must be 1 to %d, got %d", maxPuts, w.Puts)})
	}
	return &overheadGapProgram{*w, ranks}, errors.Join(errs...)
}

func (p *overheadGapProgram) Ranks() int { return p.ranks }

// The phases: the puts of the two measurements, and everything else.
const (
	betweenPuts = iota
	putsComputing
	putsOnly
)

func (p *overheadGapProgram) Phases() []string {
	return []string{"between", "puts with computation", "puts without"}
}

// Step is one of the two measurements: its puts, the waits for them, and a barrier.
func (p *overheadGapProgram) Step(me, step int, do *programs.Ops) bool {
	if step > 1 {
		return false
	}
	timer := [...]int{putsComputing, putsOnly}[step]
	for i := range int(p.Puts) {
		if timer == putsComputing {
			do.Phase(betweenPuts)
			do.Compute(machines.Task{Time: p.Compute}, 1)
		}
		do.Phase(timer)
		do.Put((me+1+i%(p.ranks-1))%p.ranks, p.Bytes, i)
	}
	do.Phase(betweenPuts)
	for i := range int(p.Puts) {
		do.Wait(i)
	}
	do.Barrier()
	return true
}

// Metrics are the averages of the two measurements, over puts and ranks. Without
// computation the first put finds the NIC idle and costs o; the others cost max(o, g).
func (w *overheadGap) Metrics(_ *machines.Machine, r *results.Result) Metrics {
	var computing, only float64
	for _, phases := range r.Ledgers {
		computing += phases[putsComputing].Sum().Seconds() / float64(r.Ranks)
		only += phases[putsOnly].Sum().Seconds() / float64(r.Ranks)
	}
	o := computing / float64(w.Puts)
	return metrics(Metric{"overhead_s", o}, Metric{"gap_s", (only - o) / max(1, float64(w.Puts-1))})
}
