package scenarios

import (
	"fmt"
	"testing"

	"overlapsim/nodes"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim/must"
)

// The sixteen programs of dense linear algebra send the same messages on every fabric,
// and no run is shorter than its computation.
func TestDenseOnEveryFabric(t *testing.T) {
	must.Long(t)
	for _, name := range []string{"cannon", "summa", "trsm", "cholesky"} {
		for _, layers := range []int{1, 4} {
			for _, overlap := range []bool{false, true} {
				ranks := 64
				if overlap && name != "cannon" {
					ranks *= 2
				}
				var messages uint64
				var bytes int64
				for _, fabric := range []string{"{kind: ideal}", "{kind: calibrated, calibration: hopper-models}", "{kind: flow}"} {
					what := fmt.Sprintf("%s in %d layers, overlap %v, on %s", name, layers, overlap, fabric)
					o := runScenario(t, what, "dense-hopper", "workload.name="+name, "workload.size=4096", fmt.Sprint("workload.layers=", layers),
						fmt.Sprint("workload.overlap=", overlap), fmt.Sprint("ranks=", ranks), "fabric="+fabric)
					if messages != 0 && (o.Result.Messages != messages || o.Result.Bytes != bytes) {
						t.Errorf("%s: %d messages of %d bytes, want %d of %d", what, o.Result.Messages, o.Result.Bytes, messages, bytes)
					}
					messages, bytes = o.Result.Messages, o.Result.Bytes
					m := map[string]float64{}
					for _, metric := range o.Metrics {
						m[metric.Name] = metric.Value
					}
					if !(m["computation_s"] > 0 && m["total_s"] >= m["computation_s"] && m["percent_of_peak"] < 100) {
						t.Errorf("%s: %v", what, m)
					}
				}
			}
		}
	}
}

func runScenario(t *testing.T, what, name string, settings ...string) *outcomes.Outcome {
	t.Helper()
	study, err := Load(name, settings)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	o, err := study.Runs[0].Run(nodes.Options{})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	return o
}
