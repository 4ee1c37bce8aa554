package workloads

import (
	"math"
	"slices"
	"testing"
)

// list returns metrics that must all be numbers.
func list(m Metrics) []Metric {
	if out := m.LeftOut(); out != nil {
		panic(out)
	}
	return m.List()
}

func TestMetricsAreNumbers(t *testing.T) {
	m := metrics(Metric{"a", 1}, Metric{"b", math.NaN()}, Metric{"c", math.Inf(1)})
	m.Add("d", math.Inf(-1))
	m.AddOr("e", 2, "never")
	m.AddOr("f", math.NaN(), "nothing to divide by")
	if want := []Metric{{"a", 1}, {"e", 2}}; !slices.Equal(m.List(), want) {
		t.Errorf("metrics %v, want %v", m.List(), want)
	}
	want := []Missing{{"b", "it is not a number"}, {"c", "it is not a number"}, {"d", "it is not a number"}, {"f", "nothing to divide by"}}
	if !slices.Equal(m.LeftOut(), want) {
		t.Errorf("left out %v, want %v", m.LeftOut(), want)
	}
}

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
