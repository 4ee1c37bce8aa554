package scenarios

import (
	"math"
	"testing"

	"overlapsim/nodes"
	"overlapsim/sim/must"
)

// Section 7.5 of "Architectural Probes": the procedure returns o and max(o, g) of the
// machine files. Bassi's CPUs also copy 16 bytes out, and 16 bytes in when the other
// processes send.
func TestOverheadAndGapOfMachines(t *testing.T) {
	study := must.Get(Load("overhead-gap", nil))(t)
	for _, s := range study.Runs {
		outcome := must.Get(s.Run(nodes.Options{}))(t)
		tolerance := 1e-9
		if s.Machine.Copying != nil {
			tolerance = 0.005
		}
		n := &s.Machine.Network
		o := n.SendOverhead.Of(16).Seconds()
		for i, want := range []float64{o, max(o, n.Gap.Seconds())} {
			if got := outcome.Metrics[i]; math.Abs(got.Value/want-1) > tolerance {
				t.Errorf("%s: %s is %g, the machine has %g", s.Name, got.Name, got.Value, want)
			}
		}
	}
}
