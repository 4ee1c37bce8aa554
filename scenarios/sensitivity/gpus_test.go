package sensitivity

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/sim/must"
)

// onGPUs returns the elasticities of a scenario by key.
func onGPUs(t *testing.T, text string) (Keys, map[string]float64) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "step.yaml")
	must.Do(t, os.WriteFile(file, []byte(text), 0o600))
	load := func(more []string) (*scenarios.Scenario, error) { return scenarios.LoadRun(file, 0, more) }
	s := must.Get(load(nil))(t)
	o := must.Get(s.Run(nodes.Options{}))(t)
	all, by := OnGPUs(o, load, func(string) {}, nil), map[string]float64{}
	for i, c := range all.Changes {
		by[c.Path] = c.Elasticity
		if i > 0 && math.Abs(c.Elasticity) > math.Abs(all.Changes[i-1].Elasticity) {
			t.Errorf("%s stands below a smaller elasticity", c.Path)
		}
	}
	return all, by
}

// A step, or a trace, of which all times are twice as long, and all rates half as large, takes twice as long: elasticities of times, and those of rates with the
// other sign, add up to 1 (Euler), except for what NCCL's tables say and for what differences are next to derivatives.
func TestElasticitiesOfAStepAddUp(t *testing.T) {
	trace := must.Get(filepath.Abs("../../workloads/gputrace/testdata/sampled_rank-0.json.gz"))(t)
	for text, binds := range map[string]string{`
machine: dgx-a100-megatron
ranks: 16
workload: {name: transformer, layers: 8, hidden: 4096, heads: 32, sequence: 2048, tp: 2, pp: 2, micro_batch: 1, global_batch: 16, bucket: 210MB}
`: "machine.gpu_kernels.products", `
machine: l20
ranks: 8
workload: {name: gpu-collective, bytes: 64MiB}
`: "machine.gpu.pcie.bandwidth", `
machine: dgx-h100
ranks: 16
workload: {name: halo-gpus, cells: 128, synchronise: 0s}
`: "machine.network.latency",
		"machine: dgx-a100\nworkload: {name: gpu-trace, file: " + trace + "}\n": "workload.host"} {
		_, by := onGPUs(t, text)
		sum := 0.0
		for path, e := range by {
			switch {
			case strings.HasSuffix(path, "channels") || strings.HasSuffix(path, "bucket"):
			case e < 0: // a rate
				sum -= e
			default:
				sum += e
			}
		}
		if math.Abs(sum-1) > 0.03 {
			t.Errorf("elasticities add up to %.4f: %v", sum, by)
		}
		if math.Abs(by[binds]) < 0.01 || strings.Contains(text, "bucket") && by["workload.bucket"] == 0 {
			t.Errorf("%v", by)
		}
	}
}

// A large all-reduce takes the time of its bytes on the links, so its elasticity is that of a
// rate, as a difference over a fifth gives it.
func TestElasticityOfLinks(t *testing.T) {
	all, by := onGPUs(t, `
machine: dgx-a100
ranks: 8
workload: {name: gpu-collective, operation: all-reduce, bytes: 64GiB}
`)
	if want := (1/1.1 - 1/0.9) / 0.2; math.Abs(by["machine.gpu_calibration.ring"]-want) > 0.01 {
		t.Errorf("%v, want %.4f of the links", by, want)
	}
	if c := all.Changes[0]; c.Smaller.Value != "x0.9" || c.Smaller.Makespan <= all.Makespan || c.Larger.Makespan >= all.Makespan {
		t.Errorf("%+v, today %g s", c, all.Makespan)
	}
}

// An impossible value, such as more channels than SMs, has no run.
func TestValuesThatAreNotPossible(t *testing.T) {
	all, _ := onGPUs(t, `
machine: {base: dgx-a100-megatron, gpu_calibration: {channels: 108}}
ranks: 8
workload: {name: transformer, layers: 2, hidden: 1024, heads: 16, bucket: 1MB}
`)
	for _, c := range all.Changes {
		if c.Path == "machine.gpu_calibration.channels" {
			if c.Smaller == nil || c.Smaller.Value != "98" || c.Larger != nil {
				t.Errorf("%+v", c)
			}
			return
		}
	}
	t.Errorf("no channels in %v", all)
}
