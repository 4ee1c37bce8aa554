package results

import "testing"

// Every part has a name of its own.
func TestPartNames(t *testing.T) {
	of := map[string]Part{}
	for p := range NumParts {
		if other, known := of[p.String()]; known || p.String() == "" {
			t.Errorf("parts %d and %d are both called %q", other, p, p)
		}
		of[p.String()] = p
	}
}
