package scenarios

import (
	"fmt"

	"overlapsim/network/topology"
	"overlapsim/nodes"
	"overlapsim/sim"
	"overlapsim/workloads"
)

// Outcome is a scenario and what its run gave.
type Outcome struct {
	*Scenario
	Result  *nodes.Result
	Metrics []workloads.Metric
	Links   *Links // nil: the fabric knows no links
}

// Run runs the scenario. The error is the run's own, such as a deadlock.
func (s *Scenario) Run(o nodes.Options) (*Outcome, error) {
	result, links, err := s.run(o)
	if err != nil {
		return nil, err
	}
	return &Outcome{s, result, s.Workload.Metrics(s.Machine.Machine, result), links}, nil
}

// Contended tells whether messages share links.
func (s *Scenario) Contended() bool { return s.contend != nil }

// tune finds the best of the programs that the workload leaves open.
func (s *Scenario) tune(o nodes.Options) error {
	w, ok := s.Workload.(workloads.Tuned)
	if !ok {
		return nil
	}
	o.Timeline, o.Critical, o.Fabric = false, false, s.contend
	best, err := w.Tune(s.Machine.Machine, s.Ranks, func(p nodes.Program) (sim.Time, error) {
		result, err := nodes.Run(s.Machine.Machine, p, s.Processes, o)
		if err != nil {
			return 0, err
		}
		return result.Makespan(), nil
	})
	if err == nil {
		s.Program = best
	}
	return err
}

// run runs the program, or the experiment.
func (s *Scenario) run(o nodes.Options) (*nodes.Result, *Links, error) {
	if experiment, ok := s.Workload.(workloads.Experiment); ok {
		if o.Critical {
			return nil, nil, fmt.Errorf("%s runs no program, so it has no critical path", s.Kind)
		}
		return s.experiment(experiment)
	}
	o.Nodes, o.Calibration, o.Background, o.Seed = s.Nodes, s.calibration, s.Background, s.Seed
	if err := s.tune(o); err != nil {
		return nil, nil, err
	}
	if s.contend == nil {
		result, err := nodes.Run(s.Machine.Machine, s.Program, s.Processes, o)
		return result, nil, err
	}
	fabric, after := watch(s.contend)
	o.Fabric = fabric
	result, err := nodes.Run(s.Machine.Machine, s.Program, s.Processes, o)
	if err != nil {
		return nil, nil, err
	}
	links, err := after(result.Makespan())
	return result, links, err
}

func (s *Scenario) experiment(w workloads.Experiment) (*nodes.Result, *Links, error) {
	result, fabric, err := w.Run(s.Machine.Machine, s.network)
	if err != nil {
		return nil, nil, err
	}
	shape, err := topology.NewTorus(s.network.Grid)
	if err != nil {
		return nil, nil, err
	}
	links := packetLoads(shape, fabric, s.network.Packet.Bandwidth)
	links.Elapsed = result.Makespan()
	return result, links, links.check()
}

// Ledger returns the ledger summed over ranks and phases.
func (o *Outcome) Ledger() (sum nodes.Ledger) {
	for _, phases := range o.Result.Ledgers {
		for i := range phases {
			sum.Add(&phases[i])
		}
	}
	return sum
}

// Phases returns the wall time of each phase in seconds, means over the ranks:
// the bars that papers draw.
func (o *Outcome) Phases() []workloads.Metric {
	bars := make([]workloads.Metric, len(o.Result.Phases))
	for i, name := range o.Result.Phases {
		var sum sim.Time
		for _, phases := range o.Result.Ledgers {
			sum += phases[i].Sum()
		}
		bars[i] = workloads.Metric{Name: name, Value: o.mean(sum)}
	}
	return bars
}

// mean divides a sum over ranks, in seconds.
func (o *Outcome) mean(sum sim.Time) float64 {
	return sum.Seconds() / float64(o.Result.Ranks)
}

// Hidden returns the mean time in seconds that a rank's own messages were
// under way while its CPU computed.
func (o *Outcome) Hidden() float64 {
	var sum sim.Time
	for _, t := range o.Result.Hidden {
		sum += t
	}
	return o.mean(sum)
}

// Exposed returns the mean time in seconds that communication cost a rank: all
// of its ledger but computation, its slow-down, and waiting for other ranks.
func (o *Outcome) Exposed() float64 {
	ledger := o.Ledger()
	return o.mean(ledger.Exposed())
}

// Bound returns the latest finish in seconds if everything that can overlap
// did.
func (o *Outcome) Bound() float64 {
	var last sim.Time
	for _, t := range o.Result.Bound {
		last = max(last, t)
	}
	return last.Seconds()
}

// Left returns the speed-up that is left to gain by the best possible overlap:
// the makespan in units of the bound; 0 if there is no bound.
func (o *Outcome) Left() float64 {
	bound := o.Bound()
	if bound == 0 {
		return 0
	}
	return o.Result.Makespan().Seconds() / bound
}
