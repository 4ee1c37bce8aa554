package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"overlapsim/scenarios"
)

// runFlag adds the flag that chooses one of several runs.
func runFlag(flags *pflag.FlagSet) *string {
	return flags.String("run", "", "of several runs, the one with that `NAME`")
}

// mostNames of runs are written in a message.
const mostNames = 12

// oneRun returns a study with the run that is named, or with its only one; what says
// what there is of one run only.
func oneRun(command, what string, study *scenarios.Study, name string) (*scenarios.Study, error) {
	if name != "" {
		only, err := study.Only(name)
		if err != nil {
			return nil, &usageError{command, "--run: " + err.Error()}
		}
		return only, nil
	}
	if len(study.Runs) != 1 {
		return nil, &usageError{command, fmt.Sprintf("%s has %d runs, %s is of one: choose it by --run NAME; there are %s", study.Name, len(study.Runs), what, some(study.Names()))}
	}
	return study, nil
}

// some lists names, or the first of many.
func some(names []string) string {
	rest := ""
	if more := len(names) - mostNames; more > 1 {
		names, rest = names[:mostNames], fmt.Sprintf(" and %d more", more)
	}
	return `"` + strings.Join(names, `", "`) + `"` + rest
}
