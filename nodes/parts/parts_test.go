package parts

import (
	"testing"

	"overlapsim/nodes/results"
)

// Every part has its own name.
func TestPartNames(t *testing.T) {
	of := map[string]results.Part{}
	for p := range results.NumParts() {
		if other, known := of[p.String()]; known || p.String() == "" {
			t.Errorf("parts %d and %d are both called %q", other, p, p)
		}
		of[p.String()] = p
	}
}
