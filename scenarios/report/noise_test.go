package report

import "testing"

func TestNoise(t *testing.T) {
	for _, c := range []struct {
		x           float64
		noise       *float64
		told, noted string
	}{
		{0.02, nil, "2.0 %", "not known: a reason"},
		{0.02, new(0.0), "2.0 %", "none: the makespan does not depend on the order of what happens at the same moment"},
		{0.0001, new(0.0004), "0.0 %", "none: the makespan does not depend on the order of what happens at the same moment"},
		{0.02, new(0.015), "2.0 %", "1.5 %: the makespan differs by that much in another order of what happens at the same moment"},
		{-0.01, new(0.015), "below the noise of this run (1.5 %)",
			"1.5 %: the makespan differs by that much in another order of what happens at the same moment"},
	} {
		if got := told(c.x, c.noise); got != c.told {
			t.Errorf("%g is told as %q, want %q", c.x, got, c.told)
		}
		if got := NoiseNote(c.noise, "a reason"); got != c.noted {
			t.Errorf("noted as %q, want %q", got, c.noted)
		}
	}
}
