package overlap

import (
	"fmt"
	"math"

	"overlapsim/scenarios/files"
	"overlapsim/scenarios/forecast"
	"overlapsim/scenarios/keys"
	"overlapsim/sim"
	"overlapsim/workloads"
	"overlapsim/workloads/collectives"
)

// The range of collectives: blocks up to 1 MiB, in steps of 2, as computations are.
const mostBlock = 1 << 20

func octaves(last float64) (all []float64) {
	for x := 1.0; x <= last; x *= 2 {
		all = append(all, x)
	}
	return all
}

// RunCollectives measures non-blocking collectives of some ranks alongside a computation. It calls
// do with each operation, as Run.
func RunCollectives(name string, m *files.Machine, ranks int, do Doing) (*Library, error) {
	used := (ranks-1)/max(1, m.Processes) + 1
	fabric, err := m.Behind(used)
	if err != nil {
		return nil, err
	}
	suite, err := workloads.NewCollectiveSuite(m.Machine, fabric, ranks)
	if err != nil {
		return nil, err
	}
	l := &Library{Name: fmt.Sprintf("%s, %s on %s", name, keys.Plural(ranks, "rank"), keys.Plural(used, "node")), Machine: m, Slowest: true, Nodes: used}
	for _, b := range octaves(mostBlock) {
		l.Sizes = append(l.Sizes, int64(b))
	}
	for _, of := range workloads.OverlapCollectives {
		done, err := do(func() (*Map, error) { return l.collective(suite, of) })
		if err != nil {
			return l, within(of.Name, err)
		}
		l.Maps = append(l.Maps, done)
	}
	return l, nil
}

// CollectiveOperations returns about how many operations RunCollectives simulates, as programs of
// the smallest and the largest block tell. The error says that there is no memory for them.
func CollectiveOperations(m *files.Machine, ranks int) (operations float64, err error) {
	used := (ranks-1)/max(1, m.Processes) + 1
	if err := forecast.Check(append(forecast.Ranks(ranks, used, 1), forecast.Cores(m.Machine, used))...); err != nil {
		return 0, err
	}
	suite, err := workloads.NewCollectiveSuite(m.Machine, nil, ranks)
	if err != nil {
		return 0, err
	}
	cells := float64(len(octaves(mostBlock)) * len(octaves(mostCompute.Seconds()*1e6)))
	for _, of := range workloads.OverlapCollectives {
		for _, block := range []int64{1, mostBlock} {
			work, err := workOf(suite, of, block)
			if err != nil {
				return 0, err
			}
			if err := forecast.Check(work.Messages(m.Machine)...); err != nil {
				return 0, err
			}
			operations += work.Operations * cells / 2
		}
	}
	return operations, nil
}

// workOf is what a measurement does.
func workOf(suite *workloads.CollectiveSuite, of *collectives.Operation, block int64) (*forecast.Work, error) {
	program, err := suite.Program(of, block, mostCompute)
	if err != nil {
		return nil, err
	}
	work, _ := forecast.Of(program)
	return work, nil
}

// collective fills the map of an operation.
func (l *Library) collective(suite *workloads.CollectiveSuite, of *collectives.Operation) (*Map, error) {
	m := &Map{Name: of.Name, Title: "non-blocking " + of.Name + ": call, computation, wait", Communication: make([]sim.Time, len(l.Sizes))}
	for _, us := range octaves(mostCompute.Seconds() * 1e6) {
		m.Compute = append(m.Compute, sim.Time(math.Round(us))*sim.Microsecond)
	}
	return m, m.measure(len(m.Compute), len(l.Sizes), func(y, x int) (Cell, error) {
		alone, beside, ledger, err := suite.Measure(of, l.Sizes[x], m.Compute[y])
		if y == len(m.Compute)-1 {
			m.Communication[x] = alone
		}
		return Cell{beside, workloads.OverlapRatio(beside, alone, m.Compute[y]), ledger}, err
	})
}
