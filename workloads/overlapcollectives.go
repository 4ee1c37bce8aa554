package workloads

import (
	"slices"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/workloads/collectives"
)

// CollectiveSuite measures non-blocking collectives during a computation, as osu-nbc does, by the
// algorithms of the machine's library.
type CollectiveSuite struct {
	machine *machines.Machine
	fabric  network.Maker // nil: messages do not contend
	ranks   int
}

// OverlapCollectives are the operations that the suite measures.
var OverlapCollectives = []*collectives.Operation{collectives.Allreduce, collectives.Broadcast, collectives.Reduce, collectives.Allgather,
	collectives.Alltoall, collectives.Gather, collectives.Scatter}

// NewCollectiveSuite returns the suite for some ranks of a machine on a fabric (nil: messages do not contend). It fails if the table of the
// machine's library is not known.
func NewCollectiveSuite(m *machines.Machine, fabric network.Maker, ranks int) (*CollectiveSuite, error) {
	if _, err := new(collectiveKeys).library(m); err != nil {
		return nil, err
	}
	return &CollectiveSuite{m, fabric, ranks}, nil
}

// Program is the program of a measurement.
func (s *CollectiveSuite) Program(of *collectives.Operation, block int64, compute sim.Time) (programs.Program, error) {
	return s.benchmark(of, block, compute).Program(s.machine, s.ranks)
}

func (s *CollectiveSuite) benchmark(of *collectives.Operation, block int64, compute sim.Time) *osuNBC {
	return &osuNBC{Operation: of.Name, collectiveKeys: collectiveKeys{Algorithm: auto, Block: block, nonblocking: true}, Compute: compute}
}

// Measure returns how long the slowest rank takes for a collective of blocks of some bytes alone,
// and from its call to the end of its wait with a computation between them, and the ledger of
// that.
func (s *CollectiveSuite) Measure(of *collectives.Operation, block int64, compute sim.Time) (alone, beside sim.Time,
	l results.Ledger, err error) {
	for _, during := range []bool{false, true} {
		w := s.benchmark(of, block, compute)
		program := w.Other
		if during {
			program = w.Program
		}
		p, err := program(s.machine, s.ranks)
		if err != nil {
			return 0, 0, l, err
		}
		r, err := nodes.Run(s.machine, p, max(1, s.machine.Processes), nodes.Options{Fabric: s.fabric})
		if err != nil {
			return 0, 0, l, err
		}
		if !during {
			alone = r.Makespan()
			continue
		}
		beside = r.Makespan()
		l = r.OfRank(slices.Index(r.Finish, beside))
	}
	return alone, beside, l, nil
}
