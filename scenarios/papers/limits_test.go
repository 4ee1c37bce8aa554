package papers

import "testing"

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		kind Judged
		off  float64
		want string
	}{
		{Value, 7.48, "± 7.48"}, {Value, 0, "exact"}, {Least, 0, "at least"}, {Least, 0.05, "at least − 0.05"}, {Most, 0.1, "at most + 0.1"},
		{Band, 0, "to 0.4"}, {Band, 0.1, "to 0.4 ± 0.1"},
	} {
		v := &Verdict{Claim: &Claim{Judged: c.kind, Upper: 0.4, Tolerance: c.off}}
		if got := v.limits(); got != c.want {
			t.Errorf("%v, %g: %q, want %q", c.kind, c.off, got, c.want)
		}
	}
}

// A value within a tenth of the tolerance of a limit is at its edge, on either side; true and false have no edge.
func TestAtEdge(t *testing.T) {
	for _, c := range []struct {
		kind Judged
		off  float64
		x    float64
		want bool
	}{
		{Value, 0.05, 0.3, false}, {Value, 0.05, 0.346, true}, {Value, 0.05, 0.354, true}, {Value, 0.05, 0.356, false}, {Value, 0, 0.3, false},
		{Value, 0.05, 0.254, true}, {Least, 0.1, 0.205, true}, {Least, 0.1, 0.215, false}, {Least, 0.1, 0.195, true}, {Least, 0.1, 0.5, false},
		{Most, 0.1, 0.395, true}, {Most, 0.1, 0.3, false}, {Band, 0.1, 0.495, true}, {Band, 0.1, 0.205, true}, {Band, 0.1, 0.35, false},
		{Truth, 0, 1, false}, {Truth, 0, 0, false}, {Withheld, 0, 0.3, false},
	} {
		if got := (&Claim{Judged: c.kind, Published: 0.3, Upper: 0.4, Tolerance: c.off}).AtEdge(c.x); got != c.want {
			t.Errorf("%v, %g: %t for %g", c.kind, c.off, got, c.x)
		}
	}
}
