package outcomes

import (
	"overlapsim/network"
	"overlapsim/nodes/results"
	"overlapsim/scenarios/files"
	"overlapsim/sim"
	"overlapsim/workloads"
	"slices"
)

// Outcome is a scenario and the results of its run.
type Outcome struct {
	*files.Scenario
	Result  *results.Result
	Metrics []workloads.Metric
	LeftOut []workloads.Missing // metrics that are not numbers in this run
	Links   *network.Links      // nil: the fabric has no links
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

// InFlight returns the mean time in seconds during which a rank's own messages were in flight while its CPU
// computed. Messages on which no agent makes progress are in flight too: what is hidden is said by [Answer].
func (o *Outcome) InFlight() float64 {
	return sim.TotalOf(o.Result.Hidden...).Mean(o.Result.Ranks)
}

// Communicating returns the mean time in seconds that a rank spent on messages, or waiting for them: its ledger
// without computation, the slow-down of computation, and waiting for other ranks.
func (o *Outcome) Communicating() float64 {
	ledger := o.Ledger()
	return ledger.Communicating().Mean(o.Result.Ranks)
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

// Assumptions says what the machine does not say and the run took for true, and what of a recorded program ran.
func (o *Outcome) Assumptions() []string {
	return slices.Concat(o.Assumed, o.Omitted(o.Result))
}

// NoEffect returns the keys that the scenario gives and that cannot act in its run, as
// far as it is known which these are.
func (o *Outcome) NoEffect() []files.NoEffect { return o.Scenario.NoEffect(o.Result.Uses) }
