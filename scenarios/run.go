package scenarios

import (
	"overlapsim/nodes"
	"overlapsim/sim"
	"overlapsim/workloads"
)

// Outcome is a scenario and what its run gave.
type Outcome struct {
	*Scenario
	Result  *nodes.Result
	Metrics []workloads.Metric
}

// Run runs the scenario. The error is the run's own, such as a deadlock.
func (s *Scenario) Run(o nodes.Options) (*Outcome, error) {
	o.Nodes, o.Fabric = s.Nodes, s.contend
	result, err := nodes.Run(s.Machine.Machine, s.Program, s.Processes, o)
	if err != nil {
		return nil, err
	}
	return &Outcome{s, result, s.Workload.Metrics(s.Machine.Machine, result)}, nil
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
