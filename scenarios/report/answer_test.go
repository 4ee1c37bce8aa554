package report

import (
	"fmt"
	"strings"
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

// What is below the noise of a run has no digits in seconds or as a share, and a noise that is not known is said.
func TestFactsBelowNoise(t *testing.T) {
	said := func(exposed, hidden float64, noise *float64, why string) string {
		var text strings.Builder
		for _, f := range AnswerFacts(1e-3, &outcomes.Answer{Exposed: &exposed, Computation: new(1e-3 - exposed), Hidden: &hidden,
			Overlap: new(hidden / (hidden + exposed)), Communication: new(hidden + exposed), Noise: noise, NoNoise: why}) {
			fmt.Fprintf(&text, "%s: %s; %s\n", f.Name, f.Value, f.Note)
		}
		return text.String()
	}
	const exposed = "exposed: 100.0 µs; 10 %: makespan less the 900.0 µs without communication\n"
	const noise = "noise: 20 %; of the makespan depends on the order of what happens at the same moment\n"
	for want, got := range map[string]string{
		exposed + "hidden: 300.0 µs; 75 % of the 400.0 µs that communication takes alone: the overlap\nnoise: not known; too long\n": said(1e-4, 3e-4, nil, "too long"),
		"exposed: below noise; makespan less the 900.0 µs without communication\n" +
			"hidden: 300.0 µs; 75 % of the 400.0 µs that communication takes alone: the overlap\n" + noise: said(1e-4, 3e-4, new(0.2), ""),
		"exposed: 300.0 µs; 30 %: makespan less the 700.0 µs without communication\n" +
			"hidden: below noise; of the 400.0 µs that communication takes alone: the overlap\n" + noise: said(3e-4, 1e-4, new(0.2), ""),
		"exposed: 400.0 µs; 40 %: makespan less the 600.0 µs without communication\n" +
			"hidden: none; of the 401.0 µs that communication takes alone: the overlap\n" + strings.Replace(noise, "20", "0.2", 1): said(4e-4, 1e-6,
			new(0.002), ""),
		"exposed: 410.0 µs; 41 %: makespan less the 590.0 µs without communication\n" +
			"hidden: 1.000 µs; 0.2 % of the 411.0 µs that communication takes alone: the overlap\n": said(4.1e-4, 1e-6, new(0.0004), ""),
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
