package stragglers

import (
	"math"
	"testing"

	"overlapsim/sim"
)

// The variation of a job of drawn times is what they were drawn with.
func TestVariation(t *testing.T) {
	const ranks, stages, steps, micros = 24, 2, 60, 8
	for _, want := range [][4]float64{{0.2, 0.05, 0.03, 0.1}, {0, 0.1, 0, 0.02}, {0.1, 0, 0.1, 0}} {
		normal := func(spread float64, id ...uint64) float64 { return spread * sim.NewStream(3, id...).Norm() }
		var rows []row
		for step := range uint64(steps) {
			for dp := range uint64(ranks) {
				for stage := range uint64(stages) {
					for micro := range uint64(micros) {
						for back, kind := range []string{forward, backward} {
							over := 1 + normal(want[0], 0, step, dp, micro) + normal(want[1], 1, step, dp, stage) + normal(want[2], 2, step) +
								normal(want[3], 3, step, dp, stage, micro, uint64(back))
							at := float64(step)*100 + float64(micro)*4 + float64(back)*2
							rows = append(rows, row{dp: int(dp), stage: int(stage), step: int64(step), kind: kind, start: at, seq: int(micro),
								duration: over * float64(1+back)})
						}
					}
				}
			}
		}
		j, err := newJob(rows)
		if err != nil {
			t.Fatal(err)
		}
		v := j.variation()
		for i, got := range []float64{v.MicroBatch, v.GPU, v.Step, v.Rest} {
			if math.Abs(got-want[i]) > 0.012 {
				t.Errorf("%v: %+v", want, *v)
				break
			}
		}
	}
}
