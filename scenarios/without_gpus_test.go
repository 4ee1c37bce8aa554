package scenarios

import (
	"errors"
	"strings"
	"testing"

	"overlapsim/nodes"
	"overlapsim/nodes/without"
	"overlapsim/sim"
)

// onGPUs are small workloads on GPUs.
var onGPUs = map[string]string{
	"collective": "machine: dgx-a100\nranks: 8\nworkload: {name: gpu-collective, bytes: 64MiB, skew: 80us}\n",
	"messages":   "machine: dgx-a100\nranks: 8\nworkload: {name: gpu-collective, bytes: 32MiB, by: messages}\n",
	"experts":    "machine: dgx-h100\nranks: 8\nworkload: {name: expert-exchange, experts: 64}\n",
	"ddp":        "machine: dgx-a100\nranks: 16\nworkload: {name: ddp, spread: 0.1}\n",
	"product":    "machine: dgx-h100\nranks: 8\nworkload: {name: gemm-collective, how: pieces}\n",
	"fused":      "machine: dgx-h100\nranks: 8\nworkload: {name: gemm-collective, how: fused}\n",
	"halo":       "machine: dgx-h100\nranks: 16\nworkload: {name: halo-gpus, cells: 128, steps: 3, overlap: true}\n",
	"update":     "machine: dgx-a100\nranks: 8\nworkload: {name: gradient-update, numbers: 67108864, fused: true}\n",
	"pipeline":   "machine: dgx-a100\nranks: 16\nworkload: {name: transformer, layers: 8, tp: 2, pp: 4, global_batch: 16, bucket: 25MB}\n",
	"mixture":    "machine: dgx-h100\nranks: 8\nworkload: {name: transformer, layers: 2, ep: 4, experts: 8, expert_skew: 1.5, global_batch: 16}\n",
	"fsdp":       "machine: dgx-h100\nranks: 16\nworkload: {name: transformer, layers: 6, zero: 3}\n",
	"graph": `
machine: dgx-a100
ranks: 2
workload:
  name: graph
  operations:
    - {name: a, time: 1ms, gpus: [0]}
    - {name: b, time: 3ms, gpus: [1]}
    - {name: sum, collective: all-reduce, bytes: 64MiB}
    - {name: c, time: 2ms, after: [sum]}
`,
}

// without runs a text without causes; ok: none is refused.
func withoutOf(t *testing.T, text, causes string) (makespan sim.Time, ok bool) {
	t.Helper()
	study, err := studyText(text, []string{"without=[" + causes + "]"})
	if err != nil {
		return 0, false
	}
	o, err := study.Runs[0].Run(nodes.Options{})
	if err != nil {
		var wrong *nodes.Mistake
		if !errors.As(err, &wrong) && !strings.Contains(err.Error(), "cannot be taken away") {
			t.Fatal(causes, err)
		}
		return 0, false
	}
	return o.Result.Makespan(), true
}

// settings that do what the absence of a cause does, as far as a workload has them.
func TestWithoutOnGPUsAsSet(t *testing.T) {
	trace := "machine: dgx-a100\nranks: 2\nworkload: {name: gpu-trace, file: \"../workloads/gputrace/testdata/sampled_rank-*.json.gz\"}\n"
	chakra := "machine: dgx-a100\nranks: 4\nworkload: {name: chakra-trace, file: \"../workloads/chakra/testdata/all_reduce.*.et\"}\n"
	for _, c := range []struct{ name, text, without, set string }{
		{"ddp", onGPUs["ddp"], "imbalance", "workload.spread=0"},
		{"mixture", onGPUs["mixture"], "imbalance", "workload.expert_skew=1"},
		{"trace", trace, "launches", "workload.host=0"},
		{"trace", trace, "noise", "workload.pauses=0"},
		{"trace", trace, "launches, noise, communication", "workload.host=0 workload.pauses=0 workload.communication=0"},
		{"chakra", chakra, "communication", "workload.communication=0"},
		{"product", onGPUs["product"], "launches", "machine.gpu_kernels.launch=0s machine.gpu_kernels.join=0s"},
		{"pipeline", onGPUs["pipeline"], "launches", "machine.gpu_kernels.launch=0s machine.gpu_kernels.join=0s"},
	} {
		study, err := studyText(c.text, strings.Fields(c.set))
		if err != nil {
			t.Fatal(c.name, err)
		}
		o, err := study.Runs[0].Run(nodes.Options{})
		if err != nil {
			t.Fatal(c.name, err)
		}
		if got, ok := withoutOf(t, c.text, c.without); !ok || got != o.Result.Makespan() {
			t.Errorf("%s takes %v without %s, and %v with %s", c.name, got, c.without, o.Result.Makespan(), c.set)
		}
	}
}

// One operation consists of its latency and its bytes, and begins when the last GPU has come.
func TestWithoutPartsOfAnOperation(t *testing.T) {
	chakra := "machine: dgx-a100\nranks: 4\nworkload: {name: chakra-trace, file: \"../workloads/chakra/testdata/all_reduce.*.et\"}\n"
	for name, text := range map[string]string{"collective": onGPUs["collective"], "experts": onGPUs["experts"], "chakra": chakra} {
		takes := func(causes string) sim.Time {
			m, ok := withoutOf(t, text, causes)
			if !ok {
				t.Fatalf("%s does not run without %s", name, causes)
			}
			return m
		}
		whole, alone, comes := takes(""), takes("computation"), takes("communication")
		if whole != alone+comes || alone != whole-takes("latency")+whole-takes("bandwidth") || takes("latency, bandwidth") != comes {
			t.Errorf("%s takes %v: without latency %v, without bandwidth %v, without communication %v, without computation %v", name, whole,
				takes("latency"), takes("bandwidth"), comes, alone)
		}
		if comes > 0 && takes("imbalance") != whole-comes/2 { // from 0 to skew, one after the other
			t.Errorf("%s takes %v without imbalance, and %v with it", name, takes("imbalance"), whole)
		}
	}
	for _, cause := range []string{"latency", "bandwidth"} {
		by, _ := withoutOf(t, onGPUs["messages"], cause)
		formula, _ := withoutOf(t, strings.Replace(onGPUs["messages"], "by: messages", "by: formula", 1), cause)
		if d := float64(by-formula) / float64(formula); d > 1e-3 || d < -1e-3 {
			t.Errorf("without %s message by message %v, by the formula %v", cause, by, formula)
		}
	}
}

// No cause makes these runs slower, and without communication and computation nothing takes time.
func TestWithoutOnGPUs(t *testing.T) {
	for name, text := range onGPUs {
		whole, ok := withoutOf(t, text, "")
		if !ok {
			t.Fatal(name)
		}
		for _, c := range without.Causes {
			if m, ok := withoutOf(t, text, c.Name); ok && m > whole {
				t.Errorf("%s takes %v, and %v without %s", name, whole, m, c.Name)
			}
		}
		if m, _ := withoutOf(t, text, "communication, computation"); m != 0 {
			t.Errorf("%s takes %v without communication and computation", name, m)
		}
		if m, ok := withoutOf(t, text+"ties: 5\n", ""); ok && (m < whole-whole/1000 || m > whole+whole/1000) {
			t.Errorf("%s takes %v, and %v with other ties", name, whole, m)
		}
	}
}
