package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// library is a row of the table of modules in docs/contributing/libraries.md.
type library struct {
	use     string // "program", "tests" or "tools"
	licence string // an expression of SPDX
	host    string // kind of host
}

// libraries reads the table of the repository in a folder.
func libraries(folder string) (map[string]library, error) {
	text, err := os.ReadFile(filepath.Join(folder, "docs", "contributing", "libraries.md"))
	if err != nil {
		return nil, err
	}
	all := map[string]library{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, " | ")
		name, row := strings.CutPrefix(cells[0], "| `")
		if !row || len(cells) != 5 {
			continue
		}
		name = strings.TrimSuffix(name, "`")
		if _, twice := all[name]; twice {
			return nil, fmt.Errorf("docs/contributing/libraries.md has %s twice", name)
		}
		all[name] = library{cells[1], cells[2], cells[3]}
	}
	return all, nil
}
