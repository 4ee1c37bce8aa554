package main

import (
	"errors"
	"fmt"
	"testing"

	"overlapsim/network"
	"overlapsim/network/fabrics"
	"overlapsim/network/topology"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/sim"
	"overlapsim/workloads"
)

func init() {
	workloads.Register(workloads.Kind{Name: "faulty", Title: "panics", New: func() workloads.Workload { fault("New"); return &faulty{} }})
	topology.Register(topology.Kind{Name: "faulty", Doc: "one that panics", Grows: true,
		New: func() topology.Keys { return new(faultyShape) }})
	fabrics.Register(fabrics.Kind{Name: "faulty", Doc: "panics", Places: true, New: func() fabrics.Keys { return new(faultyFabric) }})
}

var errFault = errors.New("lost")

// faultIn is where the kinds of this file panic.
var faultIn string

func fault(in string) {
	if in == faultIn {
		panic(errFault)
	}
}

type faulty struct{ gather }

func (w *faulty) Program(m *machines.Machine, ranks int) (programs.Program, error) {
	fault("Program")
	return &faultyProgram{gatherProgram{ranks, 10}}, nil
}

func (w *faulty) Tune(m *machines.Machine, ranks int, _ func(programs.Program) (*results.Result, error)) (programs.Program, error) {
	fault("Tune")
	return w.Program(m, ranks)
}

func (w *faulty) Metrics(*machines.Machine, *results.Result) (m workloads.Metrics) {
	fault("Metrics")
	return m
}

type faultyProgram struct{ gatherProgram }

func (p *faultyProgram) Step(rank, step int, do *programs.Ops) bool {
	fault("Step")
	return p.gatherProgram.Step(rank, step, do)
}

type faultyShape struct{}

func (*faultyShape) Build(nodes int) (topology.Topology, error) {
	fault("Build")
	return topology.NewCrossbar(nodes)
}

type faultyFabric struct{ busKeys }

func (k *faultyFabric) Maker(nic *network.LogGOPS, shape topology.Topology) (network.Maker, error) {
	fault("Maker")
	k.Bandwidth = 1e9
	return k.busKeys.Maker(nic, shape)
}

// Wherever a kind of another module panics, loading or running its scenario returns
// that as an error.
func TestPanicsOfKinds(t *testing.T) {
	defer func() { faultIn = "" }()
	run := func() error {
		study, err := scenarios.Read("faulty.yaml", []byte(`
machine: {cores: 1, network: {latency: 1us, send_overhead: 0s, receive_overhead: 0s, gap: 0s, gap_per_byte: 1GB/s}, topology: {kind: faulty}}
workload: {name: faulty}
fabric: {kind: faulty}
ranks: 3
`), nil)
		if err != nil {
			return fmt.Errorf("load: %w", err)
		}
		_, err = study.Runs[0].Run(nodes.Options{})
		return err
	}
	for _, faultIn = range []string{"", "New", "Program", "Build", "Maker", "Tune", "Step", "Metrics"} {
		err := run()
		var caught *sim.Panic
		if faultIn == "" && err != nil || faultIn != "" && !(errors.Is(err, errFault) && errors.As(err, &caught)) {
			t.Errorf("%q: got %v", faultIn, err)
		}
	}
}
