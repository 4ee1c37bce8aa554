package sweep

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkPoints runs points that hardly simulate anything, to measure the other costs
// of a point, from the lock to the result on disk.
func BenchmarkPoints(b *testing.B) {
	scenario := filepath.Join(b.TempDir(), "tiny.yaml")
	if err := os.WriteFile(scenario, []byte("machine: jacquard\nworkload: {name: token-ring}\nranks: 4\n"), 0o666); err != nil {
		b.Fatal(err)
	}
	const points = 1000
	plan, err := New(Request{Scenario: scenario, Vary: []string{"workload.bytes=1B..1000B:1000"}, Design: "grid"})
	if err != nil || len(plan.Points) != points {
		b.Fatal(len(plan.Points), err)
	}
	for b.Loop() {
		d, err := Create(b.TempDir(), plan)
		if err != nil {
			b.Fatal(err)
		}
		notes, err := os.Create(filepath.Join(b.TempDir(), "notes"))
		if err != nil {
			b.Fatal(err)
		}
		if err := serve(d.Path, "benchmark", Part{}, notes); err != nil {
			b.Fatal(err)
		}
		if s, err := d.status(); s != (Status{Done: points, Total: points}) || err != nil {
			b.Fatalf("%+v, %v", s, err)
		}
		if err := errors.Join(notes.Close(), d.Close()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(points*float64(b.N)/b.Elapsed().Seconds(), "points/s")
}
