package answer

import (
	"overlapsim/scenarios"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/points"
)

// Record is what a run gives, with what communication costs it, which takes three more runs at most.
func Record(o *outcomes.Outcome) *outcomes.RunRecord {
	r := o.Record()
	r.Answer = For(o, (&scenarios.Scenario{Scenario: o.Scenario}).With, Exposed, func(string, float64) {})
	return r
}

// TakeNumbers takes all numbers of a run, and of what communication costs it.
func TakeNumbers(o *outcomes.Outcome) (points.Numbers, error) { return points.NumbersOf(Record(o)) }
