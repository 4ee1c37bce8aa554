package inputs

import (
	"slices"
	"testing"
)

// Numbers are in order, equal ones by their texts, and the order is total.
func TestByNumbers(t *testing.T) {
	want := []string{"", "a", "a.2", "a.10", "a.10b", "a2", "a02", "a10", "b1"}
	slices.SortFunc(want[5:7], ByNumbers)
	for i := range want {
		for j := range want {
			if got := ByNumbers(want[i], want[j]); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("%q and %q: %d", want[i], want[j], got)
			}
		}
	}
}
