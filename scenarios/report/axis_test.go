package report

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Round values are inside the axis, ascend, and stand apart.
func TestTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low, log, bytes := rapid.Float64Range(1e-9, 1e9).Draw(t, "low"), rapid.Bool().Draw(t, "log"), rapid.Bool().Draw(t, "bytes")
		high := low * rapid.Float64Range(1.001, 1e6).Draw(t, "times")
		part := func(v float64) float64 {
			if log {
				return math.Log(v/low) / math.Log(high/low)
			}
			return (v - low) / (high - low)
		}
		all := Ticks(low, high, log, bytes, 12)
		if len(all) > 13 || !log && len(all) < 2 {
			t.Fatalf("%d ticks: %v", len(all), all)
		}
		for i, v := range all {
			if v < low*(1-1e-9) || v > high*(1+1e-9) || i > 0 && part(v)-part(all[i-1]) < 1.0/12-1e-9 {
				t.Fatalf("ticks %v", all)
			}
		}
	})
}
