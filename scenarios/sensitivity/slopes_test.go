package sensitivity

import (
	"math"
	"testing"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim/must"
)

// TestSlopesAreDifferences compares the derivatives of scenarios by every parameter with
// finite differences, also if processes share cores, memories and links, and on a
// calibrated fabric.
func TestSlopesAreDifferences(t *testing.T) {
	must.Long(t)
	compared, bent := 0, 0
	for _, c := range []struct {
		name     string
		scenario string
		run      int
		settings []string
		wanted   []string // parameters that must have slopes
	}{
		{"memory", "spmv-gather-jacquard", 0, nil, []string{"memory.bandwidth", "kernels.spmv.demand", "kernels.spmv.rates"}},
		{"siblings", "advection-xenon", 0, []string{"workload.name=advection-asym", "workload.steps=8", "ranks=32"},
			[]string{"smt.slow_down.stack.fp", "kernels.advection3d.rates"}},
		{"helper thread", "helper-thread", 1, nil, []string{"smt.slow_down.stack.fp", "runtime.progress.cost"}},
		{"links", "hopper-shift", 0, []string{"ranks=96"}, []string{"links.bandwidth"}},
		{"links as the NIC's", "alltoall-dragonfly", 0, []string{"machine=loggp", "machine.nodes=12", "machine.topology={kind: torus, dims: [12]}",
			"ranks=12", "workload.bytes=1MiB"}, []string{files.Both}},
		{"NICs", "ft-slabs-jacquard", 0, []string{"fabric.kind=flow"}, nil},
		{"calibrated", "dense-hopper", 0, []string{"workload.size=4096"}, []string{"network.gap_per_byte", "network.latency"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			study := must.Get(scenarios.Load(c.scenario, c.settings))(t)
			o := must.Get(study.Runs[c.run].Run(nodes.Options{Critical: true}))(t)
			wanted := map[string]bool{}
			for _, w := range c.wanted {
				wanted[w] = true
			}
			for _, s := range o.Slopes() {
				step := 1e-5
				if s.Unit == results.BytePerSecond {
					step = 1e-3 // demands are counted in 10 kB/s
				}
				up, down := times(t, o, s.Parameter, 1+step), times(t, o, s.Parameter, 1-step)
				left, right := (1-down)/step, (up-1)/step
				delete(wanted, s.Parameter)
				t.Logf("%-24s elasticity %9.6f, differences %9.6f %9.6f", s.Parameter, s.Elasticity, left, right)
				switch {
				case s.Value == 0: // a factor does not change it
				case math.Abs(left-right) > 2e-3: // a tie, or an end of the range
					bent++
				case math.Abs(s.Elasticity-(left+right)/2) > 2e-3:
					t.Errorf("%s: elasticity %g, finite differences %g and %g", s.Parameter, s.Elasticity, left, right)
				default:
					compared++
				}
			}
			if len(wanted) > 0 {
				t.Errorf("no derivatives by %v", wanted)
			}
		})
	}
	if bent*5 > compared {
		t.Errorf("%d compared, %d at an end of a range", compared, bent)
	}
}

// times is the ratio of the makespan with a parameter multiplied by the factor to today's
// makespan.
func times(t *testing.T, o *outcomes.Outcome, parameter string, factor float64) float64 {
	t.Helper()
	makespan := must.Get(with(o, parameter, factor))(t)
	return makespan / o.Result.Makespan().Seconds()
}

// A parameter times one gives the same run, also without causes: links that were taken away do not come back.
func TestTimesOneIsTheSameRun(t *testing.T) {
	for _, fabric := range []string{"flow", "backlog"} {
		for _, cause := range []string{"none", "links", "bandwidth", "latency", "communication"} {
			study := must.Get(scenarios.Load("ft-slabs-jacquard", []string{"fabric.kind=" + fabric, "without=" + cause, "topology={kind: torus, dims: [4]}",
				"ranks=8", "workload.rows=64"}))(t)
			o := must.Get(study.Runs[0].Run(nodes.Options{Critical: true}))(t)
			for _, s := range o.Slopes() {
				if one := times(t, o, s.Parameter, 1); one != 1 {
					t.Errorf("%s without %s: %s times one is a run of %g times the makespan", fabric, cause, s.Parameter, one)
				}
			}
		}
	}
}
