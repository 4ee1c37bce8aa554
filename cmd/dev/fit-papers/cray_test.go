package main

import (
	"math"
	"testing"

	"overlapsim/sim/must"
)

// The factors of the search are those of the calibration that is written.
func TestLookupIsTheCalibration(t *testing.T) {
	f := newCrayFit()
	tables := f.machine(f.start())
	l := newLookup(&tables)
	m := must.Get(tables.Calibrated())(t)
	for _, p := range processes {
		for d := 1; d <= p/2; d *= 2 {
			if got, want := l.Maximum(p, d), m.Maximum(p, d); math.Abs(got-want) > 1e-5*want {
				t.Errorf("C_max(%d, %d) = %g, want %g", p, d, got, want)
			}
			if got, want := l.Average(d), m.Average(d); math.Abs(got-want) > 1e-5*want {
				t.Errorf("C_avg(%d) = %g, want %g", d, got, want)
			}
		}
	}
}

// The priors of the factors at the start of the search, which is monotonic, demand only
// smoothness; a fall is detected.
func TestPriors(t *testing.T) {
	f := newCrayFit()
	x := f.start()
	for _, p := range f.priors {
		if r := p.residual(x); p.least && r != 0 || math.Abs(r) > 3 {
			t.Errorf("%+v: %g at the start", p, r)
		}
	}
	x[3] -= 1 // C_avg(8)
	worst := 0.0
	for _, p := range f.priors {
		worst = min(worst, p.residual(x))
	}
	if worst > -10 {
		t.Errorf("a fall of C_avg costs %g", worst)
	}
}
