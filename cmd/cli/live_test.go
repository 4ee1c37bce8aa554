package cli

import "overlapsim/scenarios/live/compiled"

// Pages of these tests have a simulator that does not start: package scenarios/live tests the one that does, which takes long to compile.
func init() {
	simulatorThere = func() error { return nil }
	loadSimulator = func(func()) (*compiled.Program, error) {
		return &compiled.Program{Packed: []byte("none"), Support: "'none'"}, nil
	}
}
