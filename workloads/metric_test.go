package workloads

import "testing"

func TestMetricLabel(t *testing.T) {
	for _, c := range []struct{ name, words, unit string }{
		{"comm_init_s", "comm init", "s"},
		{"avg_us", "avg", "us"},
		{"bandwidth_MiBps", "bandwidth", "MiB/s"},
		{"message_bytes", "message bytes", "B"},
		{"grid_x", "grid x", ""},
		{"_s", " s", ""},
	} {
		if words, unit := (Metric{Name: c.name}).Label(); words != c.words || unit != c.unit {
			t.Errorf("%s: %q in %q, want %q in %q", c.name, words, unit, c.words, c.unit)
		}
	}
}
