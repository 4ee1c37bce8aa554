package answer

import (
	"fmt"

	"overlapsim/scenarios"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/points"
	"overlapsim/scenarios/report"
)

// Record is what a run gives, with what communication costs it, which takes three more runs at most.
func Record(o *outcomes.Outcome) *outcomes.RunRecord {
	r := o.Record()
	r.Answer = For(o, (&scenarios.Scenario{Scenario: o.Scenario}).With, Exposed, func(string, float64) {})
	return r
}

// Holding says what holds a run with a value of a setting that changes it little: its computation, or the largest cause of what communication costs; "": that is not known.
func Holding(o *outcomes.Outcome, at string) string {
	a := For(o, (&scenarios.Scenario{Scenario: o.Scenario}).With, Causes, func(string, float64) {})
	if a == nil || a.Exposed == nil {
		return ""
	}
	makespan := o.Result.Makespan().Seconds()
	if *a.Exposed < report.Flat*makespan {
		return fmt.Sprintf("At %s computation holds it: communication exposes %s of %s", at, one(max(0, *a.Exposed)), one(makespan))
	}
	if len(a.Without) == 0 || a.Without[0].Saves < leastCause {
		return ""
	}
	c := &a.Without[0]
	return fmt.Sprintf("At %s %s %s of %s: %s", at, costing(o.Result.On, c), one(makespan-c.Makespan), one(makespan), c.Flags())
}

// TakeNumbers takes all numbers of a run, and of what communication costs it.
func TakeNumbers(o *outcomes.Outcome) (points.Numbers, error) { return points.NumbersOf(Record(o)) }
