package laws

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// Case is a scenario as a user could write it: a file, files next to it, and
// settings of the command line.
type Case struct {
	Scenario *Tree
	Settings []string          // path=value, as in --set
	Files    map[string]string // next to the scenario, by name
}

// scenarioName is the name of a case's scenario file.
const scenarioName = "case.yaml"

func (c Case) clone() Case {
	files := map[string]string{}
	for name, text := range c.Files {
		files[name] = text
	}
	return Case{c.Scenario.clone(), slices.Clone(c.Settings), files}
}

// flags returns the settings as arguments of a command.
func (c Case) flags() (args []string) {
	for _, s := range c.Settings {
		args = append(args, "--set", s)
	}
	return args
}

// command is the command line of a case.
func (c Case) command() string {
	line := "overlapsim run " + scenarioName
	for _, s := range c.Settings {
		line += " --set '" + s + "'"
	}
	return line
}

// settingLine is the beginning of a line with a setting in a kept case.
const settingLine = "--set "

// Archive writes a case as one text: a comment, the settings, the files.
func (c Case) Archive(comment string) []byte {
	for _, s := range c.Settings {
		comment += settingLine + s + "\n"
	}
	a := &txtar.Archive{Comment: []byte(comment), Files: []txtar.File{{Name: scenarioName, Data: []byte(c.Scenario.yaml())}}}
	for _, name := range sortedKeys(c.Files) {
		a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(c.Files[name])})
	}
	return txtar.Format(a)
}

// ReadCase reads what Archive wrote.
func ReadCase(text []byte) (c Case, err error) {
	a := txtar.Parse(text)
	c.Files = map[string]string{}
	for line := range strings.Lines(string(a.Comment)) {
		if s, ok := strings.CutPrefix(strings.TrimSpace(line), settingLine); ok {
			c.Settings = append(c.Settings, s)
		}
	}
	for _, f := range a.Files {
		if f.Name == scenarioName {
			c.Scenario, err = read(f.Data)
		} else {
			c.Files[f.Name] = string(f.Data)
		}
	}
	if c.Scenario == nil && err == nil {
		err = fmt.Errorf("there is no %s", scenarioName)
	}
	return c, err
}
