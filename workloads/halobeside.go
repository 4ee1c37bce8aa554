package workloads

import (
	"fmt"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/workloads/collectives"
)

// Two jobs that share a network: some ranks exchange the faces of a halo, the others do a
// collective again and again.
func init() {
	Register(Kind{"halo-beside-collective", "a halo exchange of some ranks, while the others do a collective again and again",
		func() Workload {
			return &haloBeside{Face: 65536, Iterations: 10, Operation: "alltoall", Repeat: 1,
				collectiveKeys: collectiveKeys{Algorithm: auto, Bytes: 1 << 20}}
		}})
}

type haloBeside struct {
	Others     int64    `key:"others" unit:"count" doc:"ranks, the last ones, that do the collective; 0: none"`
	Face       int64    `key:"face" unit:"bytes" doc:"size of a face of the halo"`
	Iterations int64    `key:"iterations" unit:"times" doc:"iterations of the halo"`
	Compute    sim.Time `key:"compute" unit:"time" doc:"computation of an iteration of the halo"`
	Operation  string   `key:"operation" unit:"text" doc:"what the others do; without a rate of the kernel combine, reductions combine in no time"`
	collectiveKeys
	Repeat int64 `key:"repeat" unit:"times" doc:"how many times the other ranks do it, one after the other; 0: the halo is alone"`
}

// Unblock implements Unblocked.
func (w *haloBeside) Unblock() { w.nonblocking = w.Operation != collectives.Barrier.Name }

func (w *haloBeside) Program(m *machines.Machine, ranks int) (programs.Program, error) {
	alone := ranks - int(w.Others)
	if alone < 1 || w.Others < 0 {
		return nil, &KeyError{"others", fmt.Sprintf("must leave the halo one of the %d ranks, got %d", ranks, w.Others)}
	}
	if w.Face < 1 || w.Compute < 0 {
		return nil, &KeyError{"face", "must be at least 1, and compute not negative"}
	}
	p := &haloBesideProgram{ranks: ranks, repeat: int(w.Repeat)}
	p.halo = haloProgram{dims: cubic(alone), iterations: int(w.Iterations), bytes: w.Face, pieces: 1, compute: machines.Task{Time: w.Compute}}
	if w.Others == 0 {
		return p, nil
	}
	g, a, err := w.plan(w.Operation, m, int(w.Others))
	g.Rank = func(member int) int { return alone + member }
	p.group, p.by = g, a
	return p, err
}

// haloBesideProgram is the halo on the first ranks and the collective on the others.
type haloBesideProgram struct {
	ranks  int
	halo   haloProgram
	group  collectives.Group
	by     *collectives.Algorithm
	repeat int
}

// besideHalo is the phase of the other ranks, after the phases of the halo.
const besideHalo = 3

func (p *haloBesideProgram) Ranks() int       { return p.ranks }
func (p *haloBesideProgram) Phases() []string { return append(p.halo.Phases(), "collective") }

// Step is an iteration of the halo, or one collective.
func (p *haloBesideProgram) Step(rank, step int, do *programs.Ops) bool {
	first := p.halo.Ranks()
	switch {
	case rank < first:
		return p.halo.Step(rank, step, do)
	case step >= p.repeat:
		return false
	}
	g := p.group
	g.Me, g.Tag = rank-first, step
	do.Phase(besideHalo)
	p.by.Call(g, do)
	return true
}

// Remarks implements Remarked.
func (w *haloBeside) Remarks(m *machines.Machine, _ int) []string {
	if w.Others == 0 {
		return nil
	}
	return w.remarks("algorithm auto", w.Operation, m, int(w.Others))
}

// Near implements Neighbored.
func (w *haloBeside) Near(key string, m *machines.Machine, _ int) []string {
	return w.near(w.Operation, key, m, int(w.Others))
}

// Metrics are the times of an iteration and of a collective, and what part of the time of the halo
// the collectives last: below 1 the halo ends alone.
func (w *haloBeside) Metrics(_ *machines.Machine, r *results.Result) (m Metrics) {
	alone := r.Ranks - int(w.Others)
	halo, others := latest(r.Finish[:alone]), latest(r.Finish[alone:])
	m.Add("iteration_s", halo/float64(w.Iterations))
	if others > 0 {
		m.Add("collective_s", others/float64(w.Repeat))
	}
	m.AddOr("beside", min(1, others/halo), "the halo takes no time")
	return m
}

// latest is the latest of some times, in seconds; 0: there are none.
func latest(times []sim.Time) (end float64) {
	for _, t := range times {
		end = max(end, t.Seconds())
	}
	return end
}
