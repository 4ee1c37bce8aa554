package cli

import (
	"os"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

// A trace runs in place of a scenario, and next to one; a sweep keeps a copy of it.
func TestTraces(t *testing.T) {
	inFolder(t)
	for _, args := range [][]string{
		{"run", "small.trace", "--machine", "jacquard"},
		{"run", "small.trace", "--machine", "loopback-openmpi", "--gradient"},
		{"compare", "small.trace", "plain.trace", "--set", "machine=bassi"},
		{"run", "small.trace", "--machine", "bassi", "--set", "workload.kernels=ring=spmv:1e6:6.16e9, fft:4096:1e9", "--gradient"},
		{"export", "plain.trace", "--set", "machine=bassi", "--goal", "x.goal"},
		{"sweep", "small.trace", "--vary", "workload.compute_factor=1,2", "--set", "machine=loggp", "--out", "swept"},
	} {
		if _, errs, status := callMain(args...); status != done {
			t.Errorf("%v: status %d, %s", args, status, errs)
		}
	}
	must.Do(t, os.Remove("small.trace"))
	if _, errs, status := callMain("sweep", "swept"); status != done {
		t.Errorf("a sweep without its trace: status %d, %s", status, errs)
	}
}

// Mistakes about traces have their place.
func TestTraceMistakes(t *testing.T) {
	inFolder(t)
	whole := must.Get(os.ReadFile("small.trace"))(t)
	must.Do(t, os.WriteFile("cut.trace", whole[:len(whole)/2], 0o666))
	kernels := func(machine, list string) []string {
		return []string{"small.trace", "--machine", machine, "--set", "workload.kernels=" + list}
	}
	for want, args := range map[string][]string{
		"--set ranks=3: must be the 4 of the trace workload, got 3": {"small.trace", "--machine", "loggp", "--set", "ranks=3"},
		"cut.trace: at byte ":                               {"cut.trace", "--machine", "loggp"},
		"gone.trace: cannot be read":                        {"gone.trace", "--machine", "loggp"},
		"compute_factor=0: must be above 0":                 {"small.trace", "--machine", "loggp", "--set", "workload.compute_factor=0"},
		`the trace has no phase "solve"; it has ring, sums`: {"small.trace", "--machine", "loggp", "--set", "workload.phase_factors=solve=2"},
		"must be a list such as solve=0.5":                  {"small.trace", "--machine", "loggp", "--set", "workload.phase_factors=solve"},
		`such as solve=spmv:1e6:3e9, got "spmv:1"`:          kernels("bassi", "spmv:1"),
		`has no rate for kernel "spmv"`:                     kernels("hopper", "spmv:1e6:3e9"),
		`no phase "solve"; it has ring`:                     kernels("bassi", "solve=spmv:1e6:3e9"),
		`no table of choices is called "x"`:                 {"small.trace", "--machine", "loggp", "--set", "workload.nonblocking=x"},
		"--machine and --set machine are the same":          {"small.trace", "--machine", "loggp", "--set", "machine=bassi"},
	} {
		if _, errs, status := callMain(append([]string{"run"}, args...)...); status == done || !strings.Contains(errs, want) {
			t.Errorf("%v: status %d, %s\nshould have %q", args, status, errs, want)
		}
	}
}
