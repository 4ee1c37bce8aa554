package report

import (
	"testing"

	"overlapsim/scenarios/outcomes"
)

// Communication that costs more next to computation than alone is said to do so.
func TestNothingHides(t *testing.T) {
	for want, hidden := range map[string]float64{
		"25 % of the 40.00 µs that communication takes alone: the overlap":                                   10e-6,
		"none: during computation, communication costs that much more than the 40.00 µs that it takes alone": -1e-6,
	} {
		facts := AnswerFacts(1e-3, &outcomes.Answer{Hidden: &hidden, Overlap: new(hidden / 40e-6), Communication: new(40e-6)})
		if len(facts) != 1 || facts[0].Note != want {
			t.Errorf("%g s hidden: %v, want %q", hidden, facts, want)
		}
	}
}
