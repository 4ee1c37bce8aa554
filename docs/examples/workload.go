package main

import (
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/workloads"
)

// gather is a workload: its tagged fields are the keys of workload: in a scenario.
type gather struct {
	Bytes int64 `key:"bytes" unit:"bytes" doc:"size of a message"`
}

// Program implements workloads.Workload.
func (w *gather) Program(_ *machines.Machine, ranks int) (programs.Program, error) {
	if w.Bytes < 1 {
		return nil, &workloads.KeyError{Key: "bytes", Message: "must be at least 1"}
	}
	return &gatherProgram{ranks, w.Bytes}, nil
}

// Metrics implements workloads.Workload.
func (w *gather) Metrics(_ *machines.Machine, r *results.Result) (m workloads.Metrics) {
	m.Add("bandwidth_Bps", float64(r.Bytes)/r.Makespan().Seconds())
	return m
}

type gatherProgram struct {
	ranks int
	bytes int64
}

func (p *gatherProgram) Ranks() int       { return p.ranks }
func (p *gatherProgram) Phases() []string { return []string{"gather"} }

func (p *gatherProgram) Step(rank, step int, do *programs.Ops) bool {
	if step > 0 {
		return false
	}
	if rank > 0 {
		do.Send(0, p.bytes, 0)
		return true
	}
	for from := 1; from < p.ranks; from++ {
		do.Recv(from, p.bytes, 0)
	}
	return true
}
