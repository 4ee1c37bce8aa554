package main

import (
	"math"
	"strings"
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

// The line is between the middles of the cells around it.
func TestDraw(t *testing.T) {
	m := gainMap{name: "a", gain: make([][]float64, len(slow)), breakEven: make([]float64, len(sizes))}
	for i := range m.gain {
		m.gain[i] = make([]float64, len(sizes))
	}
	if got, want := m.height(slow[0]), float64(m.row(0))+cell/2; got != want {
		t.Errorf("%g, want %g", got, want)
	}
	if got, want := m.height((slow[0]+slow[1])/2), float64(m.row(0)); math.Abs(got-want) > 1e-9 {
		t.Errorf("%g, want %g", got, want)
	}
	if got := m.height(beyond); got != top {
		t.Errorf("beyond the map at %g", got)
	}
	if svg := draw([]gainMap{m, m}); strings.Count(svg, "<polyline") != 2 || strings.Count(svg, "<rect") != 1+2*len(slow)*len(sizes) {
		t.Error("cells or lines are missing")
	}
}
