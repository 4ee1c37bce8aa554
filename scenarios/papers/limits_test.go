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
