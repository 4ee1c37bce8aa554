package answer

import (
	"testing"

	"overlapsim/scenarios/report"
)

// A page knows for every cause which waits it may be the reason of.
func TestWaitsOfCauses(t *testing.T) {
	for _, all := range causes {
		for _, c := range all {
			if len(report.WaitsOf(c.name)) == 0 {
				t.Errorf("no wait is of %s", c.name)
			}
		}
	}
	if both, one := report.WaitsOf("latency"+and+"bandwidth"), report.WaitsOf("latency"); len(both) <= len(one) {
		t.Errorf("two causes have %v, one of them has %v", both, one)
	}
}
