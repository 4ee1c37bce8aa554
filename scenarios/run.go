package scenarios

import (
	"errors"

	"overlapsim/nodes"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/scenarios/keys"
	"overlapsim/sim"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
)

// Outcome is a scenario and the results of its run.
type Outcome struct {
	*Scenario
	Result  *results.Result
	Metrics []workloads.Metric
	LeftOut []workloads.Missing // metrics that are not numbers in this run
	Links   *Links              // nil: the fabric has no links
}

// Run runs the scenario. The error is of type [sim.Panic] if the program, the workload or
// the fabric panics, and of type Problems if it lies in the scenario's text. Otherwise it
// is the error of the run, such as a deadlock.
func (s *Scenario) Run(o nodes.Options) (outcome *Outcome, err error) {
	defer sim.Catch(s.Name, &err)
	result, links, err := s.run(o)
	if err != nil {
		return nil, s.placed(err)
	}
	metrics := s.Workload.Metrics(s.Machine.Machine, result)
	return &Outcome{Scenario: s, Result: result, Metrics: metrics.List(), LeftOut: metrics.LeftOut(), Links: links}, nil
}

// placed returns the error of a run at the place of the key that causes it, if there is
// one.
func (s *Scenario) placed(err error) error {
	var wrong *nodes.Mistake
	if !errors.As(err, &wrong) {
		return err
	}
	return keys.Problems{{Place: s.tree.Nearest(wrong.Key), Key: wrong.Key, Message: wrong.Message}}
}

// Contended tells whether messages share links.
func (s *Scenario) Contended() bool { return s.contend != nil }

// tune finds the best program if the workload leaves several open.
func (s *Scenario) tune(o nodes.Options) error {
	w, ok := s.Workload.(workloads.Tuned)
	if !ok {
		return nil
	}
	o.Timeline, o.Critical, o.Fabric = false, false, s.contend
	best, err := w.Tune(s.Machine.Machine, s.Ranks, func(p programs.Program) (sim.Time, error) {
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
func (s *Scenario) run(o nodes.Options) (*results.Result, *Links, error) {
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

// options adds the options that the scenario gives to those of a run.
func (s *Scenario) options(o nodes.Options) nodes.Options {
	o.Nodes, o.Calibration, o.Background, o.Seed = s.Nodes, s.calibration, s.Background, s.Seed
	return o
}

// conduct runs an experiment.
func (s *Scenario) conduct(w experiments.Experiment) (*results.Result, *Links, error) {
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
func (o *Outcome) Ledger() results.Totals { return o.Result.Total() }

// Phases returns the wall time of each phase in seconds, means over the ranks: the bars
// of the papers' figures.
func (o *Outcome) Phases() []workloads.Metric {
	bars := make([]workloads.Metric, len(o.Result.Phases))
	for i, name := range o.Result.Phases {
		ledger := o.Result.OfPhase(i)
		bars[i] = workloads.Metric{Name: name, Value: ledger.Sum().Mean(o.Result.Ranks)}
	}
	return bars
}

// Hidden returns the mean time in seconds during which a rank's own messages were in
// flight while its CPU computed.
func (o *Outcome) Hidden() float64 {
	return sim.TotalOf(o.Result.Hidden...).Mean(o.Result.Ranks)
}

// Exposed returns the mean time in seconds that communication cost a rank: its ledger
// without computation, the slow-down of computation, and waiting for other ranks.
func (o *Outcome) Exposed() float64 {
	ledger := o.Ledger()
	return ledger.Exposed().Mean(o.Result.Ranks)
}

// Bounded tells whether a bound is known: an experiment has none, as it has no program.
func (o *Outcome) Bounded() bool { return o.Program != nil }

// Bound returns a lower bound in seconds on every run of the program on the machine.
func (o *Outcome) Bound() float64 { return o.Result.Bound.Time().Seconds() }

// Left returns the largest speed-up that is still possible: the makespan divided by the
// bound; 0 if the bound is 0.
func (o *Outcome) Left() float64 {
	bound := o.Bound()
	if bound == 0 {
		return 0
	}
	return o.Result.Makespan().Seconds() / bound
}
