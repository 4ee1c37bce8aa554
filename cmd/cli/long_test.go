package cli

import (
	"strings"
	"testing"

	"overlapsim/scenarios"
)

// Many runs on GPUs that will take hours say so, as other runs do.
func TestLongOnGPUs(t *testing.T) {
	study, err := scenarios.Load("gpt-18b", []string{"workload.global_batch=262144"})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	load := func(int) (*scenarios.Scenario, error) { return study.Runs[0], nil }
	if sayLongPoints(&out, "few", 2, 1, load); out.Len() > 0 {
		t.Errorf("few say %s", out.String())
	}
	sayLongPoints(&out, "swept", 1000, 2, load)
	if want := "swept: 1.84e+10 operations may take 2 hours, at 1,200,000 operations/s in each of 2 processes or threads\n"; out.String() != want {
		t.Errorf("many say %q, want %q", out.String(), want)
	}
}
