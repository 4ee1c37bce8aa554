package cli

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"overlapsim/sim/must"
)

var kills = flag.Int("writer-kills", 1, "kills of each command that writes")

// writers are commands that write the file that they name last, by what they write.
var writers = map[string][]string{
	"goal":         {"export", "ft-slabs-jacquard", "--goal", "out"},
	"html":         {"run", "ft-slabs-jacquard", "--no-advice", "--html", "out"},
	"trace":        {"run", "ft-slabs-jacquard", "--no-advice", "--trace", "out"},
	"figure":       {"run", "ft-slabs-jacquard", "--no-advice", "--figure", "out.pdf"},
	"differences":  {"compare", "fig22-initiation", "fig20-computation", "--figure", "out.pdf"},
	"derivatives":  {"gradient", "fig22-initiation", "--figure", "out.pdf"},
	"optima":       {"optimize", "fig22-initiation", "--over", "machine.network.latency=1us,2us", "--figure", "out.pdf"},
	"points":       {"sweep", "kept", "--figure", "out.pdf"},
	"heat figure":  {"overlap", "--machine", "william", "--runtime", "mvapich2-2.2", "--figure", "out.pdf"},
	"a figure":     {"reproduce", "mpi", "--figure", "out.pdf"},
	"perfetto":     {"run", "ft-slabs-jacquard", "--no-advice", "--trace", "out.perfetto-trace"},
	"difference":   {"compare", "ft-slabs-jacquard", "fig22-initiation", "--html", "out"},
	"potential":    {"potential", "overlap-fig7", "--html", "out"},
	"changing":     {"explore", "fig22-initiation", "--html", "out"},
	"its bars":     {"potential", "overlap-fig7", "--figure", "out.pdf"},
	"its picture":  {"explore", "fig22-initiation", "--figure", "out.pdf"},
	"factors":      {"run", "shifts.yaml", "--calibration", "out"},
	"gradient":     {"gradient", "fig22-initiation", "--html", "out"},
	"optimum":      {"optimize", "fig22-initiation", "--over", "machine.network.latency=1us,2us", "--html", "out"},
	"machine":      {"calibrate", "--machine", "loggp", "--out", "out"},
	"curves":       {"calibrate", "--machine", "loggp", "--html", "out"},
	"heat maps":    {"overlap", "--machine", "william", "--runtime", "mvapich2-2.2", "--csv", "out"},
	"heat page":    {"overlap", "--machine", "william", "--runtime", "mvapich2-2.2", "--html", "out"},
	"sweep's page": {"sweep", "kept", "--html", "out"},
	"claims":       {"reproduce", "mpi", "--html", "out"},
	"drawing":      {"show", "jacquard", "--html", "out"},
	"predictions":  {"validate", "fitted.yaml", "--html", "out"},
	"fit":          {"validate", "fitted.yaml", "--fit-rows", "fitted.csv", "--out", "out"},
}

// fitted is a data set to which a bandwidth is fitted, and fittedRows are its rows.
const (
	fitted = `title: Exchanges
scenario: {machine: loggp, ranks: 2, processes_per_node: 1, workload: {name: round-trip}}
rows: fitted.csv
paths: {workload.bytes: {column: bytes, unit: B}}
measured: {column: us, unit: us}
predicted: {path: makespan_s}
baseline: {line: bytes}
fit: {parameters: {wire: {path: machine.network.bandwidth, unit: MB/s, bounds: [10, 100000]}}}
`
	fittedRows = "bytes,us\n1000000,1000\n3000000,3000\n"
)

// shifts measures factors.
const shifts = `machine: hopper
workload: {name: shift, repeat: 2}
ranks: 64
mapping: consecutive
mapping_first: 40
fabric: {kind: flow}
runs:
  - {name: near, workload.distance: 1}
  - {name: far, workload.distance: 2}
`

// forWriters returns a folder with the files that the writers read.
func forWriters(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for file, text := range map[string]string{"shifts.yaml": shifts, "fitted.yaml": fitted, "fitted.csv": fittedRows} {
		must.Do(t, os.WriteFile(filepath.Join(folder, file), []byte(text), 0o666))
	}
	succeed(t, program(t, folder, "sweep", "fig22-initiation", "--vary", "machine.network.latency=1us,2us", "--out", "kept"))
	return folder
}

// A command that is told to end, or is killed, while it writes leaves the old file unchanged, and
// the next command removes what the killed one left.
func TestKilledWriters(t *testing.T) {
	must.Long(t)
	folder := forWriters(t)
	t.Chdir(folder)
	for i, name := range slices.Sorted(maps.Keys(writers)) {
		args := writers[name]
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(folder, args[len(args)-1])
			defer os.Remove(file)
			began := time.Now()
			succeed(t, program(t, folder, args...))
			took := time.Since(began)
			whole, names := contents(t, file)
			for k := range *kills {
				hard := (k+i)%2 == 1 // one kill of each command is in turns of both kinds
				_, before := contents(t, file)
				kill(t, program(t, folder, args...), took*time.Duration(k+1)/time.Duration(*kills+1), hard)
				if got, _ := os.ReadFile(file); !bytes.Equal(got, whole) {
					t.Fatalf("kill %d: the file has %d bytes, want %d", k, len(got), len(whole))
				}
				if _, left := contents(t, file); !hard && left > before {
					t.Fatalf("kill %d: left %d files, there were %d before", k, left, before)
				}
			}
			if _, errs, status := callMain(args...); status != done {
				t.Fatalf("%v: status %d, %s", args, status, errs)
			}
			if _, left := contents(t, file); left != names {
				t.Errorf("left %d files, want %d", left, names)
			}
		})
	}
}

// Every flag that names a file to write is in the table, but record's, which needs MPI, and the trace of compare,
// which has more than one run and refuses it.
func TestWritersAreAll(t *testing.T) {
	for _, c := range commands() {
		flags := newFlags(c.name)
		c.setup(flags)
		flags.VisitAll(func(f *pflag.Flag) {
			name, usage := pflag.UnquoteUsage(f)
			writes := strings.HasPrefix(usage, "write ") || strings.HasPrefix(usage, "draw ")
			if !writes || name != "FILE" || c.name == "record" || c.name == "compare" && f.Name == "trace" {
				return
			}
			for _, args := range writers {
				if args[0] == c.name && slices.Contains(args, "--"+f.Name) {
					return
				}
			}
			t.Errorf("%s --%s is not among the writers", c.name, f.Name)
		})
	}
}

// succeed runs a command that must succeed.
func succeed(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", c.Args, err, out)
	}
}

// kill starts a command, and kills it or tells it to end after a time.
func kill(t *testing.T, c *exec.Cmd, after time.Duration, hard bool) {
	t.Helper()
	var said bytes.Buffer
	c.Stderr = &said
	must.Do(t, c.Start())
	time.Sleep(after)
	if hard {
		c.Process.Kill()
	} else {
		c.Process.Signal(os.Interrupt)
	}
	if c.Wait(); t.Failed() {
		t.Fatal(&said)
	}
}

// contents returns the contents of a file, and the number of files in its folder.
func contents(t *testing.T, file string) (out []byte, names int) {
	t.Helper()
	out = must.Get(os.ReadFile(file))(t)
	entries := must.Get(os.ReadDir(filepath.Dir(file)))(t)
	return out, len(entries)
}
