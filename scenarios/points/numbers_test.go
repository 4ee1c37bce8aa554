package points

import "testing"

func TestNumbersAt(t *testing.T) {
	r, err := ReadNumbers([]byte(`{"makespan_s": 2, "metrics": {"avg_us": 3.5, "name": "x"}, "ledger": {"overhead_s": 0}}`))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]float64{"makespan_s": 2, "metrics.avg_us": 3.5, "ledger.overhead_s": 0} {
		if got, err := r.At(path); got != want || err != nil {
			t.Errorf("%s: %v, %v", path, got, err)
		}
	}
	for path, want := range map[string]string{
		"metrics.avg_ms": "the run has no number metrics.avg_ms, did you mean metrics.avg_us?",
		"metrics.name":   "the run has no number metrics.name; it has those that run --json prints, such as makespan_s or ledger.overhead_s",
		"avg":            "the run has no number avg, did you mean metrics.avg_us?",
		"overhead_s":     "the run has no number overhead_s, did you mean ledger.overhead_s?",
		"metrics":        "the run has no number metrics, did you mean metrics.avg_us?",
	} {
		if _, err := r.At(path); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}
