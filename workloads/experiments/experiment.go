// Package experiments holds experiments on the bare fabric: workloads that are no
// programs of ranks and drive the packet fabric themselves.
package experiments

import (
	"errors"

	"overlapsim/network/packet"
	"overlapsim/network/topology"
	"overlapsim/nodes"
	"overlapsim/workloads"
)

// Experiment is a workload that is no program of ranks: it works the packet
// fabric itself, with one process on each node, because it needs what a
// program's operations leave to the machine, such as which packet follows which.
type Experiment interface {
	workloads.Workload
	// Check returns what does not fit, as *workloads.KeyErrors.
	Check(m *nodes.Machine, n Network) error
	// Run runs what Check has found nothing wrong with. It returns the fabric as
	// the run has left it.
	Run(m *nodes.Machine, n Network) (*nodes.Result, *packet.Fabric, error)
}

// Network is the network that an experiment runs on.
type Network struct {
	Grid   topology.Grid
	Packet packet.Params
	Seed   uint64
}

// errNoProgram is the error of an experiment that is asked for its program.
var errNoProgram = errors.New("is an experiment on the packet fabric, not a program of ranks")
