package scenarios

import (
	"math"
	"testing"

	"overlapsim/nodes"
	"overlapsim/sim/must"
)

// A step of GPT on one H100 whose kernels were traced takes as long as was measured without the profiler, within 5 %. The rates of the
// machine, which nothing of this trace was used for, are near those of its products and its attention.
func TestTracedGPT(t *testing.T) {
	study := must.Get(studyText(`
machine: dgx-h100
ranks: 1
workload: {name: transformer, layers: 16, hidden: 2048, heads: 16, sequence: 2048, vocabulary: 32000, flash: true, micro_batch: 4,
  traced: ../workloads/training/testdata/gpt-h100.json.gz, measured_ranks: 1}
`, nil))(t)
	o := must.Get(study.Runs[0].Run(nodes.Options{}))(t)
	const measured = 93.2e-3
	if got := o.Result.Makespan().Seconds(); math.Abs(got/measured-1) > 0.05 {
		t.Errorf("a step takes %g s, measured %g", got, measured)
	}
	for _, p := range o.Result.Scaled.Parts[:2] {
		t.Logf("%s: measured %.4g s, model %.4g s", p.Name, *p.Measured, *p.Model)
		if math.Abs(p.Factor-1) > 0.05 {
			t.Errorf("%s take %.3g times as long as the model says", p.Name, p.Factor)
		}
	}
}
