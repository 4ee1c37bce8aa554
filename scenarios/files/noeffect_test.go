package files

import (
	"slices"
	"testing"
)

// The use that every key of a scenario and of a machine declares is understood.
func TestUsesOfKeys(t *testing.T) {
	tables, idle := Tables(), 0
	for _, row := range slices.Concat(tables.Scenario, tables.Machine, tables.Runtime) {
		if of, _ := idleOf(row); of != nil {
			idle++
		}
	}
	if idle < 60 {
		t.Errorf("only %d keys say when they cannot act", idle)
	}
}
