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
		w, err := openWorker(d.Path, "benchmark")
		if err != nil {
			b.Fatal(err)
		}
		for i := range points {
			if r := w.answer(i); r.State != ran || r.Failed || r.Error != "" {
				b.Fatalf("%+v", r)
			}
		}
		if err := errors.Join(w.dir.Close(), d.Close()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(points*float64(b.N)/b.Elapsed().Seconds(), "points/s")
}
