package scenarios

import (
	"fmt"
	"testing"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// besideGather runs a kernel next to an all-gather of 8 A100 that is long under way, and returns how long it takes.
func besideGather(t *testing.T, kernel string, channels int, without string) sim.Time {
	t.Helper()
	text := fmt.Sprintf(`
machine: dgx-a100
ranks: 8
workload:
  name: graph
  precision: fp16
  streams: [{name: compute}, {name: communication, priority: 1}]
  operations:
    - {name: gather, stream: communication, collective: all-gather, bytes: 4GB, channels: %d}
    - {name: wait, kind: wait, time: 1ms}
    - {name: kernel, kind: kernel, %s}
`, channels, kernel)
	study := must.Get(studyText(text, []string{"without=" + without}))(t)
	o := must.Get(study.Runs[0].Run(nodes.Options{}))(t)
	ledger := o.Result.Ledgers[0][len(o.Result.Phases)-1]
	return ledger[results.Compute] + ledger[results.Interference]
}

// Kernels next to an all-gather lose SMs by channel, and memory by what moves: NVIDIA/nccl issue 1428 measured 1.76 to 2.5 times the time
// of three kernels. One channel costs hardly anything.
func TestBesideAllGather(t *testing.T) {
	for _, c := range []struct {
		kernel     string
		most       float64 // next to one channel
		least, all float64 // next to 24 channels
	}{
		{"bytes: 37MB", 1.05, 1.35, 2.5}, {"bytes: 331MB", 1.05, 1.4, 1.83}, {"product: [8192, 5120, 3072]", 1.02, 108.0 / 84, 1.76},
	} {
		alone := besideGather(t, c.kernel, 24, "communication")
		one := float64(besideGather(t, c.kernel, 1, "none")) / float64(alone)
		many := float64(besideGather(t, c.kernel, 24, "none")) / float64(alone)
		t.Logf("%s: alone %v, beside 1 channel %.3f times, 24 channels %.3f times", c.kernel, alone, one, many)
		if one < 1 || one > c.most || many < c.least || many > c.all {
			t.Errorf("%s: alone %v, beside 1 channel %.3f times, 24 channels %.3f times", c.kernel, alone, one, many)
		}
	}
}
