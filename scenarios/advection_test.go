package scenarios

import (
	"testing"

	"overlapsim/nodes"
)

// docs/validation/papers/smt.md: the gain of ASYM falls with the size of the space, and jumps up where faces are
// sent by rendezvous; without a rendezvous it continues to fall. ASYM loses most if the kernel
// works on a CPU that computes.
func TestGainOfASYM(t *testing.T) {
	total := func(run string, settings []string) float64 {
		s, err := Load("advection-sizes", settings)
		if err != nil {
			t.Fatal(err)
		}
		if s, err = s.Only(run); err != nil {
			t.Fatal(err)
		}
		o, err := s.Runs[0].Run(nodes.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return o.Result.Makespan().Seconds()
	}
	gain := func(size string, settings ...string) float64 {
		return 1 - total("ASYM 32 of "+size, settings)/total("STD 16 of "+size, settings)
	}
	const eager = "machine.runtime.rendezvous.threshold=1GB"
	before, at, after := gain("240"), gain("256"), gain("256", eager)
	if !(after < before && before < at-0.02) {
		t.Errorf("gains %.3f, %.3f by rendezvous, %.3f without", before, at, after)
	}
	kernel := func(on string) float64 {
		return gain("192", "machine.copying.protocols=1.5ns/B", "machine.copying.receive=2.66ns/B", "machine.copying.served_by="+on)
	}
	if computes, communicates := kernel("0"), kernel("1"); computes > communicates-0.03 {
		t.Errorf("gains %.3f where the computing context serves, %.3f where the communicating one does", computes, communicates)
	}
}
