package scenarios

import (
	"fmt"
	"math"
	"testing"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/sim/must"
)

// A measured step says how much longer kernels and launches take on the machine, and with the program, that were measured. That factor holds for
// what is changed afterwards. One GPU does nothing else, so its step takes the factor times what the model says of the changed one.
func TestMeasuredStepOfChanges(t *testing.T) {
	const text = "machine: dgx-h100\nranks: 1\nworkload: {name: transformer, layers: 4, hidden: 4096, heads: 32, flash: true, recompute: selective, global_batch: 4}\n"
	step := func(settings ...string) *results.Result {
		t.Helper()
		f := must.Get(Read("x.yaml", []byte(text), settings))(t)
		return must.Get(f.Runs[0].Run(nodes.Options{}))(t).Result
	}
	const factor = 4.0 // slower than any of these machines at its peak
	measured := []string{fmt.Sprintf("workload.measured_step=%dps", int64(factor*float64(step().Makespan()))), "workload.measured_ranks=1"}
	for _, change := range []string{"machine=dgx-a100", "machine=gb200-nvl72", "machine.gpu.memory_bandwidth=x2", "machine.gpu_kernels.products=0.4",
		"workload.recompute=full", "workload.micro_batch=4", "workload.sequence=4096", "machine.gpu_kernels.launch=x3"} {
		model := step(change).Makespan()
		after, before := step(append(measured, change)...), step(append([]string{change}, measured...)...)
		if got := after.Makespan(); math.Abs(float64(got)/float64(model)-factor) > 1e-4 {
			t.Errorf("%s: %v, want %g times the %v of the model", change, got, factor, model)
		}
		if want := factor * step().Makespan().Seconds(); math.Abs(before.Makespan().Seconds()/want-1) > 1e-4 { // it was measured with the change
			t.Errorf("%s, then measured: %v, want %g s", change, before.Makespan(), want)
		}
	}
	if s := step(append(measured, "machine=dgx-a100")...).Scaled; s.Machine != "dgx-h100" || math.Abs(s.Parts[0].Factor-factor) > 1e-4 {
		t.Errorf("%+v", s)
	}
}
