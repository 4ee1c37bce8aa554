package scenarios

import (
	"reflect"
	"testing"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/scenarios/files"
	"overlapsim/sim/must"
)

// A trace that is replayed with its own times runs alike on other GPUs, and says of each key that it has no effect.
func TestKeysOfRecordedGPUs(t *testing.T) {
	const text = "machine: dgx-a100\nranks: 2\nworkload: {name: gpu-trace, file: \"../workloads/gputrace/testdata/sampled_rank-*.json.gz\"}\n"
	slower := []string{"machine.gpu.sms=x0.5", "machine.gpu.memory_bandwidth=x0.5", "machine.gpu.switch.bandwidth=x0.5", "machine.gpu.nics.bandwidth=x0.1",
		"machine.gpu_calibration.ring=x0.1", "machine.gpu_calibration.start=x2", "machine.gpu_kernels.launch=x2", "machine.gpu_kernels.products=x0.5"}
	run := func(settings ...string) (*results.Result, []files.NoEffect) {
		t.Helper()
		study := must.Get(studyText(text, settings))(t)
		out := must.Get(study.Runs[0].Run(nodes.Options{}))(t)
		return out.Result, out.NoEffect()
	}
	want, none := run()
	if got, all := run(slower...); len(none) > 0 || len(all) != len(slower) || !reflect.DeepEqual(got, want) {
		t.Errorf("no effect of %v, then of %v; %v instead of %v", none, all, got.Makespan(), want.Makespan())
	}
}
