package sweep

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"overlapsim/sim/must"
)

// BenchmarkPoints runs points that hardly simulate anything, to measure the other costs
// of a point, from the lock to the result on disk.
func BenchmarkPoints(b *testing.B) {
	scenario := filepath.Join(b.TempDir(), "tiny.yaml")
	must.Do(b, os.WriteFile(scenario, []byte("machine: jacquard\nworkload: {name: token-ring}\nranks: 4\n"), 0o666))
	const points = 1000
	plan, err := New(Request{Scenario: scenario, Vary: []string{"workload.bytes=1B..1000B:1000"}, Design: "grid"})
	if err != nil || len(plan.Points) != points {
		b.Fatal(len(plan.Points), err)
	}
	for b.Loop() {
		d := must.Get(Create(b.TempDir(), plan))(b)
		notes := must.Get(os.Create(filepath.Join(b.TempDir(), "notes")))(b)
		must.Do(b, serve(d.Path, "benchmark", Part{}, notes))
		if s, err := d.status(); s != (Status{Done: points, Total: points}) || err != nil {
			b.Fatalf("%+v, %v", s, err)
		}
		must.Do(b, errors.Join(notes.Close(), d.Close()))
	}
	b.ReportMetric(points*float64(b.N)/b.Elapsed().Seconds(), "points/s")
}
