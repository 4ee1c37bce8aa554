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
	// The flag adds the indirect requirements. They are in the module cache, or this
	// test would not have compiled.
	run := limited.Within(t, limited.Compiles, "go", "test", "-v", "-vet=off", "./...") // here they are vetted
	run.Dir = module
	run.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("as another module: %v\n%s", err, out)
	}
	return string(out)
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
