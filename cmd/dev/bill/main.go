// Command bill writes the software bill of materials of a program, as CycloneDX:
//
//	bill overlapsim > overlapsim.cdx.json
//
// The compiler wrote the modules and their versions into the program; licences are from the table of
// docs/contributing/libraries.md. It runs in the root of the repository.
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

const usage = `usage: go run ./cmd/dev/bill PROGRAM > PROGRAM.cdx.json

Writes the modules of a Go program, with versions and licences, as CycloneDX.
Run it at the root of the repository.
`

func main() {
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), usage) }
	flag.Parse()
	if err := write(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bill:", err)
		os.Exit(1)
	}
}

func write(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("give one program, as in: bill overlapsim")
	}
	info, err := buildinfo.ReadFile(args[0])
	if err != nil {
		return err
	}
	known, err := libraries(".")
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	return out.Encode(billOf(info, known))
}

// bill is a software bill of materials.
//
// Source: OWASP CycloneDX 1.5, JSON.
type bill struct {
	Format   string `json:"bomFormat"`
	Spec     string `json:"specVersion"`
	Version  int    `json:"version"`
	Metadata struct {
		Component component `json:"component"`
	} `json:"metadata"`
	Components []component `json:"components"`
}

// component is a program, a module, or the standard library.
type component struct {
	Type     string    `json:"type"`
	Name     string    `json:"name"`
	Version  string    `json:"version"`
	URL      string    `json:"purl"`
	Licences []licence `json:"licenses"`
}

type licence struct {
	Expression string `json:"expression"` // of SPDX
}

// billOf makes the bill of a program.
func billOf(info *debug.BuildInfo, known map[string]library) bill {
	b := bill{Format: "CycloneDX", Spec: "1.5", Version: 1}
	b.Metadata.Component = entry("application", info.Main.Path, info.Main.Version, "Apache-2.0")
	b.Components = []component{entry("library", "std", strings.TrimPrefix(info.GoVersion, "go"), "BSD-3-Clause")}
	for _, m := range info.Deps {
		b.Components = append(b.Components, entry("library", m.Path, m.Version, known[m.Path].licence))
	}
	return b
}

func entry(kind, path, version, spdx string) component {
	return component{kind, path, version, "pkg:golang/" + path + "@" + version, []licence{{spdx}}}
}
