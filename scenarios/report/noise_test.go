package report

import "testing"

func TestNoise(t *testing.T) {
	for _, c := range []struct {
		x     float64
		noise *float64
		told  string
	}{
		{0.02, nil, "2.0 %"},
		{0.02, new(0.0), "2.0 %"},
		{0.0001, new(0.0004), "0.0 %"},
		{0.02, new(0.015), "2.0 %"},
		{-0.01, new(0.015), "below the noise of this run (1.5 %)"},
	} {
		if got := told(c.x, c.noise); got != c.told {
			t.Errorf("%g is told as %q, want %q", c.x, got, c.told)
		}
	}
}
