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
	"overlapsim/sim/must"
)

var (
	exampleFile = regexp.MustCompile(`From \[([^\]]+\.(?:go|yaml))\]`)
	listing     = regexp.MustCompile("(?s)```(?:go|yaml)\n(.*?)```")
	shownBlock  = regexp.MustCompile("(?s)```console\n(\\$ yours .*?)```")
)

// The examples of docs/howto/go-program.md show what another module can do: there, with only a requirement of
// this module, they compile and print what they should. The page shows them unchanged.
func TestOutside(t *testing.T) {
	must.Long(t)
	page := readText(t, "../../docs/howto/go-program.md")
	files := map[string]string{}
	for _, m := range exampleFile.FindAllStringSubmatch(page, -1) {
		files[m[1]] = readText(t, "../../"+m[1])
	}
	own, _ := filepath.Glob("../../docs/examples/*")
	for _, path := range own {
		files["docs/examples/"+filepath.Base(path)] = readText(t, path)
	}
	examples := strings.Join(slices.Collect(maps.Values(files)), "")
	for _, m := range listing.FindAllStringSubmatch(page, -1) {
		if !strings.Contains(examples, m[1]) {
			t.Errorf("docs/howto/go-program.md shows what is in none of the examples:\n%s", m[1])
		}
	}
	module := outside(t, files)
	t.Run("Tests", func(t *testing.T) {
		out := goOutside(t, module, "test", "-v", "-vet=off", "./...") // here they are vetted
		if ran, want := strings.Count(out, "--- PASS: Example"), strings.Count(examples, "\nfunc Example"); ran != want || want < 4 {
			t.Errorf("%d of %d examples ran:\n%s", ran, want, out)
		}
	})
	t.Run("Command", func(t *testing.T) {
		program := filepath.Join(module, "yours")
		goOutside(t, module, "build", "-o", program, "./docs/examples")
		t.Chdir(filepath.Join(module, "docs", "examples"))
		yours := func(args ...string) (string, int) {
			c := limited.Command(t, program, args...)
			out, err := c.CombinedOutput()
			if c.ProcessState == nil {
				t.Fatal(err)
			}
			return string(out), c.ProcessState.ExitCode()
		}
		checkShown(t, page, yours)
		checkYours(t, yours)
	})
}

// outside makes another module of files, with the requirements of this one: as 'go mod tidy' adds them, but from no network.
func outside(t *testing.T, files map[string]string) (module string) {
	root := must.Get(filepath.Abs("../.."))(t)
	module = t.TempDir()
	for path, text := range files {
		writeText(t, filepath.Join(module, path), text)
	}
	_, requires, found := strings.Cut(readText(t, "../../go.mod"), "\nrequire ")
	if !found {
		t.Fatal("go.mod requires nothing")
	}
	writeText(t, filepath.Join(module, "go.mod"), "module example.org/yours\n\ngo 1.26.0\n\nrequire overlapsim "+
		"v0.0.0\n\nreplace overlapsim => "+root+"\n\nrequire "+requires)
	writeText(t, filepath.Join(module, "go.sum"), readText(t, "../../go.sum"))
	return module
}

// goOutside runs the go command in another module. What that requires is what this module requires, all in the module
// cache, or this test would not have compiled.
func goOutside(t *testing.T, module string, args ...string) string {
	t.Helper()
	run := limited.Within(t, limited.Compiles, "go", args...)
	run.Dir = module
	// With the same flags: what is compiled already is not compiled again.
	run.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("as another module, go %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// checkShown runs the commands of another module that a page shows, and compares what they print.
func checkShown(t *testing.T, page string, yours func(...string) (string, int)) {
	blocks := shownBlock.FindAllStringSubmatch(page, -1)
	if len(blocks) == 0 {
		t.Error("docs/howto/go-program.md shows no command")
	}
	for _, block := range blocks {
		for _, one := range strings.Split(block[1], "$ yours ")[1:] {
			line, want, _ := strings.Cut(one, "\n")
			if got, _ := yours(shellWords(line)...); !like(got, want) {
				t.Errorf("yours %s: docs/howto/go-program.md shows\n%s\nand this comes out:\n%s", line, want, got)
			}
		}
	}
}

// checkYours checks commands of another module with what it adds.
func checkYours(t *testing.T, yours func(...string) (string, int)) {
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"list topologies", done, "my-ring "},
		{"list fabrics", done, "my-bus "},
		{"show my-ring", done, "topology.routers"},
		{"show my-bus", done, "links.my_bus"},
		{"show --schema scenario", done, `"gather"`},
		{"run gather.yaml --json", done, `"makespan_s": 0.000402`},
		{"run gather.yaml --set fabric.kind=my-bos", wrong, "my-bus"},
		{"run gather.yaml --set topology.router=5", wrong, "topology.router"},
		{"sweep gather.yaml --vary workload.bytes=50kB,100kB --vary fabric.kind=flow,my-bus --out swept", done, "4 points"},
		{"gradient gather.yaml", done, "network.send_overhead"},
		{"version", done, "overlapsim in example.org/yours "},
	} {
		out, status := yours(strings.Fields(c.args)...)
		if status != c.status || !strings.Contains(out, c.want) {
			t.Errorf("yours %s: status %d, want %d and %q:\n%s", c.args, status, c.status, c.want, out)
		}
	}
	if csv := readText(t, "swept/results.csv"); strings.Count(csv, ",gather,") != 4 {
		t.Errorf("a sweep of gather has\n%s", csv)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	return string(text)
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
	must.Do(t, os.WriteFile(path, []byte(text), 0o666))
}
