package main

import (
	"math"
	"testing"
)

// One place of the study's map: without a slow-down a helper thread pays, by at most the
// library's work; with a slow-down of 2 it does not.
func TestBreakEven(t *testing.T) {
	p := tcp("TCP, 10 Gb/s", 0.8)
	last := 1.0
	for _, f := range []float64{1, 1.5, 2} {
		gain, err := p.run(64<<10, f)
		if err != nil {
			t.Fatal(err)
		}
		if gain >= last {
			t.Errorf("slow-down %g: gain %g, %g at a smaller one", f, gain, last)
		}
		last = gain
		if f == 1 && (gain < 0.1 || gain > 0.5) || f == 2 && gain > 0 {
			t.Errorf("slow-down %g: gain %g", f, gain)
		}
	}
}

// The line is between the middles of the cells around it, and ends at the edges of the map.
func TestHeight(t *testing.T) {
	for f, want := range map[float64]float64{0: -0.5, slow[0]: 0, (slow[0] + slow[1]) / 2: 0.5, 2: 5, beyond: 5.5} {
		if got := height(f); math.Abs(got-want) > 1e-9 {
			t.Errorf("%g is at %g, want %g", f, got, want)
		}
	}
}
