package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"overlapsim/scenarios/limited"
	"overlapsim/sim/must"
)

// root is the folder of the repository.
const root = "../../.."

// list returns what go list says, a line each.
func list(t *testing.T, args ...string) []string {
	t.Helper()
	c := limited.Within(t, limited.Compiles, "go", append([]string{"list"}, args...)...)
	c.Dir = root
	out, err := c.Output()
	if err != nil {
		t.Fatalf("go list %v: %v", args, err)
	}
	return strings.Fields(string(out))
}

// A module that comes into go.mod, and one that comes into the program, has a row in the table of modules, and the table
// has no others.
func TestLibraries(t *testing.T) {
	known := must.Get(libraries(root))(t)
	file := list(t, "-m", "-f", "{{.GoMod}}")[0]
	text := must.Get(os.ReadFile(file))(t)
	required := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); strings.HasPrefix(line, "\t") && len(words) > 1 {
			required[words[0]] = true
			if _, is := known[words[0]]; !is {
				t.Errorf("go.mod has %s, and docs/contributing/libraries.md has no row for it: say what it is for, its licence and its host", words[0])
			}
		}
	}
	inside := list(t, "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "./cmd/overlapsim")
	for name, l := range known {
		if !required[name] {
			t.Errorf("docs/contributing/libraries.md has %s, and go.mod has not", name)
		}
		if is := slices.Contains(inside, name); is != (l.use == "program") {
			t.Errorf("docs/contributing/libraries.md says that %s is for %s; in the program: %v", name, l.use, is)
		}
	}
	if len(required) < 10 {
		t.Errorf("only %d modules", len(required))
	}
}

// marks are words in the text of a licence.
var marks = map[string]string{
	"Apache-2.0": "Apache License", "MIT": "Permission is hereby granted, free of charge", "BSD-2-Clause": "Redistribution and use in source",
	"BSD-3-Clause": "Neither the name", "OFL-1.1": "SIL", "MPL-2.0": "Mozilla Public License Version 2.0", "CC-BY-4.0": "Attribution 4.0",
	"FTL": "FreeType License",
}

// The licences of the table are those of the modules' files.
func TestLicences(t *testing.T) {
	known := must.Get(libraries(root))(t)
	for name, l := range known {
		folder := list(t, "-m", "-f", "{{.Dir}}", name)
		if len(folder) == 0 {
			t.Logf("%s is not here", name) // nothing that was compiled needs it
			continue
		}
		files, err := filepath.Glob(filepath.Join(folder[0], "[LC][IiO][CcP][EeY]*"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s has no licence: %v", name, err)
		}
		var all strings.Builder
		for _, file := range files {
			text := must.Get(os.ReadFile(file))(t)
			all.Write(text)
		}
		words := strings.Join(strings.Fields(all.String()), " ")
		for _, one := range strings.FieldsFunc(l.licence, func(r rune) bool { return r == ' ' }) {
			if one != "AND" && (marks[one] == "" || !strings.Contains(words, marks[one])) {
				t.Errorf("%s: its files do not look like %s", name, one)
			}
		}
	}
}

// A bill names the program, the standard library and each module.
func TestBill(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Path: "overlapsim", Version: "v1"},
		Deps: []*debug.Module{{Path: "gonum.org/v1/gonum", Version: "v0.17.0"}}}
	text := must.Get(json.Marshal(billOf(info, map[string]library{"gonum.org/v1/gonum": {licence: "BSD-3-Clause"}})))(t)
	for _, part := range []string{`"bomFormat":"CycloneDX"`, `"purl":"pkg:golang/overlapsim@v1"`, `"name":"std","version":"1.26"`,
		`"purl":"pkg:golang/gonum.org/v1/gonum@v0.17.0","licenses":[{"expression":"BSD-3-Clause"}]`} {
		if !strings.Contains(string(text), part) {
			t.Errorf("the bill has no %s: %s", part, text)
		}
	}
}
