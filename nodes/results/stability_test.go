package results

import (
	"math"
	"testing"
)

// Derivatives are stable within both limits, and otherwise not.
func TestStable(t *testing.T) {
	for _, c := range []struct {
		amplification, rounding float64
		stable                  bool
	}{
		{1, 0, true}, {mostAmplified, mostRounded, true}, {math.Nextafter(mostAmplified, 20), 0, false},
		{1, math.Nextafter(mostRounded, 1), false},
		{math.Inf(1), 0, false}, {math.NaN(), 0, false}, {1, math.NaN(), false}, {1, math.Inf(1), false},
	} {
		s := Stability{Amplification: c.amplification, Rounding: c.rounding}
		if s.Stable() != c.stable || (s.Reason() == "") != c.stable {
			t.Errorf("%+v: stable %v, %q", s, s.Stable(), s.Reason())
		}
		var r Result
		r.Derive([]Slope{{Parameter: "network.gap", Value: 2, Elasticity: 1e99, Derivative: 1e99, Time: 1e99}}, s)
		if kept := len(r.Slopes) == 1 && r.Unstable == nil; kept != c.stable {
			t.Errorf("%+v: slopes %v, unstable %v", s, r.Slopes, r.Unstable)
		}
		if !c.stable && (len(r.Unstable) != 1 || r.Unstable[0] != Slope{Parameter: "network.gap", Value: 2}) {
			t.Errorf("%+v: of unstable derivatives is left %v", s, r.Unstable)
		}
	}
}
