package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/limited"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

var forecasts = flag.Bool("forecasts", false, "compare the forecasts of memory and of time with large runs too")

// program returns a command that runs the program in a folder.
func program(t *testing.T, folder string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("overlapsim") // testscript puts it there
	if err != nil {
		self := must.Get(os.Executable())(t)
		path = filepath.Join(t.TempDir(), "overlapsim")
		must.Do(t, os.Symlink(self, path))
	}
	c := limited.Command(t, path, args...)
	c.Dir = folder
	return c
}

// A fault of the program has its own status, and leaves its details in a file.
func TestFault(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var out bytes.Buffer
	fault := faultOf(fmt.Errorf("run: %w", &sim.Panic{In: "rank 3", Value: "queue of -1", Stack: []byte("the stack")}))
	if fault == nil || faultOf(fmt.Errorf("no fault")) != nil {
		t.Fatal("faults are not told from mistakes")
	}
	sayFault(&out, []string{"run", "x.yaml"}, fault)
	kept, _ := filepath.Glob(filepath.Join(os.TempDir(), "overlapsim-fault-*.txt"))
	if len(kept) != 1 {
		t.Fatalf("kept %v", kept)
	}
	want := "overlapsim: a fault of the program, not of its input: rank 3: queue of -1\n" +
		"Please report it, with the input and " + kept[0] + ", which has the details.\n"
	if out.String() != want {
		t.Errorf("got %s", out.String())
	}
	details, _ := os.ReadFile(kept[0])
	for _, part := range []string{"overlapsim run x.yaml", "queue of -1", "the stack", "go1"} {
		if !strings.Contains(string(details), part) {
			t.Errorf("the details do not have %q:\n%s", part, details)
		}
	}
}

// No output replaces a file that the command reads, under any name.
func TestNoInputIsWrittenOver(t *testing.T) {
	folder := t.TempDir()
	text := "machine: m.yaml\nworkload: {name: token-ring, bytes: 8B}\nranks: 4\n"
	machine := "base: jacquard\n"
	const calls = "0 init\n0 compute 1000\n0 finalize\n"
	all := map[string]string{"in.yaml": text, "m.yaml": machine, "list.ti": "rank0.ti\n", "rank0.ti": calls,
		"t.yaml": "machine: jacquard\nworkload: {name: trace, file: list.ti, flop_rate: 1e9}\n"}
	for name, text := range all {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666))
	}
	must.Do(t, os.Symlink("in.yaml", filepath.Join(folder, "link.svg")))
	t.Chdir(folder)
	for _, args := range [][]string{
		{"run", "in.yaml", "--html", "in.yaml"}, {"run", "in.yaml", "--figure", "link.svg"}, {"run", "in.yaml", "--trace", "m.yaml"},
		{"export", "in.yaml", "--goal", "in.yaml"}, {"gradient", "in.yaml", "--html", "./in.yaml"},
		{"sweep", "in.yaml", "--vary", "ranks=2,4", "--out", "s", "--html", "in.yaml"},
		{"run", "t.yaml", "--html", "list.ti"}, {"run", "t.yaml", "--html", "rank0.ti"},
	} {
		_, errs, status := callMain(args...)
		if status != wrong || !strings.Contains(errs, "is an input of this command") {
			t.Errorf("%v: status %d, %s", args, status, errs)
		}
	}
	for name, want := range all {
		if got, _ := os.ReadFile(name); string(got) != want {
			t.Errorf("%s is now\n%s", name, got)
		}
	}
}

