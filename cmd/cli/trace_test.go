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

// Runs side by side say the same of traces of GPUs as a run alone: times by kind are of all steps, and bytes are not said to be 0 if the
// trace does not say them.
func TestComparedTracesOfGPUs(t *testing.T) {
	inFolder(t)
	unsized := strings.ReplaceAll(smallKineto, `nelems": 1000`, `nelems": 0`)
	marked := `[{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "ts": 0, "dur": 2.5}, {"ph": "X", "cat": "user_annotation", ` +
		`"name": "ProfilerStep#2", "ts": 2.5, "dur": 80}, ` + unsized[1:]
	must.Do(t, os.WriteFile("a.json", []byte(marked), 0o666))
	must.Do(t, os.WriteFile("b.json", []byte(marked), 0o666))
	alone, errs, status := callMain("run", "a.json", "--machine", "dgx-h100", "--no-advice")
	text, more, also := callMain("compare", "a.json", "b.json", "--machine", "dgx-h100")
	if status != done || also != done || !strings.Contains(alone, "2 steps are marked") {
		t.Fatalf("%s%s%s", alone, errs, more)
	}
	for _, row := range [][]string{{"kernel", "41.00", "µs"}, {"collective", "30.00", "µs"}} {
		if !strings.Contains(strings.Join(strings.Fields(alone), " "), strings.Join(row, " ")) {
			t.Errorf("a run alone has no %v:\n%s", row, alone)
		}
	}
	if !strings.Contains(strings.Join(strings.Fields(text), " "), "Time by kind kernel copy fill collective a.json 41.00 µs 0 s 0 s 30.00 µs") ||
		strings.Contains(text, "sent") {
		t.Errorf("side by side:\n%s", text)
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
