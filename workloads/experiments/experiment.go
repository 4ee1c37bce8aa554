// Package experiments holds experiments on the bare fabric: workloads that are not
// programs of ranks and drive the packet fabric themselves.
package experiments

import (
	"errors"

	"overlapsim/network/packet"
	"overlapsim/network/topology"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/workloads"
)

// Experiment is a workload that is not a program of ranks. It drives the packet fabric itself,
// with one process on each node, because it controls what the machine decides for a program, such
// as the order of the packets.
type Experiment interface {
	workloads.Workload
	// Check returns errors about parameters that do not fit, as *workloads.KeyErrors.
	Check(m *machines.Machine, n Network) error
	// Run runs an experiment in which Check has found no error. It returns the fabric in
	// its state after the run.
	Run(m *machines.Machine, n Network) (*results.Result, *packet.Fabric, error)
}

// Network is the network that an experiment runs on.
type Network struct {
	Grid   topology.Grid
	Packet packet.Params
	Seed   uint64

	Traffic bool // record what links carry over time, and what waits at NICs
}

// errNoProgram is the error of an experiment whose program a caller wants.
var errNoProgram = errors.New("is an experiment on the packet fabric, not a program of ranks")
