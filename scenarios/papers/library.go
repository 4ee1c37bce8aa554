package papers

import (
	"embed"
	"fmt"
	"strconv"
	"strings"

	"overlapsim/scenarios/keys"
)

//go:embed *.yaml
var embedded embed.FS

// Names returns the short names of the papers whose claims are listed here,
// sorted.
func Names() (names []string) {
	entries, err := embedded.ReadDir(".")
	if err != nil {
		panic(err) // they are embedded
	}
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// Load returns a paper by its short name. The error is of type
// scenarios.Problems.
func Load(name string) (*Paper, error) {
	text, err := embedded.ReadFile(name + ".yaml")
	if err != nil {
		at := keys.Place{Flag: "paper " + strconv.Quote(name)}
		return nil, keys.Problems{{Place: at, Message: fmt.Sprintf("there is no such paper%s", meant(name, Names()))}}
	}
	p, err := readPaper("papers/"+name+".yaml", text)
	if err == nil && p.Name != name {
		err = keys.Problems{{Place: keys.Place{File: p.File, Line: 1, Column: 1}, Key: "paper",
			Message: "must be " + name + ", as the file is called; got " + strings.TrimSpace(p.Name)}}
	}
	if err == nil {
		p.chances = chances(name)
	}
	return p, err
}