// forecastCases are runs whose memory is forecast; big ones run with -forecasts alone.
var forecastCases = []struct {
	big      bool
	name     string
	flag     string // of run; "": none
	settings []string
}{
	{false, "ft-pencils-jacquard", "", nil},
	{false, "fig22-initiation", "", nil},
	{false, "fig5-advection", "--gradient", nil},
	{false, many, "", []string{"ranks=64", "topology={kind: torus, dims: [40, 40, 40]}", "fabric.kind=flow"}},
	{false, many, "", []string{"workload={name: osu-nbc, operation: alltoall, bytes: 1MiB}", "ranks=32", "moves={pieces: 256, least: 1B}"}},
	{false, "gpt-18b", "", []string{"workload.global_batch=4096"}},
	{true, "gpt-18b", "", []string{"workload.global_batch=65536"}},
	{true, "gpt-18b", "--gradient", []string{"workload.global_batch=16384"}},
	{true, "gpt-18b", "--trace", []string{"workload.global_batch=16384"}},
	{true, "gpt-18b", "", []string{"workload={tp: 1, pp: 4000, layers: 4000, micro_batch: 1, global_batch: 8, hidden: 256, heads: 4, vocabulary: 512}",
		"ranks=4000"}},
	{true, many, "", []string{"workload={name: alltoall-linear, bytes: 8B}", "ranks=400"}},
	{true, many, "", []string{"workload={name: alltoall-linear, bytes: 1MiB}", "ranks=400"}},
	{true, many, "", []string{"workload={name: dissemination, bytes: 8B}", "ranks=131072"}},
	{true, many, "", []string{"workload={name: halo, iterations: 1}", "ranks=16384"}},
	{true, many, "", []string{"workload={name: allreduce-doubling, bytes: 8B}", "ranks=65536"}},
	{true, many, "", []string{"workload={name: shift, bytes: 8B}", "ranks=65536"}},
	{true, many, "", []string{"ranks=64", "topology={kind: torus, dims: [60, 60, 60]}", "fabric.kind=flow"}},
	{true, many, "", []string{"ranks=64", "topology={kind: torus, dims: [60, 60, 60]}", "fabric.kind=backlog"}},
	{true, many, "", []string{"ranks=64", "topology={kind: torus, dims: [60, 60, 60]}",
		"fabric={kind: packet, payload: 240B, packet: 256B, slots: 8}"}},
	{true, many, "", []string{"ranks=64", "machine.cores=40000"}},
	{true, many, "--trace", []string{"workload={name: dissemination, bytes: 8B}", "ranks=16384"}},
	{true, many, "--trace", []string{"workload={name: halo, iterations: 1}", "ranks=4096"}},
	{true, many, "--gradient", []string{"workload={name: dissemination, bytes: 8B}", "ranks=16384"}},
	{true, many, "--gradient", []string{"workload={name: halo, iterations: 1}", "ranks=4096"}},
	{true, many, "--gradient", []string{"workload={name: halo, iterations: 20}", "ranks=4096"}},
}

// many is the scenario of those runs that is not built in.
const many = "many.yaml"

// The forecast of memory is within a factor of 2 of what runs take, where the program
// itself does not count.
func TestForecastOfMemory(t *testing.T) {
	must.Long(t)
	const large = 64 << 20
	t.Chdir(t.TempDir())
	text := "machine: {base: jacquard, nodes: 1000000}\nworkload: {name: token-ring, bytes: 8B}\nranks: 16\n"
	must.Do(t, os.WriteFile(many, []byte(text), 0o666))
	for _, c := range forecastCases {
		if c.big && !*forecasts {
			continue
		}
		study := must.Get(scenarios.Load(c.name, c.settings))(t)
		s := study.Runs[0]
		told := s.Bytes(nodes.Options{NoSymmetry: true, Timeline: c.flag == "--trace", Critical: c.flag == "--gradient",
			Spill: spilling(&disk.Spills{})})
		took, seconds := measured(t, study, c.name, c.flag, c.settings)
		t.Logf("%s %v %s: %.3g MiB told, %.3g MiB taken, %.3g operations/s", c.name, c.settings, c.flag, told/(1<<20), took/(1<<20),
			s.Effort(nodes.Options{NoSymmetry: true}).Operations/seconds)
		if max(told, took) > large && (told > 2*took || took > 2*told) {
			t.Errorf("%s %v %s: %.3g MiB told, %.3g MiB taken", c.name, c.settings, c.flag, told/(1<<20), took/(1<<20))
		}
	}
}

// measured runs the first run of a study in its own process, and returns its peak memory in
// bytes and the time of its simulation.
func measured(t *testing.T, study *scenarios.Study, name, flag string, settings []string) (bytes, seconds float64) {
	t.Helper()
	args := []string{"run", name, "--no-advice", "--json", "--host", "--no-symmetry"}
	if len(study.Runs) > 1 {
		args = append(args, "--run", study.Runs[0].Name)
	}
	if flag == "--trace" {
		args = append(args, flag, "trace.json")
	} else if flag != "" {
		args = append(args, flag)
	}
	for _, s := range settings {
		args = append(args, "--set", s)
	}
	out, err := program(t, ".", args...).Output()
	var record struct {
		Host struct {
			Seconds float64
			Peak    float64 `json:"peak_rss_bytes"`
		}
	}
	if err == nil {
		err = json.Unmarshal(out, &record)
	}
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return record.Host.Peak, record.Host.Seconds
}
