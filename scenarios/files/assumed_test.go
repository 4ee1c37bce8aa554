package files

import (
	"math"
	"strings"
	"testing"

	"overlapsim/nodes/machines"
)

// A machine of five numbers runs every program of the library that computes with standard kernels,
// as if it had the rates that the run says were assumed.
func TestAssumedRates(t *testing.T) {
	const five = "machine: {nodes: 64, cores: 8, network: {latency: 2us, send_overhead: 1us, bandwidth: 10GB/s}}\nranks: 16\n"
	for workload, assumed := range map[string][]string{
		"{name: ft-pencils, rows: 64, row_length: 64}": {"fft"},
		"{name: spmv-gather}":                          {"spmv"},
		"{name: cholesky, size: 1024}":                 {"dgemm", "dpotrf", "dtrsm"},
		"{name: halo}":                                 nil,
	} {
		bare := assumedRun(t, five+"workload: "+workload+"\n")
		if len(bare.Assumed) != len(assumed) {
			t.Errorf("%s: assumed %q, want %q", workload, bare.Assumed, assumed)
			continue
		}
		var settings []string
		for i, name := range assumed {
			if !strings.HasPrefix(bare.Assumed[i], "assumed: "+name+" at ") && len(assumed) == 1 {
				t.Errorf("%s: %s", workload, bare.Assumed[i])
			}
			_, setting, _ := strings.Cut(bare.Assumed[i], "--set ")
			settings = append(settings, strings.Fields(setting)[0])
		}
		given := assumedRun(t, five+"workload: "+workload+"\n", settings...)
		if given.Assumed != nil {
			t.Errorf("%s with %q: assumed %q", workload, settings, given.Assumed)
		}
		for _, name := range assumed {
			if a, b := bare.Machine.Kernels[name].At(100), given.Machine.Kernels[name].At(100); math.Abs(2*a-b) > 1e-6*b {
				t.Errorf("%s: %s at %g assumed, %g by the setting, which is of twice the rate", workload, name, a, b)
			}
		}
	}
	if k, _, _ := new(machines.Machine).Assumed("copy"); !k.Bytes {
		t.Error("copy is not counted in bytes")
	}
}

// assumedRun is the only run of a scenario.
func assumedRun(t *testing.T, text string, settings ...string) *Scenario {
	t.Helper()
	f, err := Read("five.yaml", []byte(text), settings)
	if err != nil {
		t.Fatal(text, settings, err)
	}
	return f.Runs[0]
}
