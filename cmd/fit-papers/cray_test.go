package main

import (
	"math"
	"testing"
)

// The factors of the search are those of the calibration that is written.
func TestLookupIsTheCalibration(t *testing.T) {
	f := newCrayFit()
	tables := f.machine(f.start())
	l := newLookup(&tables)
	m, err := tables.Calibrated()
	if err != nil {
		t.Fatal(err)
	}
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
