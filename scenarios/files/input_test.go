package files

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overlapsim/sim/must"
	"overlapsim/workloads/training"
)

// What other tools write is recognised by its content, regardless of its name; what does not run says what it is, and what to do.
func TestInputs(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700)
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	gpu := `{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H200"}], "traceEvents": []}`
	for name, text := range map[string]string{
		"schedule": "/* a * b */ // c\nnum_ranks 2\n", "gpu": gpu, "events": `[{"name": "a", "ph": "X"}]`, "et": "\x07\n\x050.0.4",
		"attributes": "\x06\x12\x04\n\x02ab", "ti": "0 init\n1 init\n", "gpus/10.json": gpu, "gpus/9.json": gpu, "gpus/notes.txt": "no trace",
		"ranks/rank1.txt": "1 init\n", "ranks/rank0.txt": "0 init\n", "both/a": gpu, "both/b": "num_ranks 1\n", "empty/notes.txt": "nothing",
		"elf/a.out": "\x7fELF", "text": "9\n a text with a digit, a line and a blank", "db": "SQLite format 3\x00", "saved": `{"schema_version": 4, "events": 1, "makespan_s": 1}`,
		"a.nsys-rep": "x", "main.c": "int main", "osu": "# OSU MPI Latency Test", "zero": "a\x00b", "sizes.yaml": "trial_name: a\ndp_size: 2\n",
		"db.gz": "\x1f\x8b\x08", "gpu.zst": "\x28\xb5\x2f\xfd\x00", "own.trace.gz": gzipped("overlapsim trace 1\n\x00\x01"), "README.md": "# a text: with\n* stars\n\n`[a`\n", "table.json": `{"rows": [1], "size": 2}`,
		"cut.json": `{"machine": "loggp", `, "imb": "#----\n# Benchmarking PingPong\n", "calls.csv": "MPI_Isend,8,0.1,0.2\n", "swept/plan.jsonl": "{}",
	} {
		write(name, text)
	}
	for name, want := range map[string]string{
		"schedule": `{name: goal, file: "schedule"}`, "gpu": "machine: h200\n", "events": "{name: gpu-trace", "et": "{name: chakra-trace", "attributes": "{name: chakra-trace",
		"ti": "{name: trace, file: \"ti\", flop_rate: 1e9}", "gpus": `file: "gpus"}`, "ranks": `{name: trace, file: "ranks", flop_rate: 1e9}`,
	} {
		if text, _, ok, err := OfInput(filepath.Join(dir, name), nil); !ok || err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %s, %t, %v; want %s", name, text, ok, err, want)
		}
	}
	for name, want := range map[string]string{
		"both": "is a folder with a trace of the PyTorch profiler (a) and a GOAL schedule (b)", "empty": "is a folder without a file that runs by itself",
		"elf": "a.out seems to be a program; record it: overlapsim record", "elf/a.out": "seems to be a program", "text": "is neither a scenario",
		"db": "is not an SQLite database", "saved": "overlapsim run prints it again", "a.nsys-rep": "nsys export --type sqlite", "main.c": "compile it",
		"osu": "overlapsim calibrate", "zero": "is a binary file", "sizes.yaml": "give the table", "gpu": "has no operations of a GPU",
		"db.gz": "is packed by gzip; unpack it first", "gpu.zst": "is packed by zstd; unpack it first", "own.trace.gz": "is packed by gzip; unpack it first", "README.md": "README.md: is neither a scenario",
		"table.json": "table.json: is neither a scenario", "cut.json": "is not YAML", "imb": "overlapsim calibrate", "calls.csv": "overlapsim calibrate",
		"swept": "is the folder of a sweep: overlapsim sweep ",
	} {
		if _, err := Load(filepath.Join(dir, name), nil); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), ":3:") {
			t.Errorf("%s: %v; want %s", name, err, want)
		}
	}
}

// What is wrong inside a file names that file once: the key of it as well where the user wrote a scenario, the file alone where not.
func TestPlaceInInput(t *testing.T) {
	dir := t.TempDir()
	trace, scenario := filepath.Join(dir, "trace.json"), filepath.Join(dir, "scenario.yaml")
	for name, text := range map[string]string{
		trace:    `{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H200"}], "traceEvents": []}`,
		scenario: "machine: h200\nworkload: {name: gpu-trace, file: trace.json}\n",
	} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for name, want := range map[string]string{trace: trace + ": ", scenario: scenario + ":2:29: workload.file: " + trace + ": "} {
		_, err := Load(name, nil)
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Count(err.Error(), trace) != 1 {
			t.Errorf("%v; want %s...", err, want)
		}
	}
	one := filepath.Join("..", "..", "workloads", "chakra", "testdata", "all_reduce.0.et")
	if _, err := Load(one, nil); err == nil || !strings.HasPrefix(err.Error(), one+": at byte ") || strings.Count(err.Error(), one) != 1 {
		t.Errorf("one rank of four: %v", err)
	}
}

// A workload runs with defaults, of which the title names those that are not given.
func TestWorkloadByName(t *testing.T) {
	for settings, want := range map[string][]string{
		"":                                 {"machine hdr-infiniband", "ranks 64", "bytes 8KiB", "iterations 100"},
		"machine=frontier ranks=8":         {"processes_per_node 8", "bytes 8KiB"},
		"machine=no-such workload.bytes=1": {"iterations 100"},
	} {
		text, _, ok, err := OfInput("halo", strings.Fields(settings))
		title, _, _ := strings.Cut(strings.TrimPrefix(string(text), made), "\n")
		if !ok || err != nil {
			t.Fatalf("%s: %t, %v", settings, ok, err)
		}
		for _, one := range want {
			if !strings.Contains(title, one) {
				t.Errorf("%s: %s, want %s", settings, title, one)
			}
		}
		for _, set := range strings.Fields(settings) {
			path, _, _ := strings.Cut(set, "=")
			if strings.Contains(title, strings.TrimPrefix(path, "workload.")+" ") {
				t.Errorf("%s: the title names it as a default: %s", set, title)
			}
		}
	}
	if f, err := Load("halo", []string{"workload.iterations=2"}); err != nil || f.Runs[0].Ranks != 64 || f.Runs[0].NodesTaken() != 8 {
		t.Errorf("%v, want 64 ranks on 8 nodes", err)
	}
}

// Each published model runs as it is: its numbers divide each other, and it fits the memory.
func TestPublishedModels(t *testing.T) {
	for _, name := range training.ModelNames() {
		must.Get(Load(name, nil))(t)
	}
}

func gzipped(text string) string {
	var out strings.Builder
	w := gzip.NewWriter(&out)
	io.WriteString(w, text)
	w.Close()
	return out.String()
}
