package cli

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overlapsim/scenarios/limited"
)

var (
	exampleFile = regexp.MustCompile(`From \[([^\]]+_test\.go)\]`)
	listing     = regexp.MustCompile("(?s)```go\n(.*?)```")
)

// The examples of docs/api.md show what another module can do: there, with only a requirement of
// this module, they compile and print what they should. The page shows them unchanged.
func TestOutside(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second or more; -short leaves it out")
	}
	page := readText(t, "../../docs/api.md")
	files := map[string]string{}
	for _, m := range exampleFile.FindAllStringSubmatch(page, -1) {
		files[m[1]] = readText(t, "../../"+m[1])
	}
	if len(files) < 4 {
		t.Fatalf("docs/api.md has examples from %v", slices.Collect(maps.Keys(files)))
	}
	examples := strings.Join(slices.Collect(maps.Values(files)), "")
	for _, m := range listing.FindAllStringSubmatch(page, -1) {
		if !strings.Contains(examples, m[1]) {
			t.Errorf("docs/api.md shows what is in none of the examples:\n%s", m[1])
		}
	}
	out := testOutside(t, files)
	if ran, want := strings.Count(out, "--- PASS: Example"), strings.Count(examples, "\nfunc Example"); ran != want {
		t.Errorf("%d of %d examples ran:\n%s", ran, want, out)
	}
}

// testOutside runs the tests of files that are in another module.
func testOutside(t *testing.T, files map[string]string) string {
	run := limited.Within(t, limited.Compiles, "go", "test", "-v", "-vet=off", "./...") // here they are vetted
	run.Dir, run.Env = newOutside(t, files), outsideEnv()
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("as another module: %v\n%s", err, out)
	}
	return string(out)
}

// newOutside writes a module of some files that requires this one, and returns its folder.
func newOutside(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	module := t.TempDir()
	for path, text := range files {
		writeText(t, filepath.Join(module, path), text)
	}
	writeText(t, filepath.Join(module, "go.mod"), "module example.org/outside\n\ngo 1.26.0\n\nrequire overlapsim "+
		"v0.0.0\n\nreplace overlapsim => "+root+"\n")
	writeText(t, filepath.Join(module, "go.sum"), readText(t, "../../go.sum"))
	return module
}

// outsideEnv is the environment of the go command there. Its flag adds the indirect requirements; they are in the
// module cache, or these tests would not have compiled.
func outsideEnv() []string {
	return append(os.Environ(), "GOFLAGS=-mod=mod -pgo=off", "GOPROXY=off", "GOWORK=off")
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// The module of docs/api.md whose main calls Main has every command, with its workload, topology and fabric.
func TestOutsideCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second or more; -short leaves it out")
	}
	text, _, _ := strings.Cut(readText(t, "../../docs/examples/extension_test.go"), "\n// A scenario with")
	registered, scenario, _ := strings.Cut(text, "const scenario = `\n")
	registered = strings.NewReplacer("package examples_test", "package main", "\t\"overlapsim/nodes\"\n", "",
		"\t\"overlapsim/scenarios\"\n", "", "\t\"overlapsim/network\"\n", "\t\"overlapsim/cmd/cli\"\n\t\"overlapsim/network\"\n").Replace(registered)
	program := buildOutside(t, registered+"\nfunc main() { cli.Main() }\n")
	folder := t.TempDir()
	writeText(t, filepath.Join(folder, "gather.yaml"), strings.TrimSuffix(strings.TrimSpace(scenario), "`"))
	for _, c := range []struct{ args, says string }{
		{"list workloads", `(?m)^ *gather +all ranks send to rank 0$`},
		{"list topologies", `(?m)^ *my-ring`},
		{"run gather.yaml", `makespan +402\.0 µs`},
		{"run gather.yaml --set fabric.kind=flow", `makespan +203\.5 µs`},
		{"sweep gather.yaml --vary workload.bytes=50kB,100kB", `Least makespan: 402\.0 µs at workload\.bytes=50kB`},
		{"gradient gather.yaml --set fabric.kind=ideal", `network\.gap_per_byte`},
		{"run gather.yaml --set workload.byte=3", `--set workload\.byte=3: unknown key, did you mean bytes`},
		{"run gather.yaml --set workload.bytes=0B", `--set workload\.bytes=0B: must be at least 1`},
	} {
		run := limited.Within(t, limited.Compiles, program, strings.Fields(c.args)...)
		run.Dir = folder
		if out, _ := run.CombinedOutput(); !regexp.MustCompile(c.says).Match(out) {
			t.Errorf("overlapsim %s: want %s, got\n%s", c.args, c.says, out)
		}
	}
}

// buildOutside builds a main package of another module.
func buildOutside(t *testing.T, text string) string {
	module := newOutside(t, map[string]string{"main.go": text})
	program := filepath.Join(module, "mine")
	build := limited.Within(t, limited.Compiles, "go", "build", "-o", program, ".")
	build.Dir, build.Env = module, outsideEnv()
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("as another module: %v\n%s", err, out)
	}
	return program
}
