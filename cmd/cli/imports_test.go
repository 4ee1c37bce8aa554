package cli

import (
	"slices"
	"strings"
	"testing"

	"overlapsim/scenarios/limited"
)

// rooms are the top-level folders from the bottom up; a package imports only
// what stands below its own room, or in it.
var rooms = []string{"sim", "network", "nodes", "workloads", "scenarios", "cmd"}

func level(pkg string) int {
	pkg = strings.TrimPrefix(pkg, "overlapsim/")
	for i, room := range rooms {
		if pkg == room || strings.HasPrefix(pkg, room+"/") {
			return i
		}
	}
	return -1
}

// Imports go down only, in tests too, and every package says what it is.
func TestImportsGoDown(t *testing.T) {
	list := limited.Within(t, limited.Compiles, "go", "list", "-e", "-f",
		`{{.ImportPath}}{{if not .Doc}} undocumented{{end}}{{range .Imports}} {{.}}{{end}}{{range .TestImports}} {{.}}{{end}}{{range .XTestImports}} {{.}}{{end}}`, "overlapsim/...")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := 0
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		words := strings.Fields(line)
		importer := level(words[0])
		if importer < 0 {
			continue
		}
		seen++
		if slices.Contains(words, "undocumented") {
			t.Errorf("%s has no package comment", words[0])
		}
		for _, imported := range words[1:] {
			if strings.HasPrefix(imported, "overlapsim/") && level(imported) > importer {
				t.Errorf("%s imports %s, which is above it", words[0], imported)
			}
		}
	}
	if seen < len(rooms) {
		t.Errorf("saw only %d packages", seen)
	}
}
