package optimize

import "testing"

// A makespan has shares of resources. A part of it, of which computation is taken off, has amounts.
func TestShareOfResult(t *testing.T) {
	for _, test := range []struct {
		minimize  string
		resources map[string]float64
		rest      float64
		want      string
	}{
		{"makespan_s", map[string]float64{"compute": 60e-6, "L": 39.9e-6, "g": 0.1e-6}, 0, "60.0 % compute, 39.9 % latency"},
		{"answer.exposed_s", map[string]float64{"compute": -50e-6, "links": 140e-6}, 10e-6, "link time +140.0 µs, compute -50.00 µs, none of these +10.00 µs"},
	} {
		s := &Study{Minimize: test.minimize}
		if got := s.share(&Reason{Result: 100e-6, Resources: test.resources, Rest: test.rest}); got != test.want {
			t.Errorf("%s: %q, not %q", test.minimize, got, test.want)
		}
	}
}
