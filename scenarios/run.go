package scenarios

import (
	"errors"

	"overlapsim/nodes"
	"overlapsim/sim"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
)

// Outcome is a scenario and what its run gave.
type Outcome struct {
	*Scenario
	Result  *nodes.Result
	Metrics []workloads.Metric
	LeftOut []workloads.Missing // metrics that are no number in this run
	Links   *Links              // nil: the fabric knows no links
}

// Run runs the scenario. The error is of type [sim.Panic] where the program, the
// workload or the fabric panics, of type Problems where it lies in what the
// scenario says, and the run's own else, such as a deadlock.
func (s *Scenario) Run(o nodes.Options) (outcome *Outcome, err error) {
	defer sim.Catch(s.Name, &err)
	result, links, err := s.run(o)
	if err != nil {
		return nil, s.placed(err)
	}
	metrics := s.Workload.Metrics(s.Machine.Machine, result)
	return &Outcome{Scenario: s, Result: result, Metrics: metrics.List(), LeftOut: metrics.LeftOut(), Links: links}, nil
}

// placed returns the error of a run at the place of the key that it lies in, if
// there is one.
func (s *Scenario) placed(err error) error {
	var wrong *nodes.Mistake
	if !errors.As(err, &wrong) {
		return err
	}
	return Problems{{Place: s.tree.nearest(wrong.Key), Key: wrong.Key, Message: wrong.Message}}
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
	if experiment, ok := s.Workload.(experiments.Experiment); ok {
		if o.Critical {
			return nil, nil, &nodes.Mistake{Key: "workload.name", Message: s.Kind + " runs no program, so it has no critical path"}
		}
		return s.conduct(experiment)
	}
	o = s.options(o)
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

// options adds to those of a run what the scenario says.
func (s *Scenario) options(o nodes.Options) nodes.Options {
	o.Nodes, o.Calibration, o.Background, o.Seed = s.Nodes, s.calibration, s.Background, s.Seed
	return o
}

// conduct runs an experiment.
func (s *Scenario) conduct(w experiments.Experiment) (*nodes.Result, *Links, error) {
	result, fabric, err := w.Run(s.Machine.Machine, s.experiment)
	if err != nil {
		return nil, nil, err
	}
	links := fabric.Links()
	if links == nil {
		return result, nil, nil
	}
	links.Elapsed = result.Makespan()
	return result, links, links.Check()
}

// Ledger returns the ledger summed over ranks and phases.
func (o *Outcome) Ledger() nodes.Totals { return o.Result.Total() }

// Phases returns the wall time of each phase in seconds, means over the ranks:
// the bars that papers draw.
func (o *Outcome) Phases() []workloads.Metric {
	bars := make([]workloads.Metric, len(o.Result.Phases))
	for i, name := range o.Result.Phases {
		ledger := o.Result.OfPhase(i)
		bars[i] = workloads.Metric{Name: name, Value: ledger.Sum().Mean(o.Result.Ranks)}
	}
	return bars
}

// Hidden returns the mean time in seconds that a rank's own messages were
// under way while its CPU computed.
func (o *Outcome) Hidden() float64 {
	return sim.TotalOf(o.Result.Hidden...).Mean(o.Result.Ranks)
}

// Exposed returns the mean time in seconds that communication cost a rank: all
// of its ledger but computation, its slow-down, and waiting for other ranks.
func (o *Outcome) Exposed() float64 {
	ledger := o.Ledger()
	return ledger.Exposed().Mean(o.Result.Ranks)
}

// Bounded tells whether a bound is known: an experiment has no program that it would be of.
func (o *Outcome) Bounded() bool { return o.Program != nil }

// Bound returns a time in seconds that no run of the program on the machine beats.
func (o *Outcome) Bound() float64 { return o.Result.Bound.Time().Seconds() }

// Left returns the speed-up that is at most left to gain: the makespan in units of the
// bound; 0 if it is 0.
func (o *Outcome) Left() float64 {
	bound := o.Bound()
	if bound == 0 {
		return 0
	}
	return o.Result.Makespan().Seconds() / bound
}
