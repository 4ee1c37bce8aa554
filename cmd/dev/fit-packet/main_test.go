package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"overlapsim/network/packet/ospri"
)

// The measured contention of 16 KiB: with one loaded dimension, puts get almost their
// fair share; with two and three they fall far below it, while gets reach it. The
// recorded results of the fit are those of this code.
func TestMeasured(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second or more; -short leaves it out")
	}
	s := study{"../../.."}
	rows, err := s.measured()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(s.at("network/packet/fit/rows.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var off []float64
	for _, r := range rows {
		if r.bytes != 16384 {
			continue
		}
		got, err := r.simulate(ospri.BlueGeneP())
		if err != nil {
			t.Fatal(err)
		}
		if line := fmt.Sprintf("%s,%v,16384,%g,%.2f,", r.name(), r.op, r.measured, got); !strings.Contains(string(file), "\n"+line) {
			t.Errorf("the results of the fit lack %s: repeat it", line)
		}
		e := math.Abs(got/r.measured - 1)
		off = append(off, e)
		if e > 0.25 {
			t.Errorf("%v %s: simulated %.1f, measured %v", r.op, r.name(), got, r.measured)
		}
	}
	slices.Sort(off)
	if len(off) != 11 || off[5] > 0.06 {
		t.Errorf("median error %.3f of %d rows, want at most 0.06 of 11", off[len(off)/2], len(off))
	}
}
